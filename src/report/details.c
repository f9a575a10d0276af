#include "report/details.h"

#include "frontier/target.h"
#include "frontier/verdict.h"
#include "web/normalize.h"
#include "web/robots.h"

/* --- a URL ------------------------------------------------------------- */

struct search {
    struct url_details *details; /* of the best record so far */
    unsigned rank;               /* of that one */
    const struct page_link *link;
    const struct report *report;
    struct arena *arena;
    struct arena row_arena; /* cleared for each row */
};

/* A page before all else, but a requisite before a page that was refused,
 * failed or was not kept: it may be an image that is linked too. */
static unsigned class_of(const struct url_record *url)
{
    if (url->row->kind == TARGET_PAGE)
        return url->end == URL_FAILED || url->end == URL_NOT_KEPT ? 8 : 16;
    return url->row->kind == TARGET_REQUISITE && url->row->verdict == ACCEPT
               ? 12
               : 0;
}

static unsigned rank(const struct search *search, const struct url_record *url)
{
    const struct store_url *row = url->row;
    enum verdict verdict = (enum verdict)row->verdict;

    return class_of(url) + (verdict == ACCEPT ? 8u : 0) +
           (verdict_basis(verdict) == BASIS_PAGE ? 4u : 0) +
           (str_eq(row->url, search->link->url.href) ? 2u : 0) +
           (url->page ? 1u : 0);
}

static void take_record(struct url_details *details,
                        const struct url_record *url)
{
    details->record = *url;
    details->record.row = NULL;
}

static bool compare_url(void *user, const struct url_record *url)
{
    struct search *search = user;
    struct url_details *details = search->details;
    struct page_link link;

    arena_clear(&search->row_arena);
    if (url->row->kind > TARGET_REQUISITE ||
        pagescanner_link(&link, &search->row_arena, url->row->url, NULL, NULL,
                         &search->report->scan))
        return false;
    if (url->end == URL_NONE || link.fingerprint != search->link->fingerprint)
        return true;
    unsigned own_rank = rank(search, url);
    if (details->row.number && own_rank < search->rank)
        return true;
    search->rank = own_rank;
    details->row = *url->row;
    row_copy_texts(ROW_url, &details->row, search->arena);
    take_record(details, url);
    return true;
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    const struct search *search = user;
    struct url_details *details = search->details;

    if (row->number == details->row.number) {
        details->fetch = *row;
        row_copy_texts(ROW_fetch, &details->fetch, search->arena);
    }
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    const struct search *search = user;

    if (row->number == search->details->row.number)
        search->details->refusal = *row;
    return true;
}

static bool read_other(void *user, const struct url_record *other)
{
    const struct search *search = user;
    struct url_details *details = search->details;
    const struct url_record *url = &details->record;

    if (other->row->number == details->row.number)
        take_record(details, other); /* a crawl at work may have written more */
    if (url->referrer && other->page == url->referrer)
        details->referrer = other->row->number;
    details->before += other->end == URL_QUEUED &&
                       (other->depth < url->depth ||
                        (other->depth == url->depth &&
                         other->row->number < details->row.number));
    return true;
}

/* The URL of the page where it was found. The nesting of a sitemap is no page.
 */
static void find_referrer(struct url_details *details, struct report *report,
                          struct arena *arena)
{
    uint32_t page = details->record.referrer;
    struct store_url row;

    if (!page || details->row.kind == TARGET_SITEMAP)
        return;
    if (details->referrer &&
        store_find_url(report->store, details->referrer, &row))
        details->referrer_url = arena_copy(arena, row.url);
    else if (report->find_page)
        details->referrer_url = report->find_page(report, page, arena);
}

bool url_details_are_whole(const struct url_details *details)
{
    return details->row.number &&
           (!details->record.referrer || details->referrer_url.len ||
            details->row.kind == TARGET_SITEMAP);
}

/* In what `store` has now. */
static bool read_details(struct url_details *details, struct report *report,
                         const struct page_link *link, struct arena *arena)
{
    struct search search = {
        .details = details,
        .link = link,
        .report = report,
        .arena = arena,
    };
    const struct fold_reader finder = {
        .rows.user = &search,
        .pages = true,
        .url = compare_url,
    };
    /* Digests need not be checked twice. */
    const struct fold_reader reader = {
        .rows = {.user = &search,
                 .unchecked = true,
                 .fetch = read_fetch,
                 .refusal = read_refusal},
        .pages = true,
        .url = read_other,
    };

    *details = (struct url_details){0};
    arena_init(&search.row_arena);
    bool good = store_fold(report->store, 0, &finder, &report->error) &&
                (!details->row.number ||
                 store_fold(report->store, 0, &reader, &report->error));
    arena_release(&search.row_arena);
    if (good)
        find_referrer(details, report, arena);
    return good;
}

bool url_details_read(struct url_details *details, struct report *report,
                      const struct page_link *link, const struct url *from,
                      struct arena *arena)
{
    report_turn_to(report, &link->url);
    if (!read_details(details, report, link, arena))
        return false;
    if (details->row.number || !from || !report->turn_to)
        return true;
    report_turn_to(report, from);
    return read_details(details, report, link, arena);
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
    if (row->known) {
        bool matches = reading->line &&
                       !allows(row, reading->url, reading->agent, &line) &&
                       line == reading->line;
        if (reading->matched && !matches)
            return true;
        reading->matched = matches;
        host->has_rules = true;
    }
    struct store_robots *kept = row->known ? &host->rules : &host->failure;
    *kept = *row;
    row_copy_texts(ROW_robots, kept, reading->arena);
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

bool host_details_read(struct host_details *host, struct report *report,
                       const struct url *url, unsigned line,
                       struct arena *arena)
{
    struct host_reading reading = {
        .host = host,
        .url = url,
        .agent = report->scan.robots_agent,
        .line = line,
        .arena = arena,
    };
    const struct store_reader reader = {
        .user = &reading,
        .robots = read_robots,
        .host = read_host,
    };

    *host = (struct host_details){0};
    report_turn_to(report, url);
    return store_load(report->store, 0, &reader, &report->error);
}

bool host_details_allows(const struct host_details *host, const struct url *url,
                         struct str agent, unsigned *line)
{
    *line = 0;
    return !host->has_rules || allows(&host->rules, url, agent, line);
}
