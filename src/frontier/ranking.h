/* The ranking: which of two targets goes first.
 *
 * Requisites go before pages.
 *
 * Invariant: every comparison is total and does not depend on the time. Inside
 * a domain the domain's terms of the score are equal, so only comparisons
 * across domains look at them: a change of a domain's score moves the domain,
 * none of its hosts and targets. Hosts in the queue of an address are in the
 * order in which they came; their scores do not count there.
 *
 * It knows no time, no limits and no disk. Private to src/frontier/.
 */
#ifndef FRONTIER_RANKING_H
#define FRONTIER_RANKING_H

#include "base/heap.h"
#include "frontier/frontier_options.h"
#include "frontier/target.h"

struct domain;

struct ranking {
    bool by_level;          /* breadth-first */
    heap_before_fn *target; /* of one host */
    heap_before_fn *host;   /* of one domain, each by its best target */
    heap_before_fn *domain, *unresolved; /* each by its best host */
    heap_before_fn *turn;                /* hosts in the queue of an address */
    heap_before_fn *address;             /* by the first host in its queue */
    bool (*before)(const struct target *a, const struct target *b);
};

void ranking_init(struct ranking *ranking, enum ranking_kind kind);

/* The counts that make the score of a domain. */
struct domain_score {
    uint32_t crawled; /* fetches of pages begun */
    uint32_t found;   /* links to it in pages */
};
uint64_t ranking_score_domain(const struct domain_score *score);

/* In hundredths. */
uint64_t ranking_score(const struct ranking *ranking,
                       const struct target *target);

#endif
