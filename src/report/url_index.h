/* Finding URLs in a record, and everything that is recorded of a few.
 *
 *     struct url_index index;
 *     url_index_read(&index, store, &scan, &error);
 *     struct url_details details = {.number = url_index_find(&index, &link)};
 *     url_index_fill(&index, store, &details, 1, &error);
 *     url_index_release(&index);
 *
 * A record is a journal without an index, so it is read twice: once for a few
 * words on every URL, once for the rows of those that are asked for.
 */
#ifndef REPORT_URL_INDEX_H
#define REPORT_URL_INDEX_H

#include "page/pagescanner.h"
#include "store/fold.h"

struct url_index {
    const struct scan_options *scan;
    struct arena arena;      /* texts of details */
    struct url_entry *entry; /* by number */
    uint64_t entries;
    struct redirect *redirect;
    size_t redirects, redirect_room;
};

/* Everything that is recorded of one URL; texts live as long as the index. */
struct url_details {
    uint64_t number; /* 0: none */
    struct url_record record;
    struct store_url row;         /* of the record */
    struct store_fetch fetch;     /* the last, if there was one */
    struct store_refusal refusal; /* the last, if it was refused late */
};

/* False with `error`. In either case release it. `scan` must outlive it; its
 * seed is that of the fingerprints. */
bool url_index_read(struct url_index *index, struct store *store,
                    const struct scan_options *scan, struct store_error *error);
void url_index_release(struct url_index *index);

/* The number of a URL, or 0. If a page has several records, the best: queued
 * before refused, this very spelling before another one, the later before the
 * earlier. Sitemaps come last. */
uint64_t url_index_find(const struct url_index *index,
                        const struct page_link *link);

/* The number of the URL that was saved as this page, or 0. */
uint64_t url_index_page(const struct url_index *index, uint32_t page);

/* The page where it was found last; the URL that redirected to it, and the one
 * that it redirected to. 0: none. */
uint32_t url_index_referrer(const struct url_index *index, uint64_t number);
uint64_t url_index_via(const struct url_index *index, uint64_t number);
uint64_t url_index_target(const struct url_index *index, uint64_t number);

/* How many queued URLs a breadth-first crawl takes before this one. */
uint64_t url_index_before(const struct url_index *index, uint64_t number);

/* Fill in all that have a number. */
bool url_index_fill(struct url_index *index, struct store *store,
                    struct url_details *details, size_t count,
                    struct store_error *error);

#endif
