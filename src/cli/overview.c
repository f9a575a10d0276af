#include "cli/overview.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "crawler/counters.h"
#include "frontier/seen.h"
#include "frontier/target.h"

enum { NUMBER_SLACK = 1000 }; /* see crawler/resume.c */

/* What is known of a URL before its own row comes. */
struct mark {
    uint8_t fetches;
    uint8_t verdict; /* at its turn */
    bool page, over;
};

struct reading {
    struct overview *overview;
    const struct scan_options *scan;
    uint64_t max_per_domain;
    struct arena arena; /* of one URL */
    struct mark *mark;
    uint64_t marks;
    struct hashtable domains, hosts;
    struct seen judged; /* pages that have a fate of their own */
    struct refused *refused;
    size_t refused_count, refused_room;
};

/* Refused for where it was found: counts where nothing else was found out. */
struct refused {
    uint64_t fingerprint;
    struct overview_domain *domain;
};

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct reading *reading = user;

    if (last_number > urls + NUMBER_SLACK)
        return false;
    reading->marks = last_number + 1;
    reading->mark = mem_array(reading->marks, sizeof(*reading->mark));
    return true;
}

static bool read_setting(void *user, const struct store_setting *row)
{
    struct overview *overview = ((struct reading *)user)->overview;
    uint64_t value;

    if (!str_to_u64(row->value, &value))
        return true;
    if (str_eq(row->name, STR("started_ms")))
        overview->started_ms = value;
    else if (str_eq(row->name, STR("committed_ms")))
        overview->committed_ms = value;
    else if (str_eq(row->name, STR("ended_ms")))
        overview->ended_ms = value;
    else
        stats_set(&overview->stats, row->name, value);
    return true;
}

/* --- hosts -------------------------------------------------------------- */

struct host {
    struct overview_host shown;
    bool dead, slow;
};

static struct host *host_for(struct reading *reading, struct str name)
{
    uint64_t key = hash64(name, reading->scan->fingerprint_seed);
    struct host *host = hashtable_get(&reading->hosts, key);

    if (host)
        return host;
    host = arena_new(&reading->overview->arena, sizeof(*host));
    host->shown.name = arena_copy(&reading->overview->arena, name);
    hashtable_put(&reading->hosts, key, host);
    return host;
}

static bool read_host(void *user, const struct store_host *row)
{
    struct host *host = host_for(user, row->name);

    if (row->outcome >= OUTCOMES)
        return false;
    host->dead = row->given_up & GIVEN_UP_HOST;
    host->shown.outcome = row->outcome;
    host->shown.by_robots = row->given_up & GIVEN_UP_ROBOTS;
    host->shown.until_ms = row->until_ms;
    host->slow = !host->dead && row->given_up >= GIVEN_UP_BACKOFF;
    return true;
}

static int by_host_name(const void *a, const void *b)
{
    const struct overview_host *one = a, *other = b;

    return strcmp(one->name.ptr, other->name.ptr);
}

static void list_hosts(struct reading *reading)
{
    struct overview *overview = reading->overview;
    struct host *host;

    overview->host =
        mem_array(reading->hosts.count + 1, sizeof(*overview->host));
    overview->slow_host =
        mem_array(reading->hosts.count + 1, sizeof(*overview->slow_host));
    for (size_t at = 0; (host = hashtable_next(&reading->hosts, &at));)
        if (host->dead)
            overview->host[overview->hosts++] = host->shown;
        else if (host->slow)
            overview->slow_host[overview->slow_hosts++] = host->shown;
    qsort(overview->host, overview->hosts, sizeof(*overview->host),
          by_host_name);
    qsort(overview->slow_host, overview->slow_hosts,
          sizeof(*overview->slow_host), by_host_name);
}

/* --- URLs --------------------------------------------------------------- */

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct reading *reading = user;

    if (row->number >= reading->marks)
        return false;
    struct mark *mark = &reading->mark[row->number];
    if (mark->fetches < UINT8_MAX)
        mark->fetches++;
    mark->page |= row->page > 0;
    mark->over = !row->due_ms;
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    struct reading *reading = user;

    if (row->number >= reading->marks || row->verdict >= VERDICTS)
        return false;
    reading->mark[row->number].verdict = row->verdict;
    return true;
}

static struct overview_domain *domain_for(struct reading *reading,
                                          struct str name)
{
    uint64_t key = hash64(name, reading->scan->fingerprint_seed);
    struct overview_domain *domain = hashtable_get(&reading->domains, key);

    if (domain)
        return domain;
    domain = arena_new(&reading->overview->arena, sizeof(*domain));
    domain->name = arena_copy(&reading->overview->arena, name);
    hashtable_put(&reading->domains, key, domain);
    return domain;
}

