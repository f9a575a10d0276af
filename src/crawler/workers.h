/* The worker threads, and the jobs that the crawler thread exchanges with them.
 *
 * New jobs are collected and sent together by workers_send. The pages of a host
 * go to the worker that has its connection. Work moves only where a worker has
 * nothing to do and another has a backlog.
 */
#ifndef CRAWLER_WORKERS_H
#define CRAWLER_WORKERS_H

#include "crawler/worker.h"

struct workers;

/* NULL with errno. */
struct workers *workers_start(unsigned count, unsigned fetches_max,
                              const struct worker_options *options);

/* Stop all workers, wait for them and free everything. No job may be in
 * flight. */
void workers_free(struct workers *workers);

/* May one more fetch start? */
bool workers_has_room(const struct workers *workers);
unsigned workers_busy(const struct workers *workers);

/* A job for a look-up of a name. The resolver does it; it comes back through
 * the inbox like the others, but does not count as a fetch. */
struct job *workers_lookup(struct workers *workers, struct target *target);
struct mailbox *workers_inbox(struct workers *workers);

/* The parts of a page that are wanted; see struct webpage. */
struct page_wishes {
    bool links, requisites, only_head, no_body;
};
void workers_fetch(struct workers *workers, struct target *target,
                   const struct page_wishes *wishes);

/* Scan a page that was saved once more. All that is given is borrowed until it
 * is back. */
struct job *workers_scan_again(struct workers *workers, const struct url *url,
                               uint32_t depth, const struct saved *saved);

/* After a fetch from the host has begun: more of it was queued (then the worker
 * keeps its connection), or nothing of it is queued any more. `origin` as
 * pagefetcher_origin has it. */
void workers_need_host(struct workers *workers, unsigned worker,
                       uint64_t origin, bool is_needed);

void workers_send(struct workers *workers);

/* Readable when there are results. */
int workers_fd(const struct workers *workers);

/* The next result, or NULL. Return it with workers_put_back. */
struct job *workers_take(struct workers *workers);
void workers_put_back(struct workers *workers, struct job *job);

/* End all fetches that have begun; they still come back, as ABANDONED. */
void workers_abandon(struct workers *workers);

#endif
