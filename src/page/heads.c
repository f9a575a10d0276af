#include "page/heads.h"

#include <string.h>

#include "page/secret.h"

enum {
    KEEP_MAX = 4096,
    /* A request is ours: more than a command line can have of headers. */
    REQUEST_MAX = 16 << 20,
};

void heads_init(struct heads *heads, unsigned wishes, size_t max)
{
    *heads = (struct heads){
        .wants_request = wishes & WISH_REQUEST_HEAD,
        .wants_response = wishes & WISH_RESPONSE_HEAD,
    };
    buf_init(&heads->request, REQUEST_MAX);
    buf_init(&heads->response, max);
}

void heads_release(struct heads *heads)
{
    buf_release(&heads->request);
    buf_release(&heads->response);
}

static void clear(struct buf *head)
{
    buf_clear(head);
    if (head->room > KEEP_MAX)
        buf_release(head);
}

void heads_clear(struct heads *heads)
{
    clear(&heads->request);
    clear(&heads->response);
}

void heads_begin_request(struct heads *heads)
{
    buf_clear(&heads->request);
}

void heads_put_request(struct heads *heads, struct str part)
{
    if (heads->wants_request)
        (void)buf_put(&heads->request, part);
}

void heads_begin_response(struct heads *heads)
{
    buf_clear(&heads->response);
}

void heads_put_response(struct heads *heads, struct str line)
{
    if (heads->wants_response)
        (void)buf_put(&heads->response, line);
}

static bool is_folded(struct str line)
{
    return line.ptr[0] == ' ' || line.ptr[0] == '\t';
}

/* The first line with its end. */
static struct str first_line(struct str head)
{
    const char *end = memchr(head.ptr, '\n', head.len);

    return end ? str_between(head.ptr, end + 1) : head;
}

/* What libcurl writes into every request proves nothing, and without a Host it
 * would be none. */
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
    struct str rest = buf_str(head), line = first_line(rest);
    char *to = head->ptr + line.len;
    bool leave_out = false;

    for (rest = str_skip(rest, line.len); rest.len;
         rest = str_skip(rest, line.len)) {
        line = first_line(rest);
        /* What goes on with a secret is one too. */
        if (!is_folded(line))
            leave_out = is_secret(line);
        if (leave_out)
            continue;
        memmove(to, line.ptr, line.len);
        to += line.len;
    }
    head->len = (size_t)(to - head->ptr);
}

struct str heads_request(struct heads *heads)
{
    struct buf *head = &heads->request;

    if (!str_ends(buf_str(head), STR("\r\n\r\n")))
        return (struct str){0};
    leave_out_secrets(head);
    return buf_str(head);
}

struct str heads_response(const struct heads *heads)
{
    return buf_str(&heads->response);
}
