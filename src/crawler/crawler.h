/* The crawler: the path of a page, driven by the crawler thread.
 *
 *     seeds -> validator -> frontier -> pagefetcher -> pagescanner
 *                  ^                                        |
 *                  +---------- links found ----------- pagesaver
 *
 * crawler_run is the crawler thread: it offers the seeds, gives targets
 * to the workers while rules and limits allow, and judges what comes back.
 */
#ifndef CRAWLER_CRAWLER_H
#define CRAWLER_CRAWLER_H

#include "crawler/logr.h"
#include "crawler/reasons.h"
#include "crawler/stats.h"
#include "crawler/worker.h"
#include "frontier/frontier.h"
#include "page/pagedir.h"
#include "store/store.h"
#include "url/scope.h"

struct crawl_progress {
    const struct stats *stats;
    struct frontier_counts counts;
    struct host_in_setup in_setup;
    struct idle idle;
    uint64_t now_ms, elapsed_ms;
    bool stopping;
};

struct crawl_options {
    const struct page_link *seeds;
    size_t seed_count;
    const struct scope *scope;
    const char *dir_path;

    const char *const *sitemaps; /* URLs, NULL at the end, or NULL */
    bool robots_sitemaps;        /* also those that robots.txt names */

    struct frontier_options frontier;
    struct worker_options worker;
    uint32_t max_depth;
    uint32_t max_redirects;
    uint32_t retries;
    uint32_t fetches_max, threads;
    uint64_t max_pages;   /* UINT64_MAX: no limit */
    uint64_t max_time_ms; /* UINT64_MAX: no limit */

    struct store *store;        /* remembers the crawl, or NULL */
    const char *record_label;   /* where that is, for messages */
    const char *emptied_record; /* by the first page, if not NULL */
    /* Settings that are added when the crawl goes on, or NULL. */
    const struct store_batch *new_facts;
    bool resume;         /* what it remembers goes on; the seeds are known */
    bool resume_unclean; /* it was killed: there may be more than it knows */
    bool links;          /* it remembers all links too */
    bool replaces;       /* the first page replaces another crawl */
    uint64_t save_every_ms;

    struct logr *log;
    struct reasons *reasons; /* why there is no page, or NULL */
    int signal_fd;           /* readable: stop; twice: at once. -1: none */
    void (*on_progress)(void *user, const struct crawl_progress *progress);
    void (*on_asked)(void *user, const struct crawl_progress *progress);
    void *user;           /* on_asked: SIGUSR1 came */
    uint32_t progress_ms; /* how often at least; 0: never */
};

/* The values are the program's exit statuses. */
enum crawl_end {
    CRAWL_FINISHED = 0,
    CRAWL_FAILED = 1,  /* a page or the log could not be written */
    CRAWL_STOPPED = 3, /* told to, or a limit was reached */
    CRAWL_NOTHING = 4, /* not a single page */
};

/* With a store and without `resume`, the store is new and holds the seeds and
 * options. With `resume` the pagesaver knows its last page. */
enum crawl_end crawler_run(const struct crawl_options *options,
                           struct stats *stats);

#endif
