/* The frontier: targets that wait for their turn, in the order and at the
 * pace of the rules. Pure logic: the time comes in as an argument.
 *
 * Three levels of heaps, each ordered by its best member: a host's queue of
 * targets, a domain's hosts that may be asked now, the domains that may be
 * asked now. A host that may not be asked yet is in none of them but in the
 * heap of waiting hosts by time: politeness is where a host stands, not a
 * check that somebody could forget.
 *
 * The order is breadth-first: smaller depth first, then older. No target of
 * depth d+1 comes out while one of depth d is queued, retrying or in flight,
 * so a depth is always the shortest distance from the seeds.
 */
#ifndef FRONTIER_FRONTIER_H
#define FRONTIER_FRONTIER_H

#include "frontier/target.h"
#include "url/domain.h"
#include "url/url.h"

struct frontier;

struct frontier_options {
    uint64_t delay_ms;  /* pause of a host, from the end of a fetch */
    uint32_t per_host;  /* fetches in flight per host and per domain */
    uint64_t hash_seed; /* for host and domain names */
    const struct domains *domains;
};

struct frontier *frontier_new(const struct frontier_options *options);
void frontier_free(struct frontier *frontier);

/* Queue a URL under its fingerprint, which must not be queued already. */
struct target *frontier_put(struct frontier *frontier, const struct url *url,
                            uint64_t fingerprint, uint32_t depth,
                            uint32_t referrer_id, uint64_t now_ms);

/* A URL that was seen before is found again, at `depth`. If it is still
 * queued and that is smaller, it takes the smaller depth and referrer. */
void frontier_found_again(struct frontier *frontier, uint64_t fingerprint,
                          uint32_t depth, uint32_t referrer_id);

/* The target to fetch now, in flight from here on, or NULL. */
struct target *frontier_take(struct frontier *frontier, uint64_t now_ms);

/* The fetch has ended (at `now_ms`): the host's pause begins, the target is
 * freed. */
void frontier_done(struct frontier *frontier, struct target *target,
                   uint64_t now_ms);

/* The fetch has ended and must be tried again after `wait_ms`; with
 * `whole_host` the host's other targets wait as long. */
void frontier_again(struct frontier *frontier, struct target *target,
                    uint64_t now_ms, uint64_t wait_ms, bool whole_host);

struct frontier_counts {
    size_t queued;    /* waiting for their turn, retries included */
    size_t in_flight; /* taken and not done */
    size_t hosts, domains;
};
struct frontier_counts frontier_counts(const struct frontier *frontier);

/* Why nothing can be taken at `now_ms`, for people and for the next look. */
enum idle_reason {
    IDLE_NOT,    /* something can be taken */
    IDLE_EMPTY,  /* nothing queued */
    IDLE_PAUSE,  /* until `until_ms` for the pause of `host` */
    IDLE_RETRY,  /* until `until_ms` to try a URL of `host` again */
    IDLE_FLIGHT, /* what is in flight must end first */
};
struct idle {
    enum idle_reason reason;
    uint64_t until_ms; /* UINT64_MAX: no time will change it */
    struct str host;
};
struct idle frontier_idle(const struct frontier *frontier, uint64_t now_ms);

#endif
