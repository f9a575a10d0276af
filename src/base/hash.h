/* 64-bit fingerprints (XXH3). The seed is drawn once a crawl, so that nobody
 * outside can prepare two URLs with the same fingerprint. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

uint64_t hash64(struct str s, uint64_t seed);

/* The same of bytes that come piece by piece. */
struct hash64_pieces;

struct hash64_pieces *hash64_begin(uint64_t seed);
void hash64_add(struct hash64_pieces *pieces, struct str s);
uint64_t hash64_end(struct hash64_pieces *pieces); /* frees it */

#endif
