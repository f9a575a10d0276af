#include "base/mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LARGE = 512 * 1024, SPARE = 4 * LARGE };

void mem_setup(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, SPARE); /* or it would be a mere 128 KB */
#endif
}

void *mem_checked(void *ptr)
{
    if (ptr)
        return ptr;
    fputs("crawler: out of memory\n", stderr);
    _exit(1);
}

void *mem_new(size_t size)
{
    return mem_checked(calloc(1, size));
}

void *mem_array(size_t count, size_t size)
{
    return mem_checked(calloc(count ? count : 1, size));
}

void *mem_resize(void *ptr, size_t size)
{
    return mem_checked(realloc(ptr, size));
}

void *mem_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    return mem_checked(reallocarray(array, *room, size));
}

/* --- arenas --------------------------------------------------------------- */

enum { BLOCK_SIZE = 16 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t size;
    alignas(max_align_t) char bytes[];
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

static void free_chain(struct arena_block *block)
{
    while (block) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
}

void arena_release(struct arena *arena)
{
    free_chain(arena->block);
    *arena = (struct arena){0};
}

void arena_clear(struct arena *arena)
{
    struct arena_block *block = arena->block;

    arena->used = 0;
    if (!block)
        return;
    free_chain(block->older);
    block->older = NULL;
    arena->at = block->bytes;
    arena->end = block->bytes + block->size;
}

/* Not a part of its callers, which are short without it. */
__attribute__((noinline)) static void add_block(struct arena *arena,
                                                size_t need)
{
    size_t size = need > BLOCK_SIZE ? need : BLOCK_SIZE;
    struct arena_block *block = mem_resize(NULL, sizeof(*block) + size);

    block->older = arena->block;
    block->size = size;
    arena->block = block;
    arena->at = block->bytes;
    arena->end = block->bytes + size;
}

void *arena_new(struct arena *arena, size_t size)
{
    size_t pad = -(uintptr_t)arena->at & (alignof(max_align_t) - 1);

    if (!arena->at || (size_t)(arena->end - arena->at) < pad + size) {
        add_block(arena, size);
        pad = 0;
    }

    void *result = arena->at + pad;
    arena->at += pad + size;
    arena->used += size;
    return memset(result, 0, size);
}

char *arena_reserve(struct arena *arena, size_t max)
{
    if (!arena->at || (size_t)(arena->end - arena->at) < max)
        add_block(arena, max);
    return arena->at;
}

void arena_commit(struct arena *arena, size_t used)
{
    assert(used <= (size_t)(arena->end - arena->at));
    arena->at += used;
    arena->used += used;
}

struct str arena_copy(struct arena *arena, struct str s)
{
    char *copy = arena_reserve(arena, s.len + 1);

    if (s.len)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    arena_commit(arena, s.len + 1);
    return (struct str){copy, s.len};
}
