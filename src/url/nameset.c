#include "url/nameset.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_ROOM = 16 };

void nameset_release(struct nameset *set)
{
    free(set->slots);
    *set = (struct nameset){0};
}

/* The entry, or the free slot where it would be. */
static struct nameset_entry *find(const struct nameset *set, uint64_t hash,
                                  struct str name, uint32_t number)
{
    for (size_t i = hash;; i++) {
        struct nameset_entry *entry = &set->slots[i & (set->room - 1)];
        if (!entry->name.ptr)
            return entry;
        if (entry->hash == hash && entry->number == number &&
            str_eq(entry->name, name))
            return entry;
    }
}

static void grow(struct nameset *set)
{
    struct nameset old = *set;

    set->room = old.room ? 2 * old.room : FIRST_ROOM;
    set->slots = mem_array(set->room, sizeof(*set->slots));
    for (size_t i = 0; i < old.room; i++) {
        struct nameset_entry *entry = &old.slots[i];
        if (entry->name.ptr)
            *find(set, entry->hash, entry->name, entry->number) = *entry;
    }
    free(old.slots);
}

void nameset_add(struct nameset *set, struct str name, uint32_t number)
{
    if (2 * (set->count + 1) > set->room)
        grow(set);

    uint64_t hash = hash64(name, number);
    struct nameset_entry *entry = find(set, hash, name, number);
    if (entry->name.ptr)
        return;
    *entry = (struct nameset_entry){hash, name, number};
    set->count++;
    if (name.len > set->longest)
        set->longest = name.len;
}

bool nameset_has(const struct nameset *set, struct str name, uint32_t number)
{
    if (!set->count || name.len > set->longest)
        return false;
    return find(set, hash64(name, number), name, number)->name.ptr;
}
