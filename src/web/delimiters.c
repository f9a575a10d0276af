#include "web/delimiters.h"

#include <assert.h>

#include "web/block.h"

#if defined(__x86_64__) && !defined(HTML_SCALAR)
#include <immintrin.h>
#endif

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

/* ---- with wider registers -----------------------------------------------
 *
 * With AVX-512 (VBMI2: Intel from Ice Lake on, AMD from Zen 4 on) it is one
 * instruction to find the delimiters of 64 bytes and one more to list their
 * offsets. With AVX2 (nearly every processor since 2015) finding them takes
 * half as many instructions as with SSE2, and taking one offset off the list
 * one instead of three. */

#if defined(__x86_64__) && !defined(HTML_SCALAR)

enum { HALF = 32 };

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

/* Bit i tells whether byte i is a delimiter. '<' and '>' differ in one bit. */
WIDE static inline __mmask64 delimiters_of_512(__m512i bytes)
{
    __m512i angles = _mm512_or_si512(bytes, _mm512_set1_epi8(2));

    return _mm512_cmpeq_epi8_mask(angles, _mm512_set1_epi8('>')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\''));
}

/* 32 offsets, each `base` more than the byte it is made of. */
WIDE static inline void put_32(uint16_t *out, unsigned base, __m256i offsets)
{
    __m512i wide = _mm512_cvtepu8_epi16(offsets);

    _mm512_storeu_si512(out,
                        _mm512_add_epi16(wide, _mm512_set1_epi16((short)base)));
}

/* 0, 1, 2, ... 63. */
WIDE static inline __m512i all_offsets(void)
{
    char offset[STEP];

    for (int i = 0; i < STEP; i++)
        offset[i] = (char)i;
    return _mm512_loadu_si512(offset);
}

WIDE static unsigned find_avx512(uint16_t *out, const char *chunk, unsigned len)
{
    const __m512i offsets = all_offsets();
    unsigned count = 0;

    for (unsigned at = 0; at < len; at += STEP) {
        unsigned left = len - at;
        __mmask64 there = left < STEP ? (1ull << left) - 1 : ~0ull;
        __mmask64 found =
            delimiters_of_512(_mm512_maskz_loadu_epi8(there, chunk + at));
        __m512i packed = _mm512_maskz_compress_epi8(found, offsets);
        unsigned found_count = (unsigned)_mm_popcnt_u64(found);

        put_32(out + count, at, _mm512_castsi512_si256(packed));
        if (found_count > HALF)
            put_32(out + count + HALF, at,
                   _mm512_extracti64x4_epi64(packed, 1));
        count += found_count;
    }
    return count;
}

#define MIDDLE __attribute__((target("avx2,bmi,popcnt")))

MIDDLE static inline uint32_t delimiters_of_half(__m256i bytes)
{
    __m256i angles = _mm256_or_si256(bytes, _mm256_set1_epi8(2));
    __m256i quotes =
        _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\'')));
    __m256i all = _mm256_or_si256(
        quotes, _mm256_cmpeq_epi8(angles, _mm256_set1_epi8('>')));

    return (uint32_t)_mm256_movemask_epi8(all);
}

MIDDLE static inline uint64_t delimiters_of_64(const char *at)
{
    __m256i low = _mm256_loadu_si256((const void *)at);
    __m256i high = _mm256_loadu_si256((const void *)(at + HALF));

    return delimiters_of_half(low) | (uint64_t)delimiters_of_half(high) << HALF;
}

/* Write eight offsets, even if fewer are left: a processor mispredicts the end
 * of a loop over the exact number nearly every time. */
MIDDLE static inline uint64_t put_8(uint16_t *out, unsigned base,
                                    uint64_t found)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (uint16_t)(base + (unsigned)_tzcnt_u64(found));
        found = _blsr_u64(found);
    }
    return found;
}

MIDDLE static unsigned find_avx2(uint16_t *out, const char *chunk, unsigned len)
{
    unsigned count = 0;

    for (unsigned at = 0; at < len; at += STEP) {
        char tail[STEP] = {0};
        const char *from = chunk + at;
        if (len - at < STEP)
            from = memcpy(tail, from, len - at);
        uint64_t found = delimiters_of_64(from);
        unsigned found_count = (unsigned)_mm_popcnt_u64(found);

        for (unsigned i = 0; i < found_count; i += 8)
            found = put_8(out + count + i, at, found);
        count += found_count;
    }
    return count;
}

delimiters_finder *delimiters_find_wide(void)
{
    if (__builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vbmi2"))
        return find_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
        return find_avx2;
    return NULL;
}

#else

delimiters_finder *delimiters_find_wide(void)
{
    return NULL;
}

#endif
