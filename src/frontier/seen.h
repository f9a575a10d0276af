/* The set of URLs seen: their fingerprints, and one flag for each, for the use
 * of the caller. The flag takes the lowest bit of a fingerprint, so 63 of the
 * 64 bits count.
 *
 * At most 16 bytes a URL at any size: the table grows by half when it is
 * seven eighths full. The position is the upper part of fingerprint × room,
 * so the table is almost sorted and growing it is a walk in order, not a
 * rehash. Looking up costs one cache miss; seen_prefetch hides it when a
 * whole page of links is judged at once.
 *
 * On request a byte stands beside each fingerprint: the smallest depth at which
 * the URL was offered so far. Depths from SEEN_DEPTH_MAX on count as that one.
 */
#ifndef FRONTIER_SEEN_H
#define FRONTIER_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
    uint64_t *slot; /* 0: free */
    size_t count, room;
    size_t spare;     /* slots beyond the last home, so that nothing wraps */
    uint8_t *depth;   /* of each slot, + 1; 0: not known. NULL: not kept */
    uint64_t lowered; /* how often seen_lower_depth said yes */
};

enum { SEEN_DEPTH_MAX = UINT8_MAX - 1 };

void seen_init(struct seen *seen);
void seen_release(struct seen *seen);

bool seen_has(const struct seen *seen, uint64_t fingerprint);

/* True if it was not there before. */
bool seen_add(struct seen *seen, uint64_t fingerprint);

/* A fingerprint that is not in the set has no flag and is given none. */
void seen_set_flag(struct seen *seen, uint64_t fingerprint, bool flag);
bool seen_has_flag(const struct seen *seen, uint64_t fingerprint);

/* Keep depths from now on; those of URLs that are there are not known. */
void seen_keep_depths(struct seen *seen);

/* The URL has this depth now; a smaller one that is known stays. */
void seen_set_depth(struct seen *seen, uint64_t fingerprint, uint32_t depth);

/* It is offered at this depth. True if a greater one was known: from now on it
 * is this. */
bool seen_lower_depth(struct seen *seen, uint64_t fingerprint, uint32_t depth);

/* UINT32_MAX: it is not known. */
uint32_t seen_depth(const struct seen *seen, uint64_t fingerprint);

void seen_prefetch(const struct seen *seen, uint64_t fingerprint);

#endif
