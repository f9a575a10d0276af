/* The pagerecorder: makes the records of an archive out of an exchange.
 *
 * A worker calls it for every page that has come back, when the page was
 * scanned and while the bytes of its exchange are at hand:
 *
 *     pagerecorder_record(recorder, page);   sets page->pair
 *     pagefetcher_give_back(fetcher, page);
 *
 * The crawler thread gives the pair its place in a file. webpage_drop_pair
 * frees it, and so does the next use of the webpage.
 *
 * Kept is every exchange whose response has a whole head: pages of any outcome,
 * redirects, errors, robots.txt, sitemaps, fetches that will be tried again.
 * Not kept is what asks for that: a page with noindex (which is not saved
 * either) and whatever has noarchive. If no robots are obeyed, nothing asks.
 *
 * Bodies of all types are kept, in any coding. A body that is larger than a
 * page may be is kept up to that size, marked as cut. One that is in a spool is
 * kept as it was sent.
 */
#ifndef PAGE_PAGERECORDER_H
#define PAGE_PAGERECORDER_H

#include <stdatomic.h>

#include "archive/warc_write.h"
#include "page/bodies.h"
#include "page/webpage.h"

enum {
    /* The bytes of an exchange that a record needs. */
    PAGERECORDER_WISHES = WISH_REQUEST_HEAD | WISH_RESPONSE_HEAD | WISH_PEER |
                          WISH_EVERY_BODY | WISH_TLS,
};

/* Shared by all workers. Only pagerecorder.c changes it. */
struct pagerecorder {
    struct warc_style style;
    int64_t wall_less_ms; /* wall clock minus monotonic clock, once for the
                           * whole run: so dates never go backwards */
    struct body_budget *budget;   /* what is large counts there; or NULL */
    atomic_uint_fast64_t counter; /* of the last pair */
};

void pagerecorder_init(struct pagerecorder *recorder,
                       const struct warc_style *style, int64_t wall_less_ms,
                       struct body_budget *budget);

/* Is it a page, or a file in the place of one, that asks not to be indexed? */
bool pagerecorder_is_noindex(const struct webpage *page);

/* On any worker, several at a time. page->pair stays NULL if nothing is kept.
 * If a large body cannot be written, the outcome is NOT_SAVED, with
 * page->save_errno. */
void pagerecorder_record(struct pagerecorder *recorder, struct webpage *page);

#endif
