#include "report/details.h"

#include "frontier/target.h"
#include "frontier/verdict.h"
#include "robots/robots.h"
#include "url/key.h"

/* --- finding ------------------------------------------------------------ */

struct search {
    const struct page_link *link;
    const struct scan_options *scan;
    struct arena arena; /* of one URL */
    uint64_t found;     /* the best so far, or 0 */
    unsigned found_rank;
};

static unsigned rank(const struct search *search, const struct url_record *url)
{
    const struct store_url *row = url->row;
    enum verdict verdict = (enum verdict)row->verdict;

    return (row->kind == TARGET_PAGE ? 16u : 0) + (verdict == ACCEPT ? 8u : 0) +
           (verdict_basis(verdict) == BASIS_PAGE ? 4u : 0) +
           (str_eq(row->url, search->link->url.href) ? 2u : 0) +
           (url->page ? 1u : 0);
}

static bool compare_url(void *user, const struct url_record *url)
{
    struct search *search = user;
    struct page_link link;

    arena_clear(&search->arena);
    if (url->row->kind > TARGET_SITEMAP ||
        pagescanner_link(&link, &search->arena, url->row->url, NULL, NULL,
                         search->scan))
        return false;
    if (url->end == URL_NONE || link.fingerprint != search->link->fingerprint)
        return true;
    unsigned own_rank = rank(search, url);
    if (!search->found || own_rank >= search->found_rank) {
        search->found = url->row->number;
        search->found_rank = own_rank;
    }
    return true;
}

bool url_find(struct store *store, const struct page_link *link,
              const struct scan_options *scan, uint64_t *number,
              struct store_error *error)
{
    struct search search = {.link = link, .scan = scan};
    const struct fold_reader reader = {
        .rows.user = &search,
        .pages = true,
        .url = compare_url,
    };

    arena_init(&search.arena);
    bool good = store_fold(store, 0, &reader, error);
    arena_release(&search.arena);
    *number = search.found;
    return good;
}

/* --- everything of one URL ---------------------------------------------- */

struct reading {
    struct url_details *details;
    uint64_t number;
    struct arena *arena;
};

static bool read_fetch(void *user, const struct store_fetch *row)
{
    const struct reading *reading = user;

    if (row->number == reading->number) {
        reading->details->fetch = *row;
        row_copy_texts(ROW_fetch, &reading->details->fetch, reading->arena);
    }
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    const struct reading *reading = user;

    if (row->number == reading->number)
        reading->details->refusal = *row;
    return true;
}

static bool read_url(void *user, const struct url_record *url)
{
    const struct reading *reading = user;
    struct url_details *details = reading->details;

    if (url->row->number == reading->number) {
        details->row = *url->row;
        row_copy_texts(ROW_url, &details->row, reading->arena);
        details->record = *url;
        details->record.row = &details->row;
    }
    return true;
}

bool url_details_read(struct url_details *details, uint64_t number,
                      struct store *store, struct arena *arena,
                      struct store_error *error)
{
    struct reading reading = {details, number, arena};
    const struct fold_reader reader = {
        .rows = {.user = &reading,
                 .unchecked = true,
                 .fetch = read_fetch,
                 .refusal = read_refusal},
        .pages = true,
        .url = read_url,
    };

    *details = (struct url_details){0};
    return store_fold(store, 0, &reader, error);
}

/* --- other URLs --------------------------------------------------------- */

struct comparison {
    struct url_neighbours *neighbours;
    const struct url_record *url;
};

static bool read_other(void *user, const struct url_record *other)
{
    const struct comparison *comparison = user;
    const struct url_record *url = comparison->url;

    if (url->referrer && other->page == url->referrer)
        comparison->neighbours->page = other->row->number;
    comparison->neighbours->before +=
        other->end == URL_QUEUED &&
        (other->depth < url->depth ||
         (other->depth == url->depth && other->row->number < url->row->number));
    return true;
}

bool url_neighbours_read(struct url_neighbours *neighbours,
                         const struct url_record *url, struct store *store,
                         struct store_error *error)
{
    struct comparison comparison = {neighbours, url};
    const struct fold_reader reader = {
        .rows = {.user = &comparison, .unchecked = true},
        .pages = true,
        .url = read_other,
    };

    *neighbours = (struct url_neighbours){0};
    return store_fold(store, 0, &reader, error);
}

/* --- its host ----------------------------------------------------------- */

struct host_reading {
    struct host_details *host;
    const struct url *url;
    struct str agent;
    unsigned line;
    struct arena *arena;
    bool matched; /* `rules` refuse the URL by that line */
};

/* Hosts are recorded without a final dot. */
static bool is_host_of(const struct url *url, struct str name)
{
    struct str host = url_host(url);
    struct str port = str_skip(url_host_port(url), host.len);

    if (url_has_final_dot(url))
        host.len--;
    return name.len == host.len + port.len && str_starts(name, host) &&
           str_ends(name, port);
}

static struct store_robots keep_robots(const struct host_reading *reading,
                                       const struct store_robots *row)
{
    struct store_robots robots = *row;

    row_copy_texts(ROW_robots, &robots, reading->arena);
    return robots;
}

static bool allows(const struct store_robots *row, const struct url *url,
                   struct str agent, unsigned *line)
{
    *line = 0;
    if (!row->text.ptr || !agent.len)
        return true;
    struct robots *rules = robots_new(row->text, agent);
    bool allowed = robots_allows(rules, url_path_query(url), line);
    robots_free(rules);
    return allowed;
}

static bool read_robots(void *user, const struct store_robots *row)
{
    struct host_reading *reading = user;
    struct host_details *host = reading->host;
    unsigned line;

    if (row->outcome >= OUTCOMES)
        return false;
    if (row->https != reading->url->https ||
        !is_host_of(reading->url, row->host))
        return true;
    host->rules_failed = !row->known;
    if (!row->known) {
        host->failure = keep_robots(reading, row);
        return true;
    }
    bool matches = reading->line &&
                   !allows(row, reading->url, reading->agent, &line) &&
                   line == reading->line;
    if (reading->matched && !matches)
        return true;
    reading->matched = matches;
    host->has_rules = true;
    host->rules = keep_robots(reading, row);
    return true;
}

static bool read_host(void *user, const struct store_host *row)
{
    struct host_reading *reading = user;
    struct host_details *host = reading->host;

    if (row->outcome >= OUTCOMES)
        return false;
    if (!is_host_of(reading->url, row->name))
        return true;
    host->trouble = *row;
    row_copy_texts(ROW_host, &host->trouble, reading->arena);
    host->troubled =
        row->failures || row->mute || row->given_up || row->backoffs;
    return true;
}

bool host_details_read(struct host_details *host, struct store *store,
                       const struct url *url, struct str agent, unsigned line,
                       struct arena *arena, struct store_error *error)
{
    struct host_reading reading = {
        .host = host,
        .url = url,
        .agent = agent,
        .line = line,
        .arena = arena,
    };
    const struct store_reader reader = {
        .user = &reading,
        .robots = read_robots,
        .host = read_host,
    };

    *host = (struct host_details){0};
    return store_load(store, 0, &reader, error);
}

bool host_details_allows(const struct host_details *host, const struct url *url,
                         struct str agent, unsigned *line)
{
    *line = 0;
    return !host->has_rules || allows(&host->rules, url, agent, line);
}
