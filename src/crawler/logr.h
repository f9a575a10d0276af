/* The log on standard output, in the form that the user asked for.
 *
 * LOG_TSE is the course's: one line an event, always
 *     "%2d %*s%9s: %s\n" of depth, depth, "", word, url
 * so that grep is a test tool. LOG_JSON is one object a page. LOG_PAGES is one
 * line a saved page: time, priority, depth, size, URL, under a header. All of a
 * page is written in one go by the crawler thread, so pages never mix.
 */
#ifndef CRAWLER_LOGR_H
#define CRAWLER_LOGR_H

#include <stdio.h>

#include "base/buf.h"
#include "crawler/stats.h"
#include "frontier/target.h"
#include "page/pagesaver.h"
#include "page/webpage.h"

enum log_kind { LOG_TSE, LOG_JSON, LOG_PAGES, LOG_NONE };

struct logr {
    FILE *out;
    enum log_kind kind;
    bool verbose;
    bool quiet;                    /* not even a note */
    bool header_written;           /* LOG_PAGES */
    const struct pagesaver *saver; /* knows the referrers' URLs */
    struct buf line;

    /* For a progress line, or NULL: take it away, something will be shown. */
    void (*make_room)(void *user);
    void *user;
    bool out_needs_room; /* the log goes to the same terminal */
};

void logr_init(struct logr *log, FILE *out, enum log_kind kind, bool verbose,
               const struct pagesaver *saver);
void logr_release(struct logr *log);

/* Unless --quiet: what the user should know of the crawl as a whole. */
void logr_note(struct logr *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* With --verbose: why a fetch that is over gave nothing, if it did. */
void logr_failure(struct logr *log, const struct webpage *page);

/* A fetch of a page has ended for good; `id` is its page's number, 0 for none.
 */
void logr_page(struct logr *log, const struct webpage *page, uint32_t id);

/* Its turn came, but target->verdict says why it is not fetched. */
void logr_refused(struct logr *log, const struct target *target,
                  uint64_t wall_ms);

/* A fetch has ended and will be tried again. */
void logr_retry(struct logr *log, const struct webpage *page, uint64_t wait_ms);

/* A link of it was judged. */
void logr_link(struct logr *log, const struct webpage *page, struct str url,
               enum verdict verdict);

/* All links of it are judged. */
void logr_page_end(struct logr *log, const struct webpage *page,
                   const struct target *target, uint32_t id,
                   const struct tally *tally, uint64_t wall_ms);

/* To be called before anything is written to standard error. */
void logr_make_room(struct logr *log);

/* Let the reader see what there is; called before the crawler thread waits.
 * False if it could not be written. */
bool logr_flush(struct logr *log);

#endif
