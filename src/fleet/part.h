/* Partitions: sets of registrable domains, the unit that a machine of a fleet
 * owns. All rules that belong to a host or a domain (cap, lock, score, pauses)
 * stay with one machine, because a domain is in one partition.
 *
 * The function (web/partition.h) is part of the format of a crawl: all machines
 * must agree on it, so on the public suffix list, too.
 */
#ifndef FLEET_PART_H
#define FLEET_PART_H

#include "fleet/engine.h"
#include "web/partition.h"

/* A set of partitions. All 0 is the empty set. */
struct part_set {
    uint64_t word[FLEET_PARTITIONS_MAX / 64];
    uint32_t count;
};

static inline bool part_set_has(const struct part_set *set, uint32_t part)
{
    return set->word[part / 64] >> (part % 64) & 1;
}

/* True if that changed the set. */
bool part_set_add(struct part_set *set, uint32_t part);
bool part_set_remove(struct part_set *set, uint32_t part);

/* The smallest member that is `from` or greater; FLEET_PARTITIONS_MAX: none. */
uint32_t part_set_next(const struct part_set *set, uint32_t from);

#endif
