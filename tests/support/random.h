/* Numbers that look random and are the same on every run (xorshift64*). */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* the seed at first; never 0 */
};

static inline uint64_t random_u64(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* From 0 to `end` - 1. */
static inline uint32_t random_below(struct random *random, uint32_t end)
{
    return (uint32_t)((random_u64(random) >> 32) * end >> 32);
}

#endif
