/* What became of every URL of a crawl, and all that is recorded of a few.
 *
 *     struct history history;
 *     history_read(&history, store, &scan, &error);
 *     struct fate fate = {.number = history_find(&history, &link)};
 *     history_fates(&history, store, &fate, 1, &error);
 *     history_release(&history);
 *
 * The store is a journal and has no index, so it is read twice: once for a few
 * words on every URL, and once for the rows of those that are asked for.
 */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "page/pagescanner.h"
#include "store/store.h"

struct history {
    const struct scan_options *scan;
    struct arena arena; /* texts of fates */
    struct mark *mark;  /* by number */
    uint64_t marks;
    struct redirect *redirect;
    size_t redirects, redirect_room;
};

/* All that is recorded of one URL; texts live as long as the history. */
struct fate {
    uint64_t number; /* 0: none */
    struct store_url row;
    uint32_t depth, referrer, found; /* as they were last */
    bool changed;                    /* since it was first seen */
    uint32_t fetches;
    struct store_fetch last; /* of the fetches */
    bool refused;            /* when its turn had come: */
    struct store_refusal refusal;
};

/* False with `error`. In either case release it. `scan` must outlive it; its
 * seed is that of the fingerprints. */
bool history_read(struct history *history, struct store *store,
                  const struct scan_options *scan, struct store_error *error);
void history_release(struct history *history);

/* The number of a URL, or 0. Of several records of one page the best: queued
 * before refused, this very spelling before another one, the later before the
 * earlier. Sitemaps come last. */
uint64_t history_find(const struct history *history,
                      const struct page_link *link);

/* The number of the URL that was saved as this page, or 0. */
uint64_t history_page(const struct history *history, uint32_t page);

/* The page where it was found last; the URL that redirected to it, and the one
 * that it redirected to. 0: none. */
uint32_t history_referrer(const struct history *history, uint64_t number);
uint64_t history_via(const struct history *history, uint64_t number);
uint64_t history_target(const struct history *history, uint64_t number);

/* Of the pages that are queued, how many a breadth-first crawl takes before
 * this one. */
uint64_t history_before(const struct history *history, uint64_t number);

/* Fill in all that have a number. */
bool history_fates(struct history *history, struct store *store,
                   struct fate *fate, size_t count, struct store_error *error);

#endif
