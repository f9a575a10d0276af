/* How many targets of each depth are not done yet, and the smallest such
 * depth: the level that a breadth-first crawl is at. */
#ifndef FRONTIER_LEVELS_H
#define FRONTIER_LEVELS_H

#include <stddef.h>
#include <stdint.h>

struct levels {
    size_t *open; /* by depth - base */
    size_t room;
    uint32_t base; /* every depth below has none */
};

void levels_init(struct levels *levels);
void levels_release(struct levels *levels);
void levels_add(struct levels *levels, uint32_t depth);
void levels_remove(struct levels *levels, uint32_t depth);

/* How many of this depth. */
size_t levels_open(const struct levels *levels, uint32_t depth);

/* The smallest depth with an open target, or UINT32_MAX. */
uint32_t levels_lowest(const struct levels *levels);

#endif
