#include "view/question.h"

/* As it was sent; .ptr is NULL without one. */
static struct str parameter(struct str query, struct str name)
{
    while (query.len) {
        struct str_pair cut = str_cut(query, '&');
        struct str_pair pair = str_cut(cut.head, '=');
        if (str_eq(pair.head, name))
            return pair.tail.ptr ? pair.tail : STR("");
        query = cut.tail;
    }
    return (struct str){0};
}

bool question_number(struct str query, struct str name, uint64_t *value)
{
    struct str text = parameter(query, name);

    return !text.ptr || str_to_u64(text, value);
}

/* False where it is too long, has a NUL, or a "%" that begins no byte. */
static bool decode(struct str text, char *to, size_t room)
{
    size_t len = 0;

    while (text.len && len + 1 < room) {
        int value = percent_value(text);
        char c = value < 0 ? text.ptr[0] : (char)value;
        if (!c || (value < 0 && c == '%'))
            return false;
        to[len++] = c;
        text = str_skip(text, value < 0 ? 1 : 3);
    }
    to[len] = '\0';
    return !text.len;
}

const char *question_url(struct str query, char *to, size_t room)
{
    struct str value = parameter(query, STR("url"));

    if (!value.len)
        return "the question is /why?url=URL";
    if (!decode(value, to, room))
        return "the URL is too long, or its percent-encoding is broken";
    if (!str_starts_nocase(str_of(to), STR("http://")) &&
        !str_starts_nocase(str_of(to), STR("https://")))
        return "a URL begins with http:// or https://";
    return NULL;
}
