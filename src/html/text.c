#include "html/text.h"

#include "html/entity.h"

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

static bool is_plain(char c, struct rules rules)
{
    switch (c) {
    case '&':
        return !rules.has_references;
    case '\0':
        return !rules.replaces_nul;
    case '\r':
        return false;
    default:
        return true;
    }
}

/* The first byte from `at` on that is not what it looks like, or `end`. */
static const char *skip_plain(const char *at, const char *end,
                              struct rules rules)
{
    while (at < end && is_plain(*at, rules))
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
