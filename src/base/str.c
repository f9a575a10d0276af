#include "base/str.h"

bool str_eq_nocase(struct str a, struct str b)
{
    return a.len == b.len && str_starts_nocase(a, b);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_first(s, prefix.len), prefix);
}

bool str_starts_nocase(struct str s, struct str prefix)
{
    if (s.len < prefix.len)
        return false;
    for (size_t i = 0; i < prefix.len; i++)
        if (ascii_lower(s.ptr[i]) != ascii_lower(prefix.ptr[i]))
            return false;
    return true;
}

bool str_ends(struct str s, struct str suffix)
{
    return s.len >= suffix.len &&
           str_eq(str_skip(s, s.len - suffix.len), suffix);
}

bool str_is_clean(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

size_t str_find(struct str s, char c)
{
    const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;

    return at ? (size_t)(at - s.ptr) : s.len;
}

struct str_pair str_cut(struct str s, char separator)
{
    size_t at = str_find(s, separator);

    if (at == s.len)
        return (struct str_pair){.head = s};
    return (struct str_pair){
        .head = str_first(s, at),
        .tail = str_skip(s, at + 1),
    };
}

struct str str_trim_start(struct str s)
{
    while (s.len && ascii_is_space(s.ptr[0]))
        s = str_skip(s, 1);
    return s;
}

struct str str_trim(struct str s)
{
    s = str_trim_start(s);
    while (s.len && ascii_is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool str_to_u64(struct str s, uint64_t *out)
{
    uint64_t value = 0;

    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!ascii_is_digit(s.ptr[i]))
            return false;
        uint64_t digit = (uint64_t)(s.ptr[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* --- UTF-8 ---------------------------------------------------------------- */

/* The meaning of the first byte: the number of bytes, and the bounds of the
 * second, which keep out overlong forms, surrogates and beyond U+10FFFF. */
struct lead {
    uint8_t len, second_min, second_max;
};

static struct lead lead_of(uint8_t byte)
{
    if (byte < 0xC2 || byte > 0xF4)
        return (struct lead){0};
    if (byte < 0xE0)
        return (struct lead){2, 0x80, 0xBF};
    if (byte < 0xF0)
        return (struct lead){3, byte == 0xE0 ? 0xA0 : 0x80,
                             byte == 0xED ? 0x9F : 0xBF};
    return (struct lead){4, byte == 0xF0 ? 0x90 : 0x80,
                         byte == 0xF4 ? 0x8F : 0xBF};
}

size_t utf8_read(const char *at, const char *end, uint32_t *c)
{
    uint8_t first = (uint8_t)*at;
    struct lead lead = lead_of(first);

    *c = first;
    if (first < 0x80)
        return 1;

    size_t used = 1;
    uint32_t value = lead.len == 2   ? first & 0x1F
                     : lead.len == 3 ? first & 0x0F
                                     : first & 0x07;
    uint8_t min = lead.second_min, max = lead.second_max;
    while (used < lead.len && at + used < end) {
        uint8_t byte = (uint8_t)at[used];
        if (byte < min || byte > max)
            break;
        value = value << 6 | (byte & 0x3F);
        min = 0x80;
        max = 0xBF;
        used++;
    }
    *c = used == lead.len ? value : UTF8_REPLACEMENT;
    return used;
}

size_t utf8_put(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3F));
        to[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3F));
    to[2] = (char)(0x80 | (c >> 6 & 0x3F));
    to[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}
