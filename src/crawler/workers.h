/* All worker threads, and the jobs that go round between them and the crawler
 * thread.
 *
 * Jobs given out are gathered and sent together by workers_send, one message
 * bundle a worker. A host's pages go to the same worker while that one is not
 * busier than the others, so that connections are used again.
 */
#ifndef CRAWLER_WORKERS_H
#define CRAWLER_WORKERS_H

#include "crawler/worker.h"

struct workers;

struct workers *workers_start(unsigned count, unsigned fetches_max,
                              const struct worker_options *options);

/* Tell all workers to quit, wait for them and free everything. No job may be
 * out. */
void workers_free(struct workers *workers);

/* Is there a worker free for one more page? */
bool workers_has_room(const struct workers *workers);
unsigned workers_busy(const struct workers *workers);

/* A job for an errand that no worker does (a look-up); it comes back through
 * the inbox like the others, but keeps no worker busy. */
struct job *workers_lookup(struct workers *workers, struct target *target);
struct mailbox *workers_inbox(struct workers *workers);

void workers_fetch(struct workers *workers, struct target *target,
                   bool want_links);
void workers_send(struct workers *workers);

/* Readable when pages have come back. */
int workers_fd(const struct workers *workers);

/* The next page that is back, or NULL. Return it with workers_put_back. */
struct job *workers_take(struct workers *workers);
void workers_put_back(struct workers *workers, struct job *job);

/* To be called every WORKERS_WATCH_MS while some are busy: see worker_watch. */
enum { WORKERS_WATCH_MS = 250 };
void workers_watch(struct workers *workers);

/* End all fetches now; they still come back, as ABANDONED. No more may be
 * given out after this. */
void workers_abandon(struct workers *workers);

#endif
