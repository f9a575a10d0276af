/* Apart from hash.c: beside this the compiler would not make hash64 one piece,
 * which is called for every link. */
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"
#include "base/mem.h"

struct hash64_pieces {
    XXH3_state_t state;
};

struct hash64_pieces *hash64_begin(uint64_t seed)
{
    size_t size = sizeof(struct hash64_pieces); /* which is of whole lines */
    struct hash64_pieces *pieces = mem_checked(aligned_alloc(64, size));

    XXH3_64bits_reset_withSeed(&pieces->state, seed);
    return pieces;
}

void hash64_add(struct hash64_pieces *pieces, struct str s)
{
    XXH3_64bits_update(&pieces->state, s.ptr, s.len);
}

uint64_t hash64_end(struct hash64_pieces *pieces)
{
    uint64_t hash = XXH3_64bits_digest(&pieces->state);

    free(pieces);
    return hash;
}
