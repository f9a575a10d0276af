#include "fleet/part.h"

static uint64_t bit_of(uint32_t part)
{
    return (uint64_t)1 << (part % 64);
}

bool part_set_add(struct part_set *set, uint32_t part)
{
    if (part_set_has(set, part))
        return false;
    set->word[part / 64] |= bit_of(part);
    set->count++;
    return true;
}

bool part_set_remove(struct part_set *set, uint32_t part)
{
    if (!part_set_has(set, part))
        return false;
    set->word[part / 64] &= ~bit_of(part);
    set->count--;
    return true;
}

uint32_t part_set_next(const struct part_set *set, uint32_t from)
{
    while (from < FLEET_PARTITIONS_MAX) {
        uint64_t rest = set->word[from / 64] >> (from % 64);

        if (rest)
            return from + (uint32_t)__builtin_ctzll(rest);
        from = (from / 64 + 1) * 64;
    }
    return FLEET_PARTITIONS_MAX;
}
