#include "testserver/request.h"

/* Up to and with the blank line that ends the head; 0 if it is not in. */
static size_t head_length(struct str in)
{
    const char *end = in.len ? memmem(in.ptr, in.len, "\r\n\r\n", 4) : NULL;

    if (end)
        return (size_t)(end + 4 - in.ptr);
    end = in.len ? memmem(in.ptr, in.len, "\n\n", 2) : NULL;
    return end ? (size_t)(end + 2 - in.ptr) : 0;
}

/* The next line without its end; `rest` moves past it. */
static struct str take_line(struct str *rest)
{
    size_t len = str_find(*rest, '\n');
    struct str line = {rest->ptr, len};

    *rest = str_skip(*rest, len < rest->len ? len + 1 : len);
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* "example.org:80" and "[::1]:80" without the port. */
static struct str without_port(struct str host)
{
    for (size_t i = host.len; i > 0; i--) {
        char c = host.ptr[i - 1];

        if (c == ':')
            return (struct str){host.ptr, i - 1};
        if (!ascii_is_digit(c))
            break;
    }
    return host;
}

/* "/a?b", or the absolute form that proxies get: "http://host/a?b". */
static bool parse_target(struct str target, struct request *request)
{
    if (str_starts_nocase(target, STR("http://"))) {
        struct str rest = str_skip(target, 7);
        size_t host_len = str_find(rest, '/');

        request->host = without_port(str_first(rest, host_len));
        target = str_skip(rest, host_len);
        if (!target.len)
            target = STR("/");
    }
    if (!target.len || (target.ptr[0] != '/' && !str_eq(target, STR("*"))))
        return false;

    struct str_pair parts = str_cut(target, '?');
    request->path = parts.head;
    request->query = parts.tail;
    request->target = target;
    return true;
}

static bool parse_first_line(struct str line, struct request *request)
{
    struct str_pair method = str_cut(line, ' ');
    struct str_pair target = str_cut(method.tail, ' ');

    request->method = method.head;
    request->http_1_0 = str_eq(target.tail, STR("HTTP/1.0"));
    if (!request->http_1_0 && !str_eq(target.tail, STR("HTTP/1.1")))
        return false;
    request->keep_alive = !request->http_1_0;
    return method.head.len > 0 && parse_target(target.head, request);
}

static bool take_header(struct str line, struct request *request)
{
    struct str_pair header = str_cut(line, ':');
    struct str value = str_trim(header.tail);
    uint64_t length = 0;

    switch (header.head.len) {
    case 4:
        if (str_eq_nocase(header.head, STR("Host")) && !request->host.ptr)
            request->host = without_port(value);
        break;
    case 10:
        if (str_eq_nocase(header.head, STR("User-Agent")))
            request->user_agent = value;
        else if (!str_eq_nocase(header.head, STR("Connection")))
            break;
        else if (str_eq_nocase(value, STR("close")))
            request->keep_alive = false;
        else if (str_eq_nocase(value, STR("keep-alive")))
            request->keep_alive = true;
        break;
    case 14:
        if (!str_eq_nocase(header.head, STR("Content-Length")))
            break;
        if (!str_to_u64(value, &length) || length > REQUEST_MAX_BODY)
            return false;
        request->body_len = (size_t)length;
        break;
    case 17:
        if (str_eq_nocase(header.head, STR("Transfer-Encoding")))
            return false;
        break;
    }
    return true;
}

enum request_state request_parse(struct str in, struct request *request)
{
    *request = (struct request){0};

    /* Empty lines before a request are to be ignored (RFC 9112, 2.2). */
    size_t blank = 0;
    while (blank < in.len && (in.ptr[blank] == '\r' || in.ptr[blank] == '\n'))
        blank++;

    struct str found = str_skip(in, blank);
    size_t head_len = head_length(found);
    if (head_len > REQUEST_MAX_HEAD || (!head_len && in.len > REQUEST_MAX_HEAD))
        return REQUEST_TOO_LARGE;
    if (!head_len)
        return REQUEST_MORE;

    struct str rest = {found.ptr, head_len};
    if (!parse_first_line(take_line(&rest), request))
        return REQUEST_BAD;
    request->headers = rest;
    while (rest.len) {
        if (!take_header(take_line(&rest), request))
            return REQUEST_BAD;
    }
    if (request->body_len > found.len - head_len)
        return REQUEST_MORE;
    request->all = (struct str){in.ptr, blank + head_len + request->body_len};
    return REQUEST_DONE;
}

struct str request_header(const struct request *request, struct str name)
{
    struct str rest = request->headers;

    while (rest.len) {
        struct str_pair header = str_cut(take_line(&rest), ':');
        if (str_eq_nocase(header.head, name))
            return str_trim(header.tail);
    }
    return (struct str){0};
}
