/* The partition of a registrable domain: which of a fixed number of sets it is
 * in. A machine of a fleet owns whole partitions (fleet/part.h).
 *
 * The number of a URL holds its partition above the number that it has there;
 * in a crawl on one machine all are in partition 0. */
#ifndef WEB_PARTITION_H
#define WEB_PARTITION_H

#include "base/hashtable.h"

enum { PARTITION_SHIFT = 40 };

/* `domain` as domain_of_host gives it. `partitions` is at least 1. The function
 * is fixed: all machines, and all later versions, must agree on it. */
static inline uint32_t partition_of(struct str domain, uint64_t seed,
                                    uint32_t partitions)
{
    return (uint32_t)(hash64(domain, seed) % partitions);
}

static inline uint32_t partition_of_number(uint64_t number)
{
    return (uint32_t)(number >> PARTITION_SHIFT);
}

static inline uint64_t partition_number(uint32_t part, uint64_t n)
{
    return (uint64_t)part << PARTITION_SHIFT | n;
}

/* Which of two numbers is the older one? The smaller within its partition;
 * between partitions that is as good as any. */
static inline bool partition_is_older(uint64_t a, uint64_t b)
{
    enum { REST = 64 - PARTITION_SHIFT };

    return (a << REST | a >> PARTITION_SHIFT) <
           (b << REST | b >> PARTITION_SHIFT);
}

#endif
