/* The crawler: runs one crawl from its seeds to its end.
 *
 *     seeds -> validator -> frontier -> pagefetcher -> pagescanner
 *                  ^                                        |
 *                  +---------- links found ----------- pagesaver
 *
 * The thread that calls crawler_run is the crawler thread (the source documents
 * call it the validator thread): it offers the seeds, gives targets to the
 * workers while rules and limits allow, and handles the results. Only this
 * thread decides.
 */
#ifndef CRAWLER_CRAWLER_H
#define CRAWLER_CRAWLER_H

#include "crawler/archivist.h"
#include "crawler/logr.h"
#include "crawler/reasons.h"
#include "crawler/stats.h"
#include "crawler/worker.h"
#include "frontier/frontier.h"
#include "store/store.h"
#include "view/view.h"
#include "web/scope.h"

struct fleet; /* crawler/fleet.h */

/* The usual canonical_bytes_max: some 100,000 pages. */
enum { CANONICAL_BYTES_MAX = 32 << 20 };

struct crawl_progress {
    const struct stats *stats;
    struct frontier_counts counts;
    struct host_in_setup in_setup;
    struct idle idle;
    uint64_t now_ms, elapsed_ms;
    uint64_t slowest_ms; /* what frontier_slowest_ms says */
    bool stopping;
    bool paused; /* by order */
};

/* Ask for the heads of pages first (HEAD). Where that answer is not enough, ask
 * again by GET, whose body counts only if it is wanted. */
struct head_check {
    void *user;
    bool (*is_enough)(void *user, const struct webpage *page);
    bool (*is_body_wanted)(void *user, struct str url);
};

struct crawl_options {
    const struct page_link *seeds;
    size_t seed_count;
    struct scope *scope;        /* only the crawler thread uses it */
    enum scope_kind scope_kind; /* of the seeds; SCOPE_KINDS: of none */
    /* URLs that seeds redirected to in earlier runs: see handle_seed.c. */
    const struct page_link *moved;
    size_t moved_count;
    struct filter *filter; /* the user's rules; or NULL */
    const char *dir_path;
    int dir_fd;

    const char *const *sitemaps; /* URLs, NULL at the end, or NULL */
    bool robots_sitemaps;        /* also those that robots.txt names */

    struct frontier_options frontier;
    struct worker_options worker;
    const char *dns_servers; /* as of dns_servers_parse; NULL: the system's */
    const struct head_check
        *head_check; /* NULL: ask for all of a page at once */
    uint32_t max_depth;
    /* A crawl that goes on deeper: pages of this depth, and deeper, with URLs
     * up to this number were fetched when that was the limit, so their links
     * were not offered. UINT32_MAX: there are none. */
    uint32_t deepen_from;
    uint64_t deepen_last; /* 0: all URLs of the record */
    bool keep_depths;     /* see validator_keep_depths */
    uint32_t max_redirects;
    uint32_t retries;
    uint32_t fetches_max, threads;
    uint64_t max_pages;   /* UINT64_MAX: no limit */
    uint64_t max_bytes;   /* of all pages; UINT64_MAX: no limit */
    uint64_t max_time_ms; /* UINT64_MAX: no limit */
    uint64_t limit_rate;  /* bytes a second; UINT64_MAX: no limit */
    /* For the memory of pages that gave way (`canonical`) to a URL that has not
     * ended yet. */
    size_t canonical_bytes_max;

    const struct archive_options *archive; /* keep all exchanges; or NULL */
    /* Files of the archive of the crawl that this one replaces. */
    const struct archive_old *old_archive;

    struct store *store;        /* for the record, or NULL */
    struct fleet *fleet;        /* this is a machine of it; or NULL */
    const char *record_label;   /* where it is, for messages */
    const char *emptied_record; /* the first page empties it; or NULL */
    /* Settings to add when a crawl is resumed, or NULL. */
    const struct store_batch *new_facts;
    bool resume;         /* go on with the crawl in the store */
    bool resume_unclean; /* it was killed: files may exist without a row */
    bool retry_failed;   /* ask again for URLs that may answer now */
    bool links;          /* record all links of saved pages */
    bool canonical;      /* pages give way to what they name as their own */
    bool requisites;     /* fetch what pages need to be shown */
    bool replaces;       /* the first page replaces another crawl */
    bool ledger;         /* the store wants the URL of each fetch, too */
    uint64_t save_every_ms;

    struct view *view; /* shows the crawl and takes orders, or NULL */
    struct logr *log;
    struct reasons *reasons; /* collects why there is no page, or NULL */
    int signal_fd;           /* first signal: stop; second: at once. -1: none */
    void (*on_progress)(void *user, const struct crawl_progress *progress);
    /* SIGUSR1 came; or NULL. */
    void (*on_status_signal)(void *user, const struct crawl_progress *progress);
    void *user;
    uint32_t progress_ms; /* interval of on_progress; 0: never */
};

/* The values are the program's exit statuses. */
enum crawl_end {
    CRAWL_FINISHED = 0,
    CRAWL_FAILED = 1,  /* a file could not be written or read back */
    CRAWL_STOPPED = 3, /* by a signal or a limit */
    CRAWL_NOTHING = 4, /* not a single page was saved */
    CRAWL_UNREAD = 63, /* stopped by a signal before its record was read, which
                          is as it was; there are no figures */
    CRAWL_REJOIN = 64, /* never an exit status: the program starts again to join
                          its fleet anew */
};

/* Without `resume` the caller has put the seeds and options into a new store.
 * With `resume` the caller has told the pagesaver its last page. */
enum crawl_end crawler_run(const struct crawl_options *options,
                           struct stats *stats);

#endif
