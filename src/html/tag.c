#include "html/tag.h"

const struct html_tag_entry html_tags[TAG_COUNT] = {
    [TAG_OTHER] = {STR_INIT(""), 0},
#define X(id, first, middle, last, name, flags)                                \
    [TAG_##id] = {STR_INIT(name), flags},
    HTML_TAGS(X)
#undef X
};

/* A perfect hash of the first, the middle and the last letter and the length:
 * any odd multiplier without a collision does, and about every 1600th is one.
 * The compiler finds collisions. */
#define SLOT(first, middle, last, len)                                         \
    ((((uint32_t)(first) | (uint32_t)(middle) << 8 | (uint32_t)(last) << 16 |  \
       (uint32_t)(len) << 24) *                                                \
      0xf92eae53u) >>                                                          \
     22)

static const uint8_t slots[1024] = {
#define X(id, first, middle, last, name, flags)                                \
    [SLOT(first, middle, last, sizeof(name) - 1)] = TAG_##id,
    HTML_TAGS(X)
#undef X
};

static unsigned char lower(char c)
{
    return (unsigned char)(c | 0x20);
}

enum html_tag html_tag_find(struct str name)
{
    enum html_tag guess =
        slots[SLOT(lower(name.ptr[0]), lower(name.ptr[name.len / 2]),
                   lower(name.ptr[name.len - 1]), name.len)];

    return html_is_name(name, html_tags[guess].name) ? guess : TAG_OTHER;
}

#define LOW(c) ((c)&31)

const struct html_filter html_watched = {
    .has = {
        [LOW('a')] = {[LOW(' ')] = true, /* a */
                      [LOW('>')] = true,
                      [LOW('/')] = true,
                      [LOW('\t')] = true,
                      [LOW('\n')] = true,
                      [LOW('\f')] = true,
                      [LOW('\r')] = true,
                      [LOW('r')] = true}, /* area */
        [LOW('b')] = {[LOW('a')] = true}, /* base */
        [LOW('i')] = {[LOW('f')] = true}, /* iframe */
        [LOW('l')] = {[LOW('i')] = true}, /* link */
        [LOW('m')] = {[LOW('a')] = true,  /* math */
                      [LOW('e')] = true}, /* meta */
        [LOW('n')] = {[LOW('o')] = true}, /* noembed, noframes */
        [LOW('p')] = {[LOW('l')] = true}, /* plaintext */
        [LOW('s')] = {[LOW('c')] = true,  /* script */
                      [LOW('t')] = true,  /* style */
                      [LOW('v')] = true}, /* svg */
        [LOW('t')] = {[LOW('e')] = true,  /* template, textarea */
                      [LOW('i')] = true}, /* title */
        [LOW('x')] = {[LOW('m')] = true}, /* xmp */
    }};

#define ROW_OF_ALL                                                             \
    {                                                                          \
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,   \
            1, 1, 1, 1, 1, 1, 1, 1, 1                                          \
    }
#define EIGHT_ROWS                                                             \
    ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL,    \
        ROW_OF_ALL, ROW_OF_ALL

const struct html_filter html_all_tags = {
    .has = {EIGHT_ROWS, EIGHT_ROWS, EIGHT_ROWS, EIGHT_ROWS}};
