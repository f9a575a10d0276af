#include <assert.h>

#include "robots/rule.h"

#define ENCODED_16 "eeeeeeeeeeeeeeee"

/* The class of a byte in a path: '.' stands for itself, 'e' must be
 * percent-encoded, 's' is special in a rule; behind '?' comes the query. */
// clang-format off
static const char classes[] =
    ENCODED_16 ENCODED_16
    "e.e.s%....s....." /* !"#$%&'()*+,-./ */
    "............e.e?" /* 0123456789:;<=>? */
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

bool robots_path_is_canonical(struct str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (class_of(path.ptr[i]) != '.' && path.ptr[i] != '?')
            return false;
    return true;
}

static void put_encoded(struct buf *out, unsigned char c)
{
    char encoded[3];

    percent_put(encoded, c);
    buf_put(out, (struct str){encoded, 3});
}

/* One character of `s`; returns what was taken. */
static size_t put_next(struct str s, enum path_form form, bool in_query,
                       struct buf *out)
{
    char class = class_of(s.ptr[0]);
    int value = percent_value(s);

    if (value >= 0) {
        bool decode =
            percent_is_unreserved((char)value) && form != PATH_WRITTEN;
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
static void put_plain(struct str *s, struct buf *out)
{
    size_t len = 0;

    while (len < s->len && class_of(s->ptr[len]) == '.')
        len++;
    if (len > out->cap - out->len)
        len = out->cap - out->len;
    buf_put(out, str_first(*s, len));
    *s = str_skip(*s, len);
}

void robots_put_path(struct str path, enum path_form form, struct buf *out)
{
    bool in_query = false;

    for (;;) {
        put_plain(&path, out);
        if (!path.len || out->cap - out->len < 3)
            return;
        in_query |= path.ptr[0] == '?';
        path = str_skip(path, put_next(path, form, in_query, out));
    }
}

struct pattern {
    size_t stars;   /* several in a row count, and are written, once */
    size_t encoded; /* octets that had to be percent-encoded */
    bool has_query;
};

static struct pattern put_pattern(struct str s, enum path_form form,
                                  struct buf *out)
{
    struct pattern pattern = {0};

    for (;;) {
        put_plain(&s, out);
        if (!s.len)
            return pattern;
        if (s.ptr[0] == '*') {
            buf_put_char(out, '*');
            pattern.stars++;
            while (s.len && s.ptr[0] == '*')
                s = str_skip(s, 1);
            continue;
        }
        pattern.has_query |= s.ptr[0] == '?';
        pattern.encoded += class_of(s.ptr[0]) == 'e';
        s = str_skip(s, put_next(s, form, pattern.has_query, out));
    }
}

static bool encodes_unreserved(struct str pattern)
{
    for (; pattern.len; pattern = str_skip(pattern, 1)) {
        int value = percent_value(pattern);
        if (value >= 0 && percent_is_unreserved((char)value))
            return true;
    }
    return false;
}

bool robots_rule_init(struct rule *rule, struct str value, uint32_t flags,
                      struct buf *out)
{
    size_t before = out->len, octets = value.len;

    /* A path starts with '/'. */
    if (!value.len || (value.ptr[0] != '/' && value.ptr[0] != '*'))
        return false;
    if (value.ptr[value.len - 1] == '$') {
        flags |= RULE_END;
        value.len--;
    }
    /* "%61" in a rule is "a", says the RFC; Google takes it as it stands. In
     * doubt the answer is no: so in a rule that allows it stands. */
    if (flags & RULE_ALLOW && encodes_unreserved(value))
        flags |= RULE_WRITTEN;

    struct pattern pattern = put_pattern(
        value, flags & RULE_WRITTEN ? PATH_WRITTEN : PATH_QUERY, out);
    /* "/a*" is "/a", and "/a*$" is too. */
    if (out->ptr[out->len - 1] == '*') {
        flags &= ~(uint32_t)RULE_END;
        pattern.stars--;
        out->len--;
    }
    if (pattern.stars)
        flags |= RULE_STAR;
    if (pattern.has_query)
        flags |= RULE_QUERY;

    octets += 2 * pattern.encoded;
    assert(out->len - before <= UINT16_MAX && octets <= UINT16_MAX);
    *rule =
        (struct rule){flags, (uint16_t)(out->len - before), (uint16_t)octets};
    return true;
}
