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
