#include "report/totals.h"

#include <stdlib.h>

#include "base/mem.h"

struct reading {
    struct totals *totals;
    const struct report *report;
    struct hashtable domains, hosts;
    struct equal_pages equal;
};

static void *entry_for(struct reading *reading, struct hashtable *table,
                       struct str name, size_t size)
{
    return report_entry(table, &reading->totals->arena, name,
                        reading->report->scan.fingerprint_seed, size);
}

/* --- rows --------------------------------------------------------------- */

static bool read_host(void *user, const struct store_host *row)
{
    struct reading *reading = user;
    struct store_host *host =
        entry_for(reading, &reading->hosts, row->name, sizeof(*host));
    struct str name = host->name;

    *host = *row;
    host->name = name;
    return row->outcome < OUTCOMES;
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct reading *reading = user;

    if (row->page) {
        reading->totals->bytes += row->size;
        equal_add(&reading->equal, row);
    }
    reading->totals->noarchive += row->noarchive;
    return true;
}

static bool read_archive(void *user, const struct store_archive *row)
{
    struct reading *reading = user;

    reading->totals->archives++;
    reading->totals->archive_bytes += row->start;
    return true;
}

static bool read_capture(void *user, const struct store_capture *row)
{
    struct reading *reading = user;

    reading->totals->captures++;
    reading->totals->revisits += row->kind == CAPTURE_REVISIT;
    reading->totals->archive_bytes += row->length + row->request_length;
    return true;
}

static void add_kind(struct totals *totals, struct totals_kind *kind,
                     const struct url_record *url)
{
    if (!kind->count++)
        kind->example = arena_copy(&totals->arena, url->row->url);
}

static bool read_url(void *user, const struct url_record *url)
{
    struct reading *reading = user;
    struct totals *totals = reading->totals;

    if (url->outcome >= OUTCOMES || url->verdict >= VERDICTS)
        return false;
    if (url->row->kind == TARGET_REQUISITE)
        totals->requisites[url->end]++;
    if (url->row->kind != TARGET_PAGE)
        return true;
    totals->ends[url->end]++;
    if (url->end == URL_NONE || url->end == URL_OUTSIDE)
        return true;
    struct totals_domain *domain = entry_for(reading, &reading->domains,
                                             url->row->domain, sizeof(*domain));
    domain->ends[url->end]++;
    domain->fetches += url->fetches;
    domain->capped |= url->end == URL_REFUSED && url->verdict == DOMAIN_CAP;
    if (url->end == URL_NOT_KEPT)
        add_kind(totals, &totals->not_kept[url->outcome], url);
    /* The robots.txt of such a host was not even asked for. */
    else if (url->end == URL_FAILED &&
             (url->verdict == ACCEPT || url->outcome == PRIVATE_ADDRESS))
        add_kind(totals, &totals->failed[url->outcome], url);
    else if (url->end == URL_FAILED)
        add_kind(totals, &totals->not_asked[url->verdict], url);
    else if (url->end == URL_REFUSED)
        add_kind(totals, &totals->refused[url->verdict], url);
    totals->retrying += url->end == URL_QUEUED && url->fetches;
    totals->too_deep += url->end == URL_REFUSED && url->verdict == TOO_DEEP;
    totals->too_large += url->end == URL_NOT_KEPT && url->outcome == TOO_LARGE;
    return true;
}

/* --- lists -------------------------------------------------------------- */

static int by_host_name(const void *a, const void *b)
{
    const struct store_host *one = a, *other = b;

    return strcmp(one->name.ptr, other->name.ptr);
}

static void list_hosts(const struct reading *reading, struct totals_hosts *list,
                       bool given_up)
{
    const struct store_host *host;

    list->host = mem_array(reading->hosts.count + 1, sizeof(*list->host));
    for (size_t at = 0; (host = hashtable_next(&reading->hosts, &at));)
        if (host->given_up & GIVEN_UP_HOST ? given_up
                                           : !given_up && host->backoffs)
            list->host[list->count++] = *host;
    qsort(list->host, list->count, sizeof(*list->host), by_host_name);
}

static int by_size(const void *a, const void *b)
{
    static const enum url_end order[] = {URL_SAVED,   URL_QUEUED,
                                         URL_REFUSED, URL_NOT_KEPT,
                                         URL_FAILED,  URL_REDIRECTED};
    const struct totals_domain *one = a, *other = b;

    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        uint64_t ours = one->ends[order[i]], theirs = other->ends[order[i]];
        if (ours != theirs)
            return ours < theirs ? 1 : -1;
    }
    return strcmp(one->name.ptr, other->name.ptr);
}

static void list_domains(struct reading *reading)
{
    struct totals *totals = reading->totals;
    uint64_t cap = reading->report->frontier.max_per_domain;
    struct totals_domain *domain;

    totals->domain =
        mem_array(reading->domains.count + 1, sizeof(*totals->domain));
    for (size_t at = 0; (domain = hashtable_next(&reading->domains, &at));) {
        domain->capped |= cap && domain->fetches >= cap;
        totals->domains_capped += domain->capped;
        totals->domain[totals->domains++] = *domain;
    }
    qsort(totals->domain, totals->domains, sizeof(*totals->domain), by_size);
}

/* --- all of it ---------------------------------------------------------- */

bool totals_read(struct totals *totals, struct report *report)
{
    struct reading reading = {.totals = totals, .report = report};
    const struct fold_reader reader = {
        .rows =
            {
                .user = &reading,
                .host = read_host,
                .fetch = read_fetch,
                .archive = read_archive,
                .capture = read_capture,
            },
        .url = read_url,
    };

    *totals = (struct totals){0};
    arena_init(&totals->arena);
    hashtable_init(&reading.domains);
    hashtable_init(&reading.hosts);
    equal_init(&reading.equal);
    bool good = store_fold(report->store, 0, &reader, &report->error);
    if (good) {
        list_domains(&reading);
        list_hosts(&reading, &totals->given_up, true);
        list_hosts(&reading, &totals->backing_off, false);
    }
    totals->equal = reading.equal.count;
    equal_release(&reading.equal);
    hashtable_release(&reading.hosts);
    hashtable_release(&reading.domains);
    return good;
}

void totals_release(struct totals *totals)
{
    free(totals->domain);
    free(totals->given_up.host);
    free(totals->backing_off.host);
    arena_release(&totals->arena);
}
