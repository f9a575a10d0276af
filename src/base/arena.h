/* An arena: many small allocations that die together.
 *
 * A webpage has one; all that belongs to it lives there. Blocks never move,
 * so pointers stay good until arena_clear or arena_release.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena_block;

struct arena {
    struct arena_block *block; /* the one being filled; a chain of older */
    char *at, *end;
    size_t used; /* bytes handed out since the last clear */
};

void arena_init(struct arena *arena);
void arena_release(struct arena *arena);

/* Forget everything, keep one block for the next use. */
void arena_clear(struct arena *arena);

/* `size` bytes, zeroed, aligned for any type. */
void *arena_new(struct arena *arena, size_t size);

/* A copy of the bytes; NUL-terminated beyond its length. */
struct str arena_copy(struct arena *arena, struct str s);

/* Room for up to `max` bytes, not aligned; keep what arena_commit says. */
char *arena_reserve(struct arena *arena, size_t max);
void arena_commit(struct arena *arena, size_t used);

#endif
