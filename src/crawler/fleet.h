/* A crawl as one machine of a fleet: what stands between the crawler thread and
 * the other machines. The protocol is in fleet/member.h; this carries it out.
 *
 * A commit goes through two threads. When the crawler thread closes a batch it
 * composes what the fleet is told with it: mail, claims, the smallest depth
 * that is open (fleet_compose). The committer's thread puts that into the
 * commit (fleet_before_commit) and keeps its answer (fleet_after_commit). In
 * the loop of the crawler thread fleet_exchange draws the conclusions: it
 * offers the mail that came, loads and forgets partitions, sets the level,
 * declares the dead. Strictly one batch is under way, so the two threads never
 * use the same of it.
 *
 * If the lease is nearly over, everything in flight is abandoned and queued
 * again, and no fetch begins until a commit counts. If the machine was fenced,
 * the crawl of this process ends with CRAWL_REJOIN: what is in the engine
 * counts, and the machine joins anew with that.
 */
#ifndef CRAWLER_FLEET_H
#define CRAWLER_FLEET_H

#include "fleet/engine.h"
#include "store/store.h"

/* Longest time between two looks at the clock. */
enum { FLEET_LOOK_MS = 500, FLEET_URGENT_MS = 40 };
/* A commit for the sake of an address comes this long after the last one. It
 * has at most so many addresses that are wanted, and so many given up. */
enum { FLEET_ADDRESS_MS = 200, FLEET_ADDRESSES_MAX = 1000 };

struct crawler;
struct fleet;
struct frontier;
struct job;
struct target;
struct url;
struct validator;

struct fleet_options {
    struct fleet_engine *engine; /* a connection for the crawler thread alone;
                                  * not owned */
    const struct fleet_joined *joined;
    uint64_t incarnation;
    uint64_t joined_ms; /* when the join was sent for the first time, by the
                         * clock of fleet_store_renewed_ms */
    uint32_t partitions;
    uint64_t lease_ms;
    uint64_t pages_max; /* of the whole fleet; UINT64_MAX: no limit */
    bool by_level;      /* breadth-first */
};

struct fleet *fleet_new(const struct fleet_options *options);
/* The store that the committer uses (fleet/fleet_store.h), with the hooks
 * below; and one by which the crawler thread reads partitions. Neither is
 * owned. */
void fleet_set_stores(struct fleet *fleet, struct store *store,
                      struct store *loader);
void fleet_free(struct fleet *fleet);

/* --- the committer's thread: hooks of the store --------------------------- */

void fleet_before_commit(void *user, size_t batches,
                         struct fleet_commit *commit);
void fleet_after_commit(void *user, const struct fleet_answer *answer);
/* May it wait for an engine that is away? */
bool fleet_may_wait(void *user);

/* --- any thread ------------------------------------------------------------
 */

/* False: the lease is nearly over. A worker asks right before it sends a
 * request: the process may have stood still since the fetch began. Calls that
 * the crawler thread waits for end then. */
bool fleet_may_go_on(void *user);

/* --- the crawler thread -----------------------------------------------------
 */

/* The validator and the frontier are empty: load the partitions that are ours,
 * and send away what is not. */
void fleet_begin(struct crawler *crawler);

/* Compose what goes with the batch that is closed now. */
void fleet_compose(struct fleet *fleet, struct frontier *frontier,
                   uint64_t pages);

/* The answer of a commit, if one is there. */
void fleet_exchange(struct crawler *crawler);

/* A robots.txt moved to this URL. True: that is another machine's, which is
 * asked; `from` is freed. Later an answer comes (crawler/fleet_robots.h). */
bool fleet_follows_robots(struct crawler *crawler, struct target *from,
                          const struct url *url, uint64_t ended_ms);
/* The robots.txt was fetched for a guest: tell its machine. */
void fleet_tells_robots(struct crawler *crawler, const struct job *job);

/* May a fetch start? */
bool fleet_may_fetch(const struct fleet *fleet);
/* Is there nothing more to do for this machine? */
bool fleet_is_over(const struct fleet *fleet);
/* Did the user pause all machines? */
bool fleet_is_paused(const struct fleet *fleet);
/* Did the user tell all machines to leave (crawler stop)? */
bool fleet_is_stopped(const struct fleet *fleet);
/* Did the whole crawl end? */
bool fleet_is_finished(const struct fleet *fleet);
/* Does it have to join anew? */
bool fleet_has_to_rejoin(const struct fleet *fleet);
/* Was a batch composed whose answer fleet_exchange has not seen? Then no other
 * may be. */
bool fleet_is_under_way(const struct fleet *fleet);
/* Must a batch be closed now, so that the others hear of it? */
bool fleet_is_urgent(const struct fleet *fleet);
/* The process ends: with its last batch the machine leaves, and gives up what
 * it has. */
void fleet_leave(struct fleet *fleet);
/* How long to wait from one batch to the next, where `every_ms` is wanted. */
uint64_t fleet_interval_ms(const struct fleet *fleet, uint64_t every_ms);
/* So many pages may be saved here in all. */
uint64_t fleet_page_limit(const struct fleet *fleet);
/* A commit failed: is it because the machine was fenced? Then it joins anew. */
bool fleet_is_fenced(struct crawler *crawler);

#endif
