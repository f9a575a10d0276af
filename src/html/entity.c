#include "html/entity.h"

#include <assert.h>

#include "base/utf8.h"

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

#include "html/entity_table.inc"

static_assert(ARRAY_LEN(entities) == ENTITY_COUNT, "the table is complete");
static_assert(ARRAY_LEN(entities) == HTML_ENTITIES, "as the header says");

static int compare_name(struct str name, const struct entity_letter *letter,
                        const struct entity *entity)
{
    size_t len =
        name.len < entity->name_len ? name.len : (size_t)entity->name_len;
    int order = memcmp(name.ptr, letter->names + entity->name, len);

    return order ? order : (int)name.len - (int)entity->name_len;
}

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
        int order = compare_name(name, letter, middle);

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
