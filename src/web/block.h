/* Many bytes at once: the only code here that knows about the processor.
 *
 * A block is BLOCK_LEN bytes of the page. A comparison answers a mask, bit i
 * for byte i, masks are joined with `|`, and block_first() tells the offset of
 * the first bit:
 *
 *     struct block block = block_load(at, end);
 *     uint32_t stop = block_equal(block, '=') | block_equal(block, '>');
 *     if (stop)
 *         at += block_first(stop);
 *
 * With SSE2 (every x86-64) a block is 16 bytes; elsewhere, and where
 * HTML_SCALAR is defined, it is eight bytes in a 64-bit integer.
 */
#ifndef WEB_BLOCK_H
#define WEB_BLOCK_H

#include "base/str.h"

#if defined(__SSE2__) && !defined(HTML_SCALAR)

#include <emmintrin.h>

enum { BLOCK_LEN = 16 };

struct block {
    __m128i bytes;
};

static inline struct block block_load_all(const char *at)
{
    return (struct block){_mm_loadu_si128((const void *)at)};
}

static inline uint32_t block_equal(struct block block, char c)
{
    __m128i equal = _mm_cmpeq_epi8(block.bytes, _mm_set1_epi8(c));
    return (uint32_t)_mm_movemask_epi8(equal);
}

/* The bytes that markup is made of: '<', '>' and quotes. '<' and '>' differ
 * in one bit. */
static inline uint32_t block_delimiters(struct block block)
{
    __m128i angle = _mm_cmpeq_epi8(_mm_or_si128(block.bytes, _mm_set1_epi8(2)),
                                   _mm_set1_epi8('>'));
    __m128i quote =
        _mm_or_si128(_mm_cmpeq_epi8(block.bytes, _mm_set1_epi8('"')),
                     _mm_cmpeq_epi8(block.bytes, _mm_set1_epi8('\'')));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(angle, quote));
}

/* Bytes from 0 to `c`, which is under 0x80. */
static inline uint32_t block_at_most(struct block block, char c)
{
    __m128i lower = _mm_min_epu8(block.bytes, _mm_set1_epi8(c));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(lower, block.bytes));
}

/* Bytes from 0x80 on. */
static inline uint32_t block_not_ascii(struct block block)
{
    return (uint32_t)_mm_movemask_epi8(block.bytes);
}

#else

enum { BLOCK_LEN = 8 };

struct block {
    uint64_t bytes;
};

static inline struct block block_load_all(const char *at)
{
    struct block block;

    memcpy(&block.bytes, at, sizeof(block.bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    block.bytes = __builtin_bswap64(block.bytes);
#endif
    return block;
}

static inline uint64_t block_each(int byte)
{
    return (uint64_t)byte * 0x0101010101010101u;
}

/* The multiplication moves the high bit of each byte, one after the other,
 * into the top byte. */
static inline uint32_t block_not_ascii(struct block block)
{
    uint64_t high_bits = (block.bytes >> 7) & block_each(1);
    return (uint32_t)((high_bits * 0x0102040810204080u) >> 56);
}

/* Adding to the low seven bits cannot carry into the next byte, so the high
 * bit of each sum tells whether that byte is above `c`. */
static inline uint32_t block_at_most(struct block block, char c)
{
    uint64_t low_bits = block.bytes & block_each(0x7f);
    uint64_t above = low_bits + block_each(0x7f - c);

    return block_not_ascii((struct block){~(above | block.bytes)});
}

static inline uint32_t block_equal(struct block block, char c)
{
    return block_at_most((struct block){block.bytes ^ block_each(c)}, 0);
}

static inline uint32_t block_delimiters(struct block block)
{
    return block_equal(block, '<') | block_equal(block, '>') |
           block_equal(block, '"') | block_equal(block, '\'');
}

#endif

/* The same where the page ends within the block: the rest counts as NUL. */
static __attribute__((noinline, cold, unused)) struct block
block_load_tail(const char *at, const char *end)
{
    char tail[BLOCK_LEN] = {0};

    memcpy(tail, at, (size_t)(end - at));
    return block_load_all(tail);
}

/* The BLOCK_LEN bytes at `at`; those from `end` on count as NUL. */
static inline struct block block_load(const char *at, const char *end)
{
    return end - at >= BLOCK_LEN ? block_load_all(at)
                                 : block_load_tail(at, end);
}

/* The offset of the first bit of a mask that is not 0. */
static inline unsigned block_first(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* The first `c` from `at` on, or `end`. Most things in HTML are
 * near, and those are found faster than memchr can be called. */
static inline const char *block_find(const char *at, const char *end, char c)
{
    for (int i = 0; i < 4 && end - at >= BLOCK_LEN; i++, at += BLOCK_LEN) {
        uint32_t found = block_equal(block_load_all(at), c);
        if (found)
            return at + block_first(found);
    }
    if (at == end)
        return end;

    const char *found = memchr(at, c, (size_t)(end - at));
    return found ? found : end;
}

#endif
