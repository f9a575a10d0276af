#include "url/nameset.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

void nameset_release(struct nameset *set)
{
    void *entry;

    for (size_t at = 0; (entry = hashtable_next(&set->entries, &at));)
        free(entry);
    hashtable_release(&set->entries);
    set->longest = 0;
}

void nameset_add(struct nameset *set, struct str name, uint32_t number)
{
    uint64_t hash = hash64(name, number);

    if (hashtable_get(&set->entries, hash))
        return;
    struct nameset_entry *entry = NEW(struct nameset_entry);
    *entry = (struct nameset_entry){name, number};
    hashtable_put(&set->entries, hash, entry);
    if (name.len > set->longest)
        set->longest = name.len;
}

/* The hash has no secret in it, so the name is compared too: nobody can make up
 * another that passes for one of the set. */
bool nameset_has(const struct nameset *set, struct str name, uint32_t number)
{
    if (!set->entries.count || name.len > set->longest)
        return false;
    const struct nameset_entry *entry =
        hashtable_get(&set->entries, hash64(name, number));
    return entry && entry->number == number && str_eq(entry->name, name);
}
