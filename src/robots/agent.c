#include "robots/robots.h"

struct str robots_token_at(struct str text)
{
    size_t len = 0;

    while (len < text.len && (ascii_is_alpha(text.ptr[len]) ||
                              text.ptr[len] == '-' || text.ptr[len] == '_'))
        len++;
    return str_first(text, len);
}

bool robots_is_token(struct str text)
{
    return text.len && robots_token_at(text).len == text.len;
}

/* Up to its version, or to what comes after it. */
static struct str name_at(struct str text)
{
    size_t len = 0;

    text = str_trim(text);
    while (len < text.len && !ascii_is_space(text.ptr[len]) &&
           !strchr("/;,()", text.ptr[len]))
        len++;
    return str_first(text, len);
}

/* The text after "compatible;" in a comment, or nothing. */
static struct str after_compatible(struct str user_agent)
{
    static const struct str word = STR_INIT("compatible;");
    bool in_comment = false;

    for (size_t i = 0; i < user_agent.len; i++) {
        char c = user_agent.ptr[i];
        in_comment = (in_comment || c == '(') && c != ')';
        if (in_comment && (ascii_is_space(c) || strchr("(;", c)) &&
            str_starts_nocase(str_skip(user_agent, i + 1), word))
            return str_skip(user_agent, i + 1 + word.len);
    }
    return (struct str){0};
}

struct str robots_token_of(struct str user_agent)
{
    struct str name = name_at(user_agent);

    if (str_eq_nocase(name, STR("mozilla"))) {
        struct str rest = after_compatible(user_agent);
        if (rest.ptr)
            name = name_at(rest);
    }
    return robots_is_token(name) ? name : (struct str){0};
}
