/* A worker: a thread with one event loop and many fetches in flight.
 *
 * It fetches pages, scans them, prepares to save them, and sends each one back
 * to the crawler thread. It decides nothing.
 */
#ifndef CRAWLER_WORKER_H
#define CRAWLER_WORKER_H

#include "crawler/mailbox.h"
#include "frontier/address.h"
#include "frontier/target.h"
#include "page/archived_page.h"
#include "page/pagefetcher.h"
#include "page/pagerecorder.h"
#include "page/pagesaver.h"
#include "page/pagescanner.h"
#include "web/robots.h"

enum job_kind {
    JOB_FETCH,   /* fetch the page; comes back when it is done */
    JOB_NEED,    /* keep the host's connection, or not; does not come back */
    JOB_SCAN,    /* read a page that was saved, and scan it again; comes back */
    JOB_ABANDON, /* end all fetches now; does not come back */
    JOB_QUIT,    /* the last one; does not come back */
};

/* A page that was saved, as the record has it. */
struct saved {
    uint32_t page; /* its number */
    uint64_t size, digest;
    struct str mime, head; /* page/head_lines.h */
    struct archived_page
        archived; /* where it is, if the archive alone has it */
};

struct relaxed;

/* The message between the crawler thread and a worker, both ways. */
struct job {
    struct message message;
    enum job_kind kind;
    unsigned worker; /* the index of the worker that has it */
    struct target *target;
    struct webpage page;
    struct robots *robots;   /* the rules, of a robots.txt */
    bool is_told;            /* another machine of the fleet has fetched it */
    struct saved saved;      /* of a JOB_SCAN */
    struct relaxed *relaxed; /* the same; see crawler/relax.c */
    /* of a look-up */
    struct str name;
    unsigned address_turn; /* which of the name's addresses is wanted */
    bool tried_before;     /* ask again, even if the cache has a failure */
    bool address_found;
    bool name_servers_failed; /* if not found: nobody knows whether it exists */
    struct ip ip;
};

struct worker_options {
    struct fetch_options fetch;
    struct scan_options scan;
    struct pagesaver *saver;       /* where pages go */
    struct pagerecorder *recorder; /* makes an archive's records; or NULL */
    struct str robots_agent;       /* our name in robots.txt */
    bool want_digests;             /* of saved pages, for the record */
    bool archive_only; /* the archive is all that is saved of a page */
};

struct worker;

/* `options` must outlive the worker; done jobs go to `results`. NULL with
 * errno. */
struct worker *worker_start(const struct worker_options *options,
                            struct mailbox *results);

/* Send the jobs; `jobs` is empty after. */
void worker_put(struct worker *worker, struct messages *jobs);

/* Wait for the thread, which has been told to quit, and free it. */
void worker_join(struct worker *worker);

#endif
