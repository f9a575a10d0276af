/* The frontier's parts, for the files that let them work together. Each part
 * has a header that states its invariant; no part calls the frontier, but for
 * the queue, which hands back what it reads from disk. Private to
 * src/frontier/. */
#ifndef FRONTIER_PARTS_H
#define FRONTIER_PARTS_H

#include "frontier/changes.h"
#include "frontier/host_setup.h"
#include "frontier/politeness.h"
#include "frontier/queue.h"
#include "frontier/ranking.h"

struct frontier {
    struct frontier_options options;
    struct ranking ranking;
    struct queue queue;
    struct politeness politeness;
    struct setups setups;
    struct changes changes;
    struct frontier_counts counts; /* what the parts do not count */
    bool has_left_behind;          /* some host */
    bool pages_held;               /* only requisites are taken */
    const struct seen *known, *known_requisites; /* or NULL */
    uint64_t *next_n; /* by partition: numbers begin with 1, because a moved
                       * robots.txt has 0 and goes first */
};

/* The partition of a URL; `domain` if it is known, or empty. */
uint32_t part_of_url(const struct frontier_options *options,
                     const struct url *url, struct str domain);

/* --- frontier.c, for restore.c and frontier_setup.c ---------------------- */

/* Into memory or onto disk; the name of its domain. */
struct str put_numbered(struct frontier *frontier, const struct offer *offer,
                        uint64_t number);
void enqueue(struct frontier *frontier, struct target *target);
void put_retry(struct frontier *frontier, struct target *target,
               uint64_t due_ms);

/* May the target be taken, leaving its host aside: is its depth open, and are
 * pages not held? */
bool has_its_turn(const struct frontier *frontier, const struct target *target);

/* fetch_started: a fetch from the target's host begins. fetch_ended: it is
 * over. */
void fetch_started(struct frontier *frontier, struct target *target);
void fetch_ended(struct frontier *frontier, struct target *target,
                 uint64_t ended_ms, uint64_t wait_ms);

/* The domain has had its last fetch. */
/* The host rests for so long: leave it behind, if that is too long for others.
 */
void leave_behind(struct frontier *frontier, struct host *host,
                  uint64_t rest_ms);
void note_capped(struct frontier *frontier, struct domain *domain);
void forget_idle_hosts(struct frontier *frontier);

/* --- restore.c, for listing.c -------------------------------------------- */

/* The pause that the host is given after a fetch. */
uint64_t host_delay_ms(const struct frontier *frontier,
                       const struct host *host);

/* --- restore.c, for frontier_partition.c --------------------------------- */

/* The host rests for a whole pause from now on. */
void rest_host(struct frontier *frontier, struct host *host, uint64_t now_ms);

/* --- frontier_setup.c, for frontier.c ------------------------------------ */

/* The step of its host's setup that must come before this page, or NULL. */
struct target *begin_setup(struct frontier *frontier, struct target *page);
/* A robots.txt that moved, whose turn it is: true if its host is given up; then
 * it is freed. */
bool drop_moved_robots(struct frontier *frontier, struct target *target);

#endif
