#include "base/mem.h"

#include <malloc.h>
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
