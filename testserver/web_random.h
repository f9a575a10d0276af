/* Numbers that look random; each is a function of its key. */
#ifndef TESTSERVER_WEB_RANDOM_H
#define TESTSERVER_WEB_RANDOM_H

#include "testserver/web.h"

/* The purpose of a draw; draws for different purposes are independent. */
enum web_purpose {
    FOR_COUNT,
    FOR_RULES,
    FOR_TRAP,
    FOR_TRAITS,
    FOR_LINKS,
    FOR_HOST_LINK,
    FOR_REDIRECT,
    FOR_PATH,
    FOR_FILE,
    FOR_TEXT,
    FOR_ADDRESS,
};

/* The finaliser of splitmix64: every bit of the input moves every bit. */
static inline uint64_t web_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static inline uint64_t web_key(const struct web *web, enum web_purpose purpose,
                               uint32_t host, uint64_t n)
{
    return web_mix(web_mix(web->seed + ((uint64_t)purpose << 32) + host) + n);
}

/* The next number of a sequence that began with a key. */
static inline uint64_t web_draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    return web_mix(*state);
}

__extension__ typedef unsigned __int128 web_u128;

/* a * b / 2^64: a 64-bit draw brought below b. */
static inline uint64_t web_below(uint64_t a, uint64_t b)
{
    return (uint64_t)((web_u128)a * b >> 64);
}

static inline bool web_chance(uint64_t draw, uint64_t share)
{
    return (draw >> 32) < share;
}

/* A heavy tail with the given mean: (mean / 2) / sqrt(uniform). The larger of
 * two uniform numbers has the distribution of a square root, so that no
 * floating point is needed and every machine draws the same. */
static inline uint64_t web_heavy_tail(uint64_t *state, uint64_t mean,
                                      uint64_t most)
{
    uint64_t a = web_draw(state) >> 40, b = web_draw(state) >> 40;
    uint64_t larger = (a > b ? a : b) + 1;
    uint64_t value = (mean << 23) / larger;

    return value < most ? value : most;
}

#endif
