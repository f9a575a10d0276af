#include "url/glob.h"

/* A text is read once. At each character it is known which places of the
 * pattern can be reached, as a set of bits; so nothing is ever tried again. */

enum { WORD_BITS = 64, WORDS = GLOB_LEN_MAX / WORD_BITS + 1 };

struct places {
    uint64_t word[WORDS];
};

const char *glob_fault(struct str pattern, size_t *at)
{
    *at = 0;
    if (!pattern.len)
        return "it is empty";
    if (pattern.len > GLOB_LEN_MAX) {
        *at = GLOB_LEN_MAX;
        return "it is longer than 2000 characters";
    }
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] != '\\')
            continue;
        *at = i++;
        if (i == pattern.len)
            return "nothing follows the \\";
    }
    *at = 0;
    return NULL;
}

static bool has(const struct places *places, size_t place)
{
    return places->word[place / WORD_BITS] >> (place % WORD_BITS) & 1;
}

static bool is_star(struct str pattern, size_t place)
{
    return place < pattern.len && pattern.ptr[place] == '*';
}

static bool is_double_star(struct str pattern, size_t place)
{
    return is_star(pattern, place) && is_star(pattern, place + 1);
}

/* The place is reached, and with it those behind stars, which may stand for
 * nothing. */
static void reach(struct places *places, struct str pattern, size_t place)
{
    for (;;) {
        if (has(places, place))
            return;
        places->word[place / WORD_BITS] |= (uint64_t)1 << (place % WORD_BITS);
        if (!is_star(pattern, place))
            return;
        place += is_double_star(pattern, place) ? 2 : 1;
    }
}

/* Read the character `c` at a place. */
static void step(struct places *next, struct str pattern, size_t place, char c)
{
    if (place == pattern.len)
        return;
    char want = pattern.ptr[place];
    size_t after = place + 1;

    if (want == '*') {
        if (c != '/' || is_double_star(pattern, place))
            reach(next, pattern, place);
        return;
    }
    if (want == '\\')
        want = pattern.ptr[after++];
    else if (want == '?')
        want = c == '/' ? '?' : c;
    if (want != c)
        return;
    reach(next, pattern, after);
    /* "/ ** /" as a single '/'. A place behind one that was reached so, or by
     * its own '/', is reached with it. */
    while (pattern.ptr[place] == '/' && is_double_star(pattern, after) &&
           after + 2 < pattern.len && pattern.ptr[after + 2] == '/' &&
           !has(next, after + 3)) {
        after += 3;
        reach(next, pattern, after);
    }
}

/* The places that can be reached with all of the text read. False: none. */
static bool read_text(struct places *now, struct str pattern, struct str text)
{
    size_t words = pattern.len / WORD_BITS + 1;
    uint64_t any = 1;

    *now = (struct places){0};
    reach(now, pattern, 0);
    for (size_t i = 0; i < text.len && any; i++) {
        struct places next;

        memset(&next, 0, words * sizeof(next.word[0]));
        any = 0;
        for (size_t w = 0; w < words; w++)
            for (uint64_t left = now->word[w]; left; left &= left - 1)
                step(&next, pattern,
                     w * WORD_BITS + (size_t)__builtin_ctzll(left),
                     text.ptr[i]);
        for (size_t w = 0; w < words; w++)
            any |= now->word[w] = next.word[w];
    }
    return any;
}

bool glob_matches(struct str pattern, struct str text)
{
    struct places now;

    return read_text(&now, pattern, text) && has(&now, pattern.len);
}

bool glob_may_begin(struct str pattern, struct str head)
{
    struct places now;

    return read_text(&now, pattern, head);
}
