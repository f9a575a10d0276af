#include "frontier/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Ordered linear probing: since a home position grows with the fingerprint,
 * keeping each run of full slots sorted keeps the whole table sorted. A
 * search ends at the first larger value, which is what makes a table that is
 * seven eighths full affordable. */

enum { FIRST_ROOM = 1024, FIRST_SPARE = 256 };

__extension__ typedef unsigned __int128 uint128;

enum { FLAG = 1 };

static uint64_t without_flag(uint64_t slot)
{
    return slot & ~(uint64_t)FLAG;
}

/* 0 is a free slot; the one fingerprint that is 0 shares with 2. */
static uint64_t stored(uint64_t fingerprint)
{
    uint64_t value = without_flag(fingerprint);

    return value ? value : 2;
}

static size_t home(const struct seen *seen, uint64_t value)
{
    return (size_t)(((uint128)value * seen->room) >> 64);
}

static size_t slots(const struct seen *seen)
{
    return seen->room + seen->spare;
}

void seen_init(struct seen *seen)
{
    *seen = (struct seen){0};
}

void seen_release(struct seen *seen)
{
    free(seen->slot);
    free(seen->depth);
    *seen = (struct seen){0};
}

/* Where the value is or belongs; the last slot of all is always free. */
static size_t find(const struct seen *seen, uint64_t value)
{
    size_t at = home(seen, value);

    while (seen->slot[at] && without_flag(seen->slot[at]) < value)
        at++;
    return at;
}

static bool copy_into(struct seen *to, const struct seen *from)
{
    size_t next = 0;

    for (size_t i = 0; i < slots(from); i++) {
        if (!from->slot[i])
            continue;
        size_t at = home(to, without_flag(from->slot[i]));
        if (at < next)
            at = next;
        if (at >= slots(to) - 1)
            return false;
        to->slot[at] = from->slot[i];
        if (to->depth)
            to->depth[at] = from->depth[i];
        next = at + 1;
    }
    return true;
}

/* If many fingerprints are close together at the end, more room would not part
 * them, so it is the spare part that grows: memory stays in proportion to the
 * count. */
static void resize(struct seen *seen, size_t room, size_t spare)
{
    struct seen old = *seen;

    for (;; spare *= 2) {
        seen->room = room;
        seen->spare = spare;
        seen->slot = mem_array(slots(seen), sizeof(*seen->slot));
        if (old.depth)
            seen->depth = mem_array(slots(seen), 1);
        if (copy_into(seen, &old))
            break;
        free(seen->slot);
        free(seen->depth);
    }
    free(old.slot);
    free(old.depth);
}

static void grow(struct seen *seen)
{
    size_t room = seen->room ? seen->room + seen->room / 2 : FIRST_ROOM;

    resize(seen, room, FIRST_SPARE);
}

bool seen_has(const struct seen *seen, uint64_t fingerprint)
{
    uint64_t value = stored(fingerprint);

    return seen->room && without_flag(seen->slot[find(seen, value)]) == value;
}

/* Open a gap at `at` by moving the rest of its run up by one. False where the
 * run reaches the end of the table. */
static bool open_gap(struct seen *seen, size_t at)
{
    size_t end = at;

    while (seen->slot[end])
        end++;
    if (end == slots(seen) - 1)
        return false;
    memmove(seen->slot + at + 1, seen->slot + at,
            (end - at) * sizeof(*seen->slot));
    if (seen->depth)
        memmove(seen->depth + at + 1, seen->depth + at, end - at);
    return true;
}

bool seen_add(struct seen *seen, uint64_t fingerprint)
{
    uint64_t value = stored(fingerprint);

    if (seen->count >= seen->room - seen->room / 8)
        grow(seen);

    size_t at = find(seen, value);
    if (without_flag(seen->slot[at]) == value)
        return false;
    if (!open_gap(seen, at)) {
        resize(seen, seen->room, 2 * seen->spare);
        at = find(seen, value);
        open_gap(seen, at);
    }
    seen->slot[at] = value;
    if (seen->depth)
        seen->depth[at] = 0;
    seen->count++;
    return true;
}

void seen_set_flag(struct seen *seen, uint64_t fingerprint, bool flag)
{
    uint64_t value = stored(fingerprint);

    if (seen_has(seen, fingerprint))
        seen->slot[find(seen, value)] = flag ? value | FLAG : value;
}

bool seen_has_flag(const struct seen *seen, uint64_t fingerprint)
{
    uint64_t value = stored(fingerprint);

    return seen->room && seen->slot[find(seen, value)] == (value | FLAG);
}

/* --- depths ------------------------------------------------------------- */

void seen_keep_depths(struct seen *seen)
{
    if (seen->depth)
        return;
    if (!seen->room)
        grow(seen);
    seen->depth = mem_array(slots(seen), 1);
}

/* NULL: no depths are kept, or it is not in the set. */
static uint8_t *depth_of(const struct seen *seen, uint64_t fingerprint)
{
    uint64_t value = stored(fingerprint);

    if (!seen->depth)
        return NULL;
    size_t at = find(seen, value);
    return without_flag(seen->slot[at]) == value ? &seen->depth[at] : NULL;
}

static uint8_t depth_byte(uint32_t depth)
{
    return (uint8_t)(1 + (depth < SEEN_DEPTH_MAX ? depth : SEEN_DEPTH_MAX));
}

void seen_set_depth(struct seen *seen, uint64_t fingerprint, uint32_t depth)
{
    uint8_t *known = depth_of(seen, fingerprint);

    if (known && (!*known || *known > depth_byte(depth)))
        *known = depth_byte(depth);
}

bool seen_lower_depth(struct seen *seen, uint64_t fingerprint, uint32_t depth)
{
    uint8_t *known = depth_of(seen, fingerprint);

    if (!known || *known <= depth_byte(depth))
        return false;
    *known = depth_byte(depth);
    seen->lowered++;
    return true;
}

uint32_t seen_depth(const struct seen *seen, uint64_t fingerprint)
{
    const uint8_t *known = depth_of(seen, fingerprint);

    return known && *known ? *known - 1u : UINT32_MAX;
}

void seen_prefetch(const struct seen *seen, uint64_t fingerprint)
{
    if (seen->room)
        __builtin_prefetch(&seen->slot[home(seen, stored(fingerprint))]);
}
