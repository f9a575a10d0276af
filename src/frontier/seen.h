/* The set of URLs seen: their fingerprints, and one flag for each, for the use
 * of the caller. The flag takes the lowest bit of a fingerprint, so 63 of the
 * 64 bits count.
 *
 * At most 16 bytes a URL at any size: the table grows by half when it is
 * seven eighths full. The position is the upper part of fingerprint × room,
 * so the table is almost sorted and growing it is a walk in order, not a
 * rehash. Looking up costs one cache miss; seen_prefetch hides it when a
 * whole page of links is judged at once.
 */
#ifndef FRONTIER_SEEN_H
#define FRONTIER_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
    uint64_t *slot; /* 0: free */
    size_t count, room;
    size_t spare; /* slots beyond the last home, so that nothing wraps */
};

void seen_init(struct seen *seen);
void seen_release(struct seen *seen);

bool seen_has(const struct seen *seen, uint64_t fingerprint);

/* True if it was not there before. */
bool seen_add(struct seen *seen, uint64_t fingerprint);

/* A fingerprint that is not in the set has no flag and is given none. */
void seen_set_flag(struct seen *seen, uint64_t fingerprint, bool flag);
bool seen_has_flag(const struct seen *seen, uint64_t fingerprint);

void seen_prefetch(const struct seen *seen, uint64_t fingerprint);

#endif
