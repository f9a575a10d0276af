/* The delimiters of 64 bytes at a time, with AVX-512 (VBMI2: Intel from Ice
 * Lake on, AMD from Zen 4 on). One instruction finds all delimiters, one
 * more makes the list of their offsets. */
#include "html/delimiters.h"

#if defined(__x86_64__) && !defined(HTML_SCALAR)

#include <immintrin.h>

enum { STEP = 64, HALF = 32 };

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

/* Bit i tells whether byte i is a delimiter. '<' and '>' differ in one bit. */
WIDE static inline __mmask64 delimiters_of(__m512i bytes)
{
    __m512i angles = _mm512_or_si512(bytes, _mm512_set1_epi8(2));

    return _mm512_cmpeq_epi8_mask(angles, _mm512_set1_epi8('>')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\''));
}

/* 32 offsets, each `base` more than the byte it is made of. */
WIDE static inline void put(uint16_t *out, unsigned base, __m256i offsets)
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

WIDE static unsigned find(uint16_t *out, const char *chunk, unsigned len)
{
    const __m512i offsets = all_offsets();
    unsigned count = 0;

    for (unsigned at = 0; at < len; at += STEP) {
        unsigned left = len - at;
        __mmask64 there = left < STEP ? (1ull << left) - 1 : ~0ull;
        __mmask64 found =
            delimiters_of(_mm512_maskz_loadu_epi8(there, chunk + at));
        __m512i packed = _mm512_maskz_compress_epi8(found, offsets);
        unsigned found_count = (unsigned)_mm_popcnt_u64(found);

        put(out + count, at, _mm512_castsi512_si256(packed));
        if (found_count > HALF)
            put(out + count + HALF, at, _mm512_extracti64x4_epi64(packed, 1));
        count += found_count;
    }
    return count;
}

delimiters_finder *delimiters_find_wide(void)
{
    bool is_here = __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vbmi2");

    return is_here ? find : NULL;
}

#else

delimiters_finder *delimiters_find_wide(void)
{
    return NULL;
}

#endif
