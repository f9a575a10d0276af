/* A set of names with a number each: filled once, then only read, by many
 * threads. The names are the caller's and must stay. */
#ifndef URL_NAMESET_H
#define URL_NAMESET_H

#include "base/str.h"
#include "ds/hashtable.h"

struct nameset_entry {
    struct str name;
    uint32_t number;
};

/* All 0: empty. */
struct nameset {
    struct hashtable entries;
    size_t longest; /* name: nothing longer needs to be looked up */
};

void nameset_release(struct nameset *set);

/* Without effect if it is there. */
void nameset_add(struct nameset *set, struct str name, uint32_t number);
bool nameset_has(const struct nameset *set, struct str name, uint32_t number);

#endif
