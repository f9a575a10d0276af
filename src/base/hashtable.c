#include "base/hashtable.h"

#include <assert.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

uint64_t hash64(struct str s, uint64_t seed)
{
    return XXH3_64bits_withSeed(s.ptr, s.len, seed);
}

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

enum { FIRST_ROOM = 16 };

void hashtable_init(struct hashtable *table)
{
    *table = (struct hashtable){0};
}

void hashtable_release(struct hashtable *table)
{
    free(table->slot);
    *table = (struct hashtable){0};
}

static size_t home(const struct hashtable *table, uint64_t key)
{
    return (size_t)key & (table->room - 1);
}

/* The slot of the key, or the free one where it would go. */
static size_t find(const struct hashtable *table, uint64_t key)
{
    size_t at = home(table, key);

    while (table->slot[at].item && table->slot[at].key != key)
        at = (at + 1) & (table->room - 1);
    return at;
}

void *hashtable_get(const struct hashtable *table, uint64_t key)
{
    return table->room ? table->slot[find(table, key)].item : NULL;
}

static void grow(struct hashtable *table)
{
    struct hashtable old = *table;

    table->room = old.room ? old.room * 2 : FIRST_ROOM;
    table->slot = mem_array(table->room, sizeof(*table->slot));
    for (size_t i = 0; i < old.room; i++)
        if (old.slot[i].item)
            table->slot[find(table, old.slot[i].key)] = old.slot[i];
    free(old.slot);
}

void hashtable_put(struct hashtable *table, uint64_t key, void *item)
{
    if (table->count >= table->room - table->room / 8)
        grow(table);

    size_t at = find(table, key);
    assert(item && !table->slot[at].item);
    table->slot[at] = (struct hashtable_slot){key, item};
    table->count++;
}

/* Close the gap: whatever stands after it and may move back, does. */
static void shift_back(struct hashtable *table, size_t gap)
{
    size_t mask = table->room - 1;

    for (size_t at = (gap + 1) & mask; table->slot[at].item;
         at = (at + 1) & mask) {
        size_t wants = home(table, table->slot[at].key);
        if (((at - wants) & mask) < ((at - gap) & mask))
            continue;
        table->slot[gap] = table->slot[at];
        gap = at;
    }
    table->slot[gap].item = NULL;
}

void *hashtable_take(struct hashtable *table, uint64_t key)
{
    if (!table->room)
        return NULL;

    size_t at = find(table, key);
    void *item = table->slot[at].item;
    if (item) {
        shift_back(table, at);
        table->count--;
    }
    return item;
}

void *hashtable_next(const struct hashtable *table, size_t *at)
{
    while (*at < table->room) {
        void *item = table->slot[(*at)++].item;
        if (item)
            return item;
    }
    return NULL;
}
