#include "html/delimiters.h"

#include <assert.h>

#include "html/block.h"

enum { STEP = 64, AT_ONCE = 16 };
static_assert(DELIMITERS_CHUNK <= UINT16_MAX, "an offset fits");

void delimiters_init(struct delimiters *delimiters, struct str page)
{
    delimiters_finder *wide = delimiters_find_wide();

    delimiters->find = wide ? wide : delimiters_find;
    delimiters->chunk = delimiters->known = page.ptr;
    delimiters->end = page.ptr + page.len;
    delimiters->next = delimiters->count = 0;
}

/* Bit i tells whether at[i] is a delimiter. */
static inline uint64_t delimiters_of(const char *at)
{
    uint64_t found = 0;

#pragma GCC unroll 8
    for (unsigned i = 0; i < STEP; i += BLOCK_LEN)
        found |= (uint64_t)block_delimiters(block_load_all(at + i)) << i;
    return found;
}

/* The same for the fewer than STEP bytes at the page's end. */
static __attribute__((noinline)) uint64_t delimiters_of_tail(const char *at,
                                                             size_t len)
{
    char tail[STEP] = {0};

    memcpy(tail, at, len);
    return delimiters_of(tail);
}

static unsigned count_bits(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(bits * 0x0101010101010101u >> 56);
}

/* Write AT_ONCE offsets, whether there are as many or not: where a loop
 * that ends with the last one will end is guessed wrong nearly every time. */
static inline uint64_t put_offsets(uint16_t *out, unsigned base, uint64_t found)
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < AT_ONCE; i++) {
        out[i] = (uint16_t)(base + block_first(found | 1ull << 63));
        found &= found - 1;
    }
    return found;
}

unsigned delimiters_find(uint16_t *out, const char *chunk, unsigned len)
{
    unsigned count = 0;

    for (unsigned at = 0; at < len; at += STEP) {
        uint64_t found = len - at < STEP
                             ? delimiters_of_tail(chunk + at, len - at)
                             : delimiters_of(chunk + at);
        unsigned found_count = count_bits(found);

        for (unsigned i = 0; i < found_count; i += AT_ONCE)
            found = put_offsets(out + count + i, at, found);
        count += found_count;
    }
    return count;
}

bool delimiters_refill(struct delimiters *delimiters)
{
    delimiters->next = delimiters->count = 0;
    while (delimiters->count == 0 && delimiters->known < delimiters->end) {
        size_t rest = (size_t)(delimiters->end - delimiters->known);
        unsigned len =
            rest < DELIMITERS_CHUNK ? (unsigned)rest : DELIMITERS_CHUNK;

        delimiters->chunk = delimiters->known;
        delimiters->known += len;
        delimiters->count =
            delimiters->find(delimiters->offset, delimiters->chunk, len);
    }
    return delimiters->count > 0;
}

void delimiters_seek(struct delimiters *delimiters, const char *at)
{
    if (at > delimiters->known) {
        delimiters->known = at;
        delimiters->next = delimiters->count = 0;
    }
    while (delimiters->next < delimiters->count &&
           delimiters->chunk + delimiters->offset[delimiters->next] < at)
        delimiters->next++;
}
