/* Answers to look-ups, remembered for as long as they are good.
 *
 * Addresses are good for the time that the name server says, but at least
 * NAME_TTL_MIN_S: a host's pages come to us over minutes, and a name that
 * changes its address every second shall not be asked for as often. The longest
 * is NAME_TTL_MAX_S. Failures are remembered for a short time, so that a name
 * that many links mention is not asked for with each of them.
 *
 * The number of entries is bounded. If there are more, the answer that would
 * end first is forgotten first. Names are compared by their seeded
 * fingerprints.
 */
#ifndef NAMES_NAME_CACHE_H
#define NAMES_NAME_CACHE_H

#include "base/hashtable.h"
#include "base/heap.h"
#include "names/name_answer.h"

enum {
    NAME_TTL_MIN_S = 60,
    NAME_TTL_MAX_S = 24 * 3600,
    NAME_TTL_UNKNOWN_S = 60,
    NAME_TTL_FAILED_S = 10,
};

struct name_cache {
    struct hashtable entries;
    struct heap by_end;
    size_t max; /* entries */
};

void name_cache_init(struct name_cache *cache, size_t max);
void name_cache_release(struct name_cache *cache);

/* The answer that is remembered for the name with this fingerprint; false if
 * there is none, or none that is still good. */
bool name_cache_get(struct name_cache *cache, uint64_t fingerprint,
                    uint64_t now_ms, struct name_answer *answer);

/* Remember an answer; it replaces an older one. */
void name_cache_put(struct name_cache *cache, uint64_t fingerprint,
                    const struct name_answer *answer, uint64_t now_ms);

#endif
