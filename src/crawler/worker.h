/* A worker: a worker thread with one event loop and many fetches in flight.
 *
 * It fetches, scans, prepares to save, and sends each page back to the mind. It
 * decides nothing: what to fetch and what to do about the result is the mind's.
 */
#ifndef CRAWLER_WORKER_H
#define CRAWLER_WORKER_H

#include "crawler/mailbox.h"
#include "frontier/address.h"
#include "frontier/target.h"
#include "page/pagefetcher.h"
#include "page/pagesaver.h"
#include "page/pagescanner.h"
#include "robots/robots.h"

enum job_kind {
    JOB_FETCH,   /* fetch the page; comes back when it is done */
    JOB_ABANDON, /* end all fetches now; does not come back */
    JOB_QUIT,    /* the last one; does not come back */
};

/* What travels between the mind and a worker, both ways. */
struct job {
    struct message message;
    enum job_kind kind;
    unsigned worker; /* who has it */
    struct target *target;
    struct webpage page;
    struct robots *robots; /* of a robots.txt */
    struct str name;       /* to be looked up */
    unsigned address_turn; /* which of its addresses */
    bool address_found;    /* of a look-up */
    struct ip ip;
};

struct worker_options {
    struct fetch_options fetch;
    struct scan_options scan;
    struct pagesaver *saver; /* where pages go */
    struct str robots_agent; /* whose rules of robots.txt are ours */
    bool remember;           /* the mind wants digests to keep */
};

struct worker;

/* `options` must outlive the worker; done jobs go to `mind`. */
struct worker *worker_start(const struct worker_options *options,
                            struct mailbox *mind);

/* Send the jobs; `jobs` is empty after. */
void worker_put(struct worker *worker, struct messages *jobs);

/* To be called every now and then: a worker that libcurl keeps busy in one call
 * gets free of the server that does it. */
void worker_watch(struct worker *worker);

/* Wait for the thread, which has been told to quit, and free it. */
void worker_join(struct worker *worker);

#endif
