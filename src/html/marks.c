#include "html/marks.h"

#include <assert.h>

#include "html/block.h"

enum { STEP = 64, MARKS_AT_ONCE = 16 };
static_assert(MARKS_CHUNK <= UINT16_MAX, "an offset fits");

void marks_init(struct marks *marks, struct str page)
{
    marks_finder *wide = marks_find_wide();

    marks->find = wide ? wide : marks_find;
    marks->chunk = marks->known = page.ptr;
    marks->end = page.ptr + page.len;
    marks->next = marks->count = 0;
}

/* Bit i tells whether at[i] is a mark. */
static inline uint64_t marks_of(const char *at)
{
    uint64_t found = 0;

#pragma GCC unroll 8
    for (unsigned i = 0; i < STEP; i += BLOCK_LEN)
        found |= (uint64_t)block_marks(block_load_all(at + i)) << i;
    return found;
}

/* The same for the fewer than STEP bytes at the page's end. */
static __attribute__((noinline)) uint64_t marks_of_tail(const char *at,
                                                        size_t len)
{
    char tail[STEP] = {0};

    memcpy(tail, at, len);
    return marks_of(tail);
}

static unsigned count_bits(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(bits * 0x0101010101010101u >> 56);
}

/* Write MARKS_AT_ONCE places, whether there are as many or not: where a loop
 * that ends with the last one will end is guessed wrong nearly every time. */
static inline uint64_t put_marks(uint16_t *out, unsigned base, uint64_t found)
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < MARKS_AT_ONCE; i++) {
        out[i] = (uint16_t)(base + block_first(found | 1ull << 63));
        found &= found - 1;
    }
    return found;
}

unsigned marks_find(uint16_t *out, const char *chunk, unsigned len)
{
    unsigned count = 0;

    for (unsigned at = 0; at < len; at += STEP) {
        uint64_t found = len - at < STEP ? marks_of_tail(chunk + at, len - at)
                                         : marks_of(chunk + at);
        unsigned found_count = count_bits(found);

        for (unsigned i = 0; i < found_count; i += MARKS_AT_ONCE)
            found = put_marks(out + count + i, at, found);
        count += found_count;
    }
    return count;
}

bool marks_refill(struct marks *marks)
{
    marks->next = marks->count = 0;
    while (marks->count == 0 && marks->known < marks->end) {
        size_t rest = (size_t)(marks->end - marks->known);
        unsigned len = rest < MARKS_CHUNK ? (unsigned)rest : MARKS_CHUNK;

        marks->chunk = marks->known;
        marks->known += len;
        marks->count = marks->find(marks->offset, marks->chunk, len);
    }
    return marks->count > 0;
}

void marks_seek(struct marks *marks, const char *at)
{
    if (at > marks->known) {
        marks->known = at;
        marks->next = marks->count = 0;
    }
    while (marks->next < marks->count &&
           marks->chunk + marks->offset[marks->next] < at)
        marks->next++;
}
