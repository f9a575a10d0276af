/* A set of names with a number each, for scope.c: filled once, then only
 * read, by many threads. The names are the caller's and must stay.
 *
 * Open addressing with linear probing, at most half full; the hash is kept
 * with each entry, so that a miss hardly ever compares names.
 */
#ifndef URL_NAMESET_H
#define URL_NAMESET_H

#include "base/str.h"

struct nameset_entry {
    uint64_t hash;
    struct str name; /* ptr NULL: the slot is free */
    uint32_t number;
};

struct nameset {
    struct nameset_entry *slots;
    size_t room; /* 0 or a power of two */
    size_t count;
    size_t longest; /* name: nothing longer needs to be looked up */
};

void nameset_release(struct nameset *set);

/* Without effect if it is there. */
void nameset_add(struct nameset *set, struct str name, uint32_t number);
bool nameset_has(const struct nameset *set, struct str name, uint32_t number);

#endif
