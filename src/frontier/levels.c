#include "frontier/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A crawl works on two or three levels at a time, so the window of depths
 * from the lowest to the highest open one is short and moves upwards. */

void levels_init(struct levels *levels)
{
    *levels = (struct levels){0};
}

void levels_release(struct levels *levels)
{
    free(levels->open);
    *levels = (struct levels){0};
}

static void widen(struct levels *levels, size_t room)
{
    size_t old = levels->room;

    if (room <= old)
        return;
    levels->room = room < 2 * old ? 2 * old : room;
    levels->open =
        mem_resize(levels->open, levels->room * sizeof(*levels->open));
    memset(levels->open + old, 0, (levels->room - old) * sizeof(*levels->open));
}

/* Move the window so that it starts at the lowest open depth. */
static void drop_done(struct levels *levels)
{
    size_t done = 0;

    while (done < levels->room && !levels->open[done])
        done++;
    if (!done || done == levels->room)
        return;
    memmove(levels->open, levels->open + done,
            (levels->room - done) * sizeof(*levels->open));
    memset(levels->open + levels->room - done, 0, done * sizeof(*levels->open));
    levels->base += (uint32_t)done;
}

static void start_lower(struct levels *levels, uint32_t depth)
{
    size_t shift = levels->base - depth;
    size_t used = levels->room;

    /* Only what is open moves, or going up and down would widen for ever. */
    while (used && !levels->open[used - 1])
        used--;
    widen(levels, used + shift);
    memmove(levels->open + shift, levels->open, used * sizeof(*levels->open));
    memset(levels->open, 0, shift * sizeof(*levels->open));
    levels->base = depth;
}

void levels_add(struct levels *levels, uint32_t depth)
{
    if (levels_lowest(levels) == UINT32_MAX)
        levels->base = depth;
    if (depth < levels->base)
        start_lower(levels, depth);
    widen(levels, (size_t)depth - levels->base + 1);
    levels->open[depth - levels->base]++;
}

void levels_remove(struct levels *levels, uint32_t depth)
{
    assert(depth >= levels->base && levels->open[depth - levels->base]);
    if (!--levels->open[depth - levels->base])
        drop_done(levels);
}

size_t levels_open(const struct levels *levels, uint32_t depth)
{
    return depth >= levels->base && depth - levels->base < levels->room
               ? levels->open[depth - levels->base]
               : 0;
}

uint32_t levels_lowest(const struct levels *levels)
{
    /* After drop_done the first is open unless none is. */
    return levels->room && levels->open[0] ? levels->base : UINT32_MAX;
}
