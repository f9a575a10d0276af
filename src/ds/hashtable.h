/* A hash table from 64-bit fingerprints to pointers.
 *
 * The fingerprint is the identity: two things with the same one are taken to
 * be the same thing (the fingerprints are seeded, base/hash.h). Open
 * addressing with linear probing and backward-shift deletion, so there are
 * no tombstones and lookups stay short for ever. 0 is a valid fingerprint;
 * NULL is not a valid item.
 */
#ifndef DS_HASHTABLE_H
#define DS_HASHTABLE_H

#include <stddef.h>
#include <stdint.h>

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
