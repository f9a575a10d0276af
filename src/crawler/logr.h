/* The log on standard output, in the form that the user asked for.
 *
 * LOG_TSE is the course's form: one line for each event, always
 *     "%2d %*s%9s: %s\n" of depth, depth, "", word, url
 * so that grep is a test tool. LOG_JSON is one object for each page. LOG_PAGES
 * is one line for each saved page: time, priority, depth, size, URL, under a
 * header. The crawler thread writes all lines of a page at once, so pages never
 * mix.
 */
#ifndef CRAWLER_LOGR_H
#define CRAWLER_LOGR_H

#include <stdarg.h>

#include "base/buf.h"
#include "crawler/outlet.h"
#include "crawler/stats.h"
#include "frontier/target.h"
#include "page/pagesaver.h"
#include "page/webpage.h"

enum log_kind { LOG_TSE, LOG_JSON, LOG_PAGES, LOG_NONE };

struct logr {
    struct outlet out;
    enum log_kind kind;
    bool verbose;
    bool quiet;                    /* not even a note */
    bool archives;                 /* the crawl keeps exchanges */
    bool header_written;           /* LOG_PAGES */
    const struct pagesaver *saver; /* knows the referrers' URLs */
    struct buf line;

    /* Removes the progress line before other output; or NULL. */
    void (*make_room)(void *user);
    void *user;
    bool out_needs_room; /* the log goes to the same terminal */
};

void logr_init(struct logr *log, int out, enum log_kind kind, bool verbose,
               const struct pagesaver *saver);
void logr_release(struct logr *log);

/* A line on standard error about the crawl as a whole. */
void logr_print(struct logr *log, const char *format, va_list values)
    __attribute__((format(printf, 2, 0)));

/* The same, but not with --quiet. */
void logr_note(struct logr *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* With --verbose: why a fetch failed; nothing if it did not. */
void logr_failure(struct logr *log, const struct webpage *page);

/* A fetch ended and is not tried again; `id` is the page's number, or 0. */
void logr_page(struct logr *log, const struct webpage *page, uint32_t id);

/* The target is not fetched; target->verdict says why. */
void logr_refused(struct logr *log, const struct target *target,
                  uint64_t wall_ms);

/* A fetch failed and will be tried again. */
void logr_retry(struct logr *log, const struct webpage *page, uint64_t wait_ms);

/* A link of the page got its verdict. */
void logr_link(struct logr *log, const struct webpage *page, struct str url,
               enum verdict verdict);

/* All links of the page have their verdicts. */
void logr_page_end(struct logr *log, const struct webpage *page,
                   const struct target *target, uint32_t id,
                   const struct tally *tally, uint64_t wall_ms);

/* Write what the reader takes at once; called before the crawler thread waits.
 * False if the log could not be written. */
bool logr_flush(struct logr *log);

#endif
