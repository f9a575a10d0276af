/* 64-bit fingerprints, and a hash table from them to pointers.
 *
 * The fingerprint is the identity: two things with the same one are taken to
 * be the same thing. So its seed is drawn once a crawl, and nobody outside can
 * prepare two URLs with the same fingerprint.
 *
 * Open addressing with linear probing and backward-shift deletion, so there are
 * no tombstones and lookups stay short for ever. 0 is a valid fingerprint;
 * NULL is not a valid item.
 */
#ifndef BASE_HASHTABLE_H
#define BASE_HASHTABLE_H

#include "base/str.h"

/* The fingerprint of a text (XXH3). */
uint64_t hash64(struct str s, uint64_t seed);

/* The same of bytes that come piece by piece. */
struct hash64_pieces;

struct hash64_pieces *hash64_begin(uint64_t seed);
void hash64_add(struct hash64_pieces *pieces, struct str s);
uint64_t hash64_end(struct hash64_pieces *pieces); /* frees it */

struct hashtable_slot {
    uint64_t key;
    void *item; /* NULL: free */
};

struct hashtable {
    struct hashtable_slot *slot;
    size_t count, room; /* room is 0 or a power of two */
};

void hashtable_init(struct hashtable *table);
void hashtable_release(struct hashtable *table); /* items are the caller's */

/* The item, or NULL. */
void *hashtable_get(const struct hashtable *table, uint64_t key);

/* Add an item under a key that is not there yet. */
void hashtable_put(struct hashtable *table, uint64_t key, void *item);

/* Take the item out, or NULL. */
void *hashtable_take(struct hashtable *table, uint64_t key);

/* All items, in no order: start with *at = 0; NULL at the end. */
void *hashtable_next(const struct hashtable *table, size_t *at);

#endif