static void note_refused(struct reading *reading, uint64_t fingerprint,
                         struct overview_domain *domain)
{
    if (reading->refused_count == reading->refused_room) {
        reading->refused_room =
            reading->refused_room ? 2 * reading->refused_room : 64;
        reading->refused =
            mem_resize(reading->refused,
                       reading->refused_room * sizeof(*reading->refused));
    }
    reading->refused[reading->refused_count++] =
        (struct refused){fingerprint, domain};
}

static void count_accepted(struct overview *overview,
                           struct overview_domain *domain,
                           const struct mark *mark)
{
    bool waits = !mark->over && mark->verdict == ACCEPT;

    domain->pages += mark->page;
    domain->fetches += mark->fetches;
    domain->queued += waits;
    overview->queued += waits;
    overview->retrying += waits && mark->fetches;
}

static void count_refused(struct overview *overview,
                          struct overview_domain *domain, enum verdict verdict)
{
    domain->refused++;
    domain->capped |= verdict == DOMAIN_CAP;
    overview->refused++;
}

static bool is_of_the_page(enum verdict verdict)
{
    return verdict == ACCEPT || verdict == DOMAIN_CAP ||
           verdict == ROBOTS_REFUSED || verdict == ROBOTS_UNKNOWN ||
           verdict == HOST_DEAD;
}

static bool read_url(void *user, const struct store_url *row)
{
    struct reading *reading = user;
    struct page_link link;

    if (row->number >= reading->marks || row->verdict >= VERDICTS)
        return false;
    if (row->verdict == EXTERNAL || row->kind != TARGET_PAGE)
        return true;
    arena_clear(&reading->arena);
    if (pagescanner_link(&link, &reading->arena, row->url, NULL, NULL,
                         reading->scan))
        return false;
    const struct mark *mark = &reading->mark[row->number];
    struct overview_domain *domain = domain_for(reading, row->domain);
    enum verdict verdict = (enum verdict)row->verdict;
    if (!is_of_the_page(verdict)) {
        note_refused(reading, link.fingerprint, domain);
        return true;
    }
    seen_add(&reading->judged, link.fingerprint);
    if (verdict == ACCEPT) {
        count_accepted(reading->overview, domain, mark);
        verdict = (enum verdict)mark->verdict;
    }
    if (verdict != ACCEPT)
        count_refused(reading->overview, domain, verdict);
    return true;
}

static void count_late(struct reading *reading)
{
    for (size_t i = 0; i < reading->refused_count; i++)
        if (seen_add(&reading->judged, reading->refused[i].fingerprint))
            count_refused(reading->overview, reading->refused[i].domain,
                          EXTERNAL);
}

/* --- domains ------------------------------------------------------------ */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_size(const void *a, const void *b)
{
    const struct overview_domain *one = a, *other = b;
    int order = compare(other->pages, one->pages);

    if (!order)
        order = compare(other->queued, one->queued);
    if (!order)
        order = compare(other->refused, one->refused);
    return order ? order : strcmp(one->name.ptr, other->name.ptr);
}

static void list_domains(struct reading *reading)
{
    struct overview *overview = reading->overview;
    struct overview_domain *domain;

    overview->domain =
        mem_array(reading->domains.count + 1, sizeof(*overview->domain));
    for (size_t at = 0; (domain = hashtable_next(&reading->domains, &at));) {
        domain->capped |= reading->max_per_domain &&
                          domain->fetches >= reading->max_per_domain;
        overview->domains_capped += domain->capped;
        overview->domain[overview->domains++] = *domain;
    }
    qsort(overview->domain, overview->domains, sizeof(*overview->domain),
          by_size);
}

/* --- all of it ---------------------------------------------------------- */

bool overview_read(struct overview *overview, struct store *store,
                   uint64_t max_per_domain, const struct scan_options *scan,
                   struct store_error *error)
{
    struct reading reading = {
        .overview = overview,
        .scan = scan,
        .max_per_domain = max_per_domain,
    };
    const struct store_reader reader = {
        .user = &reading,
        .begin = begin,
        .setting = read_setting,
        .host = read_host,
        .fetch = read_fetch,
        .refusal = read_refusal,
        .url = read_url,
    };

    *overview = (struct overview){0};
    arena_init(&overview->arena);
    arena_init(&reading.arena);
    hashtable_init(&reading.domains);
    hashtable_init(&reading.hosts);
    seen_init(&reading.judged);
    bool good = store_load(store, &reader, error);
    if (good) {
        count_late(&reading);
        list_domains(&reading);
        list_hosts(&reading);
    }
    seen_release(&reading.judged);
    hashtable_release(&reading.hosts);
    hashtable_release(&reading.domains);
    arena_release(&reading.arena);
    free(reading.refused);
    free(reading.mark);
    return good;
}

void overview_release(struct overview *overview)
{
    free(overview->domain);
    free(overview->host);
    free(overview->slow_host);
    arena_release(&overview->arena);
}
