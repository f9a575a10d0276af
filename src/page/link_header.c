#include "page/link_header.h"

#include "page/robots_tag.h"

/* The text up to one of the characters that is not in quotes. */
static struct str take_until(struct str *in, const char *ends)
{
    bool quoted = false;
    size_t len = 0;

    while (len < in->len) {
        char c = in->ptr[len];
        if (!quoted && c && strchr(ends, c))
            break;
        if (quoted && c == '\\' && len + 1 < in->len)
            len++;
        else if (c == '"')
            quoted = !quoted;
        len++;
    }
    struct str taken = str_first(*in, len);
    *in = str_skip(*in, len);
    return taken;
}

/* The value of rel, without its quotes; NULL if this is another parameter. */
static struct str rel_of(struct str parameter)
{
    struct str_pair cut = str_cut(parameter, '=');
    struct str value = str_trim(cut.tail);

    if (!cut.tail.ptr || !str_eq_nocase(str_trim(cut.head), STR("rel")))
        return (struct str){0};
    if (value.len >= 2 && value.ptr[0] == '"' && str_ends(value, STR("\"")))
        value = (struct str){value.ptr + 1, value.len - 2};
    return value;
}

/* Read the parameters of a link, each after a ';'. Only the first rel counts.
 */
static bool take_parameters(struct str *in, struct str rel)
{
    struct str found = {0};

    while (in->len && in->ptr[0] == ';') {
        *in = str_skip(*in, 1);
        struct str value = rel_of(take_until(in, ";,"));
        if (!found.ptr)
            found = value;
    }
    return rel_has(found, rel);
}

struct str link_header_find(struct str value, struct str rel)
{
    while (value.len) {
        size_t start = str_find(value, '<');
        if (start == value.len)
            break;
        struct str_pair cut = str_cut(str_skip(value, start + 1), '>');
        value = cut.tail;
        take_until(&value, ";,");
        if (cut.tail.ptr && take_parameters(&value, rel))
            return cut.head;
    }
    return (struct str){0};
}
