#include "page/secret.h"

#include "base/head.h"

/* What browsers and crawlers send to everybody: which answer they would like,
 * and what they are. */
static bool is_harmless(struct str name)
{
    static const struct str names[] = {
        STR_INIT("accept"),
        STR_INIT("accept-charset"),
        STR_INIT("accept-encoding"),
        STR_INIT("accept-language"),
        STR_INIT("cache-control"),
        STR_INIT("dnt"),
        STR_INIT("from"),
        STR_INIT("pragma"),
        STR_INIT("priority"),
        STR_INIT("save-data"),
        STR_INIT("sec-gpc"),
        STR_INIT("upgrade-insecure-requests"),
        STR_INIT("user-agent"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return str_starts_nocase(name, STR("sec-ch-")) ||
           str_starts_nocase(name, STR("sec-fetch-"));
}

struct str secret_header(struct str header)
{
    struct str name = str_cut(header, ':').head;

    if (is_harmless(name))
        name = (struct str){0};
    return name;
}

/* --- the head of a request ---------------------------------------------- */

/* libcurl writes some headers into every request: they prove nothing, and
 * without a Host it would be no request. */
static bool is_secret(struct str line)
{
    static const struct str always[] = {
        STR_INIT("host"),
        STR_INIT("connection"),
        STR_INIT("proxy-connection"),
    };
    struct str name = str_cut(line, ':').head;

    if (!str_trim(line).len)
        return false; /* the end of the head */
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        if (str_eq_nocase(name, always[i]))
            return false;
    return secret_header(line).len > 0;
}

/* In place. The request line is no header, whatever it looks like. */
static void leave_out_secrets(struct buf *head)
{
    struct str rest = buf_str(head);
    struct head_line line;
    bool leave_out = false;

    head_next(&rest, &line);
    char *to = head->ptr + line.all.len;
    while (head_next(&rest, &line)) {
        /* A line that goes on with a secret is one too. */
        if (!head_is_folded(line.all))
            leave_out = is_secret(line.text);
        if (leave_out)
            continue;
        memmove(to, line.all.ptr, line.all.len);
        to += line.all.len;
    }
    head->len = (size_t)(to - head->ptr);
}

struct str secret_leave_out(struct buf *head)
{
    if (!str_ends(buf_str(head), STR("\r\n\r\n")))
        return (struct str){0};
    leave_out_secrets(head);
    return buf_str(head);
}
