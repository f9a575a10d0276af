#include "page/head_lines.h"

#include <stdio.h>

#include "base/head.h"
#include "page/link_header.h"
#include "page/robots_tag.h"

#define CHARSET       "charset="
#define USUAL_CHARSET "utf-8"

/* Names that the program writes and reads again. */
static const char *const flag_names[] = {"noindex", "nofollow", "noarchive"};

static void put(char **to, struct str s)
{
    if (s.len)
        memcpy(*to, s.ptr, s.len);
    *to += s.len;
}

/* A value comes as one line, but a server may have put a lone CR into it. */
static void put_line(char **to, const char *name, struct str value,
                     const char *rest)
{
    put(to, str_of(name));
    for (size_t i = 0; i < value.len; i++)
        *(*to)++ = value.ptr[i] == '\n' ? ' ' : value.ptr[i];
    put(to, str_of(rest));
    *(*to)++ = '\n';
}

static void put_flags(char **to, const struct exchange *exchange)
{
    const bool flag[] = {exchange->noindex, exchange->nofollow,
                         exchange->noarchive};
    char value[64];
    int len = 0;

    for (size_t i = 0; i < ARRAY_LEN(flag); i++)
        if (flag[i])
            len += snprintf(value + len, sizeof(value) - (size_t)len, "%s%s",
                            len ? ", " : "", flag_names[i]);
    if (len)
        put_line(to, "X-Robots-Tag: ", (struct str){value, (size_t)len}, "");
}

struct str head_lines_of(const struct exchange *exchange, struct arena *arena)
{
    enum { NAMES_MAX = 256 };
    char *start = arena_reserve(
        arena, NAMES_MAX + CHARSET_LABEL_MAX + exchange->canonical.len +
                   exchange->refresh.len + exchange->language.len);
    char *to = start;
    struct str charset = str_of(exchange->charset_label);

    put_flags(&to, exchange);
    if (exchange->canonical.len)
        put_line(&to, "Link: <", exchange->canonical, ">; rel=canonical");
    if (exchange->refresh.len)
        put_line(&to, "Refresh: ", exchange->refresh, "");
    if (exchange->language.len)
        put_line(&to, "Content-Language: ", exchange->language, "");
    if (to == start && str_eq_nocase(charset, STR(USUAL_CHARSET)))
        return (struct str){0};
    if (charset.len)
        put_line(&to, CHARSET, charset, "");
    arena_commit(arena, (size_t)(to - start));
    return to > start ? str_between(start, to - 1) : STR("");
}

static void read_line(struct exchange *exchange, struct str line,
                      struct arena *arena)
{
    struct head_field field = head_field(line);
    struct str value = field.value;

    if (str_starts(line, STR(CHARSET))) {
        value = str_skip(line, sizeof(CHARSET) - 1);
        snprintf(exchange->charset_label, sizeof(exchange->charset_label),
                 "%.*s", STR_ARGS(value));
    } else if (str_eq(field.name, STR("X-Robots-Tag"))) {
        robots_tag_read(value, STR(""), &exchange->noindex, &exchange->nofollow,
                        &exchange->noarchive);
    } else if (str_eq(field.name, STR("Link"))) {
        exchange->canonical =
            arena_copy(arena, link_header_find(value, STR("canonical")));
    } else if (str_eq(field.name, STR("Refresh"))) {
        exchange->refresh = arena_copy(arena, value);
    } else if (str_eq(field.name, STR("Content-Language"))) {
        exchange->language = arena_copy(arena, value);
    }
}

void head_lines_read(struct exchange *exchange, struct str lines,
                     struct arena *arena)
{
    struct head_line line;

    if (!lines.ptr)
        snprintf(exchange->charset_label, sizeof(exchange->charset_label),
                 USUAL_CHARSET);
    while (head_next(&lines, &line))
        read_line(exchange, line.text, arena);
}
