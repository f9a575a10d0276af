#include "report/url_details.h"

#include "frontier/target.h"
#include "frontier/verdict.h"

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

/* --- others ------------------------------------------------------------- */

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
