/* The crew: all workers, and the jobs that go round between them and the mind.
 *
 * Jobs given out are gathered and sent together by crew_send, one message
 * bundle a worker. A host's pages go to the same worker while that one is not
 * busier than the others, so that connections are used again.
 */
#ifndef CRAWLER_CREW_H
#define CRAWLER_CREW_H

#include "crawler/worker.h"

struct crew;

struct crew *crew_start(unsigned workers, unsigned fetches_max,
                        const struct worker_options *options);

/* Tell all workers to quit, wait for them and free everything. No job may be
 * out. */
void crew_free(struct crew *crew);

/* Is there a worker free for one more page? */
bool crew_has_room(const struct crew *crew);
unsigned crew_busy(const struct crew *crew);

/* A job for an errand that no worker does (a look-up); it comes back through
 * the inbox like the others, but keeps no worker busy. */
struct job *crew_errand(struct crew *crew, struct target *target);
struct mailbox *crew_inbox(struct crew *crew);

void crew_fetch(struct crew *crew, struct target *target, bool want_links);
void crew_send(struct crew *crew);

/* Readable when pages have come back. */
int crew_fd(const struct crew *crew);

/* The next page that is back, or NULL. Return it with crew_put_back. */
struct job *crew_take(struct crew *crew);
void crew_put_back(struct crew *crew, struct job *job);

/* To be called every CREW_WATCH_MS while some are busy: see worker_watch. */
enum { CREW_WATCH_MS = 250 };
void crew_watch(struct crew *crew);

/* End all fetches now; they still come back, as ABANDONED. No more may be
 * given out after this. */
void crew_abandon(struct crew *crew);

#endif
