#include <assert.h>

#include "robots/internal.h"

#define ENCODED_16 "eeeeeeeeeeeeeeee"

/* What a byte is in a path: '.' stands for itself, 'e' must be percent-encoded
 * and 's' is special in a rule. */
// clang-format off
static const char classes[] =
    ENCODED_16 ENCODED_16
    "e.e.s%....s....." /* !"#$%&'()*+,-./ */
    "............e.e." /* 0123456789:;<=>? */
    "................" /* @ and A to O */
    "............e.e." /* P to Z and [\]^_ */
    "e..............." /* ` and a to o */
    "...........eee.e" /* p to z and {|}~ */
    ENCODED_16 ENCODED_16 ENCODED_16 ENCODED_16
    ENCODED_16 ENCODED_16 ENCODED_16 ENCODED_16;
// clang-format on
static_assert(sizeof(classes) == 256 + 1, "every byte has a class");

static char class_of(char c)
{
    return classes[(unsigned char)c];
}

static bool is_unreserved(char c)
{
    return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool path_is_canonical(struct str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (class_of(path.ptr[i]) != '.')
            return false;
    return true;
}

static void put_encoded(struct buf *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    char encoded[3] = {'%', digits[c >> 4], digits[c & 15]};

    buf_put(out, (struct str){encoded, 3});
}

/* The octet that "%XX" at the front of `s` stands for, or -1. */
static int percent_value(struct str s)
{
    int high = s.len < 3 ? -1 : hex_value(s.ptr[1]);
    int low = s.len < 3 ? -1 : hex_value(s.ptr[2]);

    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* One character of `s`; returns what was taken. */
static size_t put_next(struct str s, enum path_form form, bool in_query,
                       struct buf *out)
{
    char class = class_of(s.ptr[0]);
    int value = class == '%' ? percent_value(s) : -1;

    if (value >= 0) {
        bool decode = is_unreserved((char)value) && form != PATH_WRITTEN;
        if (form == PATH_QUERY && in_query && (value == '/' || value == ':'))
            decode = true;
        if (decode)
            buf_put_char(out, (char)value);
        else
            put_encoded(out, (unsigned char)value);
        return 3;
    }
    if (class == 'e' || class == 's')
        put_encoded(out, (unsigned char)s.ptr[0]);
    else
        buf_put_char(out, s.ptr[0]);
    return 1;
}

/* Append what needs no change and take it off the front of `s`. */
static void put_plain(struct str *s, bool *in_query, struct buf *out)
{
    size_t len = 0;

    while (len < s->len && class_of(s->ptr[len]) == '.')
        len++;
    *in_query |= str_find(str_first(*s, len), '?') < len;
    if (len > out->cap - out->len)
        len = out->cap - out->len;
    buf_put(out, str_first(*s, len));
    *s = str_skip(*s, len);
}

void robots_put_path(struct str path, enum path_form form, struct buf *out)
{
    bool in_query = false;

    for (;;) {
        put_plain(&path, &in_query, out);
        if (!path.len || out->cap - out->len < 3)
            return;
        path = str_skip(path, put_next(path, form, in_query, out));
    }
}

/* Append a pattern with its wildcards, several in a row as one. Returns the
 * number of octets that had to be percent-encoded. */
static size_t put_pattern(struct str pattern, enum path_form form,
                          struct buf *out)
{
    bool in_query = false;
    size_t encoded = 0;

    for (;;) {
        put_plain(&pattern, &in_query, out);
        if (!pattern.len)
            return encoded;
        if (pattern.ptr[0] != '*') {
            encoded += class_of(pattern.ptr[0]) == 'e';
            pattern = str_skip(pattern, put_next(pattern, form, in_query, out));
            continue;
        }
        buf_put_char(out, '*');
        while (pattern.len && pattern.ptr[0] == '*')
            pattern = str_skip(pattern, 1);
    }
}

static bool encodes_unreserved(struct str pattern)
{
    for (; pattern.len; pattern = str_skip(pattern, 1)) {
        int value = pattern.ptr[0] == '%' ? percent_value(pattern) : -1;
        if (value >= 0 && is_unreserved((char)value))
            return true;
    }
    return false;
}

bool rule_init(struct rule *rule, struct str pattern, uint32_t flags,
               struct buf *out)
{
    size_t before = out->len, octets = pattern.len;

    /* A path starts with '/'. */
    if (!pattern.len || (pattern.ptr[0] != '/' && pattern.ptr[0] != '*'))
        return false;
    if (pattern.ptr[pattern.len - 1] == '$') {
        flags |= RULE_END;
        pattern.len--;
    }
    if (str_find(pattern, '?') < pattern.len)
        flags |= RULE_QUERY;
    /* "%61" in a rule is "a", says the RFC; Google takes it as it stands. In
     * doubt the answer is no: so in a rule that allows it stands. */
    if (flags & RULE_ALLOW && encodes_unreserved(pattern))
        flags |= RULE_WRITTEN;

    octets += 2 * put_pattern(pattern, rule_form(flags), out);
    /* "/a*" is "/a", and "/a*$" is too. */
    if (out->ptr[out->len - 1] == '*') {
        flags &= ~(uint32_t)RULE_END;
        out->len--;
    }

    struct str text = {out->ptr + before, out->len - before};
    assert(text.len <= UINT16_MAX && octets <= UINT16_MAX);
    if (str_find(text, '*') < text.len)
        flags |= RULE_STAR;
    *rule = (struct rule){flags, (uint16_t)text.len, (uint16_t)octets};
    return true;
}
