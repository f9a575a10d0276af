#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash64(struct str s, uint64_t seed)
{
    return XXH3_64bits_withSeed(s.ptr, s.len, seed);
}
