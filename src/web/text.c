#include "web/text.h"

#include <assert.h>

#include "base/str.h"

/* ---- character references ----------------------------------------------- */

struct entity {
    uint16_t name; /* offset into the names of its first letter */
    uint8_t name_len;
    uint8_t is_legacy; /* may stand without a semicolon */
    uint8_t utf8_len;
    unsigned char utf8[6];
};

struct entity_letter {
    uint16_t first, count;
    const char *names;
};

#include "web/entity_table.inc"

static_assert(ARRAY_LEN(entities) == ENTITY_COUNT, "the table is complete");
static_assert(ARRAY_LEN(entities) == HTML_ENTITIES, "as the header says");

/* `name` has at most ENTITY_NAME_MAX bytes. */
static const struct entity *find_entity(struct str name)
{
    if (!name.len || !ascii_is_alpha(name.ptr[0]))
        return NULL;

    const struct entity_letter *letter = &entity_letters[name.ptr[0] - 'A'];
    const struct entity *low = entities + letter->first;
    const struct entity *high = low + letter->count;

    while (low < high) {
        const struct entity *middle = low + (high - low) / 2;
        size_t len =
            name.len < middle->name_len ? name.len : (size_t)middle->name_len;
        int order = memcmp(name.ptr, letter->names + middle->name, len);

        if (order == 0)
            order = (int)name.len - (int)middle->name_len;
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static struct html_reference entity_reference(const struct entity *entity,
                                              size_t len)
{
    struct html_reference ref = {.len = len, .utf8_len = entity->utf8_len};

    memcpy(ref.utf8, entity->utf8, sizeof(entity->utf8));
    return ref;
}

/* `s` is what follows the '&'. The standard wants the longest name that fits.
 * A name with a semicolon ends where the letters and digits end; so either
 * all of them are the name, or one of the few legacy names begins them. */
static struct html_reference named(struct str s, bool in_attribute)
{
    size_t run = 0;
    while (run < s.len && run <= ENTITY_NAME_MAX && ascii_is_alnum(s.ptr[run]))
        run++;

    if (run <= ENTITY_NAME_MAX && run < s.len && s.ptr[run] == ';') {
        const struct entity *entity = find_entity(str_first(s, run));
        if (entity)
            return entity_reference(entity, 1 + run + 1);
    }

    size_t len = run < ENTITY_LEGACY_MAX ? run : ENTITY_LEGACY_MAX;
    for (; len >= ENTITY_LEGACY_MIN; len--) {
        const struct entity *entity = find_entity(str_first(s, len));
        if (!entity || !entity->is_legacy)
            continue;
        if (in_attribute && len < s.len &&
            (s.ptr[len] == '=' || ascii_is_alnum(s.ptr[len])))
            break;
        return entity_reference(entity, 1 + len);
    }
    return (struct html_reference){0};
}

/* The character of a number: a C1 control stands for the character that
 * windows-1252 has there, and a number that is no character for U+FFFD. */
static uint32_t character_of_number(uint32_t number)
{
    static const uint16_t windows_1252[32] = {
        0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
        0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
        0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
        0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
    };

    if (number >= 0x80 && number <= 0x9f)
        return windows_1252[number - 0x80];
    if (number == 0 || number > 0x10ffff ||
        (number >= 0xd800 && number <= 0xdfff))
        return UTF8_REPLACEMENT;
    return number;
}

/* `s` is what follows the "&#". */
static struct html_reference numeric(struct str s)
{
    bool is_hex = s.len && (s.ptr[0] == 'x' || s.ptr[0] == 'X');
    uint32_t base = is_hex ? 16 : 10;
    size_t start = is_hex, at = start;
    uint32_t number = 0;

    for (; at < s.len; at++) {
        int digit = hex_value(s.ptr[at]);
        if (digit < 0 || (uint32_t)digit >= base)
            break;
        if (number <= 0x10ffff) /* more digits only make it larger */
            number = number * base + (uint32_t)digit;
    }
    if (at == start)
        return (struct html_reference){0};
    if (at < s.len && s.ptr[at] == ';')
        at++;

    struct html_reference ref = {.len = 2 + at};
    ref.utf8_len = utf8_put(ref.utf8, character_of_number(number));
    return ref;
}

struct html_reference html_reference(struct str s, bool in_attribute)
{
    if (s.len >= 2 && s.ptr[1] == '#')
        return numeric(str_skip(s, 2));
    return named(str_skip(s, 1), in_attribute);
}

bool html_entity_find(struct str name, struct html_reference *meaning,
                      unsigned *number)
{
    const struct entity *entity =
        name.len <= ENTITY_NAME_MAX ? find_entity(name) : NULL;

    if (!entity)
        return false;
    *meaning = entity_reference(entity, 1 + name.len + 1);
    *number = (unsigned)(entity - entities);
    return true;
}

/* ---- text --------------------------------------------------------------- */

struct rules {
    bool has_references, replaces_nul;
};

/* NULs between tags and in CDATA sections are left to the tree builder. */
static const struct rules rules_of[HTML_TEXT_KINDS] = {
    [HTML_TEXT_DATA] = {.has_references = true},
    [HTML_TEXT_RCDATA] = {.has_references = true, .replaces_nul = true},
    [HTML_TEXT_RAW] = {.replaces_nul = true},
    [HTML_TEXT_CDATA] = {0},
    [HTML_TEXT_VALUE] = {.has_references = true, .replaces_nul = true},
};

/* The first byte from `at` on that is not what it looks like, or `end`. */
static const char *skip_plain(const char *at, const char *end,
                              struct rules rules)
{
    while (at < end && *at != '\r' && !(*at == '&' && rules.has_references) &&
           !(*at == '\0' && rules.replaces_nul))
        at++;
    return at;
}

bool html_text_is_plain(struct str raw, enum html_text kind)
{
    if (!raw.len)
        return true;

    const char *end = raw.ptr + raw.len;
    return skip_plain(raw.ptr, end, rules_of[kind]) == end;
}

/* Append the meaning of the special byte at `*at` and step over it. */
static bool put_special(struct buf *out, const char **at, const char *end,
                        enum html_text kind)
{
    char c = *(*at)++;

    switch (c) {
    case '&': {
        struct str rest = str_between(*at - 1, end);
        struct html_reference ref =
            html_reference(rest, kind == HTML_TEXT_VALUE);
        if (ref.len == 0)
            return buf_put_char(out, '&');
        *at += ref.len - 1;
        return buf_put(out, (struct str){ref.utf8, ref.utf8_len});
    }
    case '\0':
        return buf_put(out, STR("\xef\xbf\xbd"));
    default: /* '\r' */
        if (*at < end && **at == '\n')
            ++*at;
        return buf_put_char(out, '\n');
    }
}

bool html_text_put(struct buf *out, struct str raw, enum html_text kind)
{
    if (!raw.len)
        return true;

    const char *at = raw.ptr, *end = raw.ptr + raw.len;

    while (at < end) {
        const char *special = skip_plain(at, end, rules_of[kind]);

        if (!buf_put(out, str_between(at, special)))
            return false;
        at = special;
        if (at < end && !put_special(out, &at, end, kind))
            return false;
    }
    return true;
}
