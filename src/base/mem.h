/* Allocation that cannot fail: out of memory ends the program with one line.
 *
 * That is safe because input never decides the size of an allocation: what
 * comes from outside is capped before it is stored.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

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

#endif
