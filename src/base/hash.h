/* 64-bit fingerprints (XXH3). The seed is drawn once a crawl, so that nobody
 * outside can prepare two URLs with the same fingerprint. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

uint64_t hash64(struct str s, uint64_t seed);

#endif
