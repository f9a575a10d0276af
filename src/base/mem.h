/* Memory: allocations that cannot fail, and arenas.
 *
 * Out of memory ends the program with one line. That is safe because input
 * never decides the size of an allocation: what comes from outside is capped
 * before it is stored.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/str.h"

/* Once, before anything else: large blocks go back to the system when they are
 * freed, and grow without being copied. Left to itself glibc would learn from
 * the first large page to keep such blocks, in each thread its own. */
void mem_setup(void);

void *mem_new(size_t size);                 /* zeroed */
void *mem_array(size_t count, size_t size); /* zeroed, overflow checked */
void *mem_resize(void *ptr, size_t size);

/* Room for one more at the end of an array of `count` items of that size:
 * `array`, or where it is from now on. `*room` is how many fit. */
void *mem_grow(void *array, size_t count, size_t *room, size_t size);

/* For what other libraries allocate: `ptr`, which is NULL for want of memory.
 */
void *mem_checked(void *ptr);

#define NEW(type) ((type *)mem_new(sizeof(type)))

/* From a member back to the struct that holds it, for nodes that live inside
 * the structs that they link. */
#define container_of(ptr, type, member)                                        \
    ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* --- arenas --------------------------------------------------------------- */

/* Many small allocations that die together. A webpage has an arena; all that
 * belongs to it lives there. Blocks never move, so pointers stay good until
 * arena_clear or arena_release. */
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
