#include "http/request.h"

#include <assert.h>

// clang-format off
static const struct {
    unsigned status;
    const char *text;
} errors[] = {
    [HTTP_NO_ERROR] = {200, "no error"},
    [HTTP_BAD_LINE] = {400, "the first line is not METHOD TARGET VERSION"},
    [HTTP_BAD_METHOD] = {400, "the method has a forbidden character"},
    [HTTP_UNKNOWN_METHOD] = {501, "the method is not one that is served"},
    [HTTP_BAD_TARGET] = {400, "the target is no path and no http URL"},
    [HTTP_BAD_VERSION] = {400, "the version is not HTTP/1.0 or HTTP/1.1"},
    [HTTP_BARE_CR] = {400, "a CR is not followed by LF"},
    [HTTP_CONTROL] = {400, "a line has a control character"},
    [HTTP_FOLDED] = {400, "a header line begins with a blank"},
    [HTTP_NO_COLON] = {400, "a header line has no colon"},
    [HTTP_BAD_NAME] = {400, "a header's name has a forbidden character"},
    [HTTP_BAD_LENGTH] = {400, "the Content-Length is not a number"},
    [HTTP_TWO_LENGTHS] = {400, "there is more than one Content-Length"},
    [HTTP_LENGTH_AND_CODING] = {400, "there are both a Content-Length and a "
                                     "Transfer-Encoding"},
    [HTTP_CODING] = {501, "the body has a Transfer-Encoding"},
    [HTTP_NO_HOST] = {400, "the Host is missing"},
    [HTTP_TWO_HOSTS] = {400, "there is more than one Host"},
    [HTTP_HEAD_TOO_LARGE] = {431, "the head is larger than the limit"},
    [HTTP_TOO_MANY_HEADERS] = {431, "there are more headers than the limit"},
    [HTTP_BODY_TOO_LARGE] = {413, "the body is larger than the limit"},
    [HTTP_TOO_SLOW] = {408, "the request took longer than the limit"},
};
// clang-format on
static_assert(ARRAY_LEN(errors) == HTTP_ERRORS, "every error has a text");

unsigned http_error_status(enum http_error error)
{
    return (unsigned)error < HTTP_ERRORS ? errors[error].status : 400;
}

const char *http_error_text(enum http_error error)
{
    return (unsigned)error < HTTP_ERRORS ? errors[error].text : "unknown error";
}

/* What is known of the head so far, beside the request itself. */
struct head {
    struct http_request *request;
    const struct http_request_limits *limits;
    bool has_first_line, has_host, has_length, has_coding;
    bool says_close, says_keep_alive;
    uint64_t body_len;
};

static enum http_error check_characters(struct str line)
{
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.ptr[i];

        if (c == '\r')
            return HTTP_BARE_CR;
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return HTTP_CONTROL;
    }
    return HTTP_NO_ERROR;
}

/* RFC 9110, 5.6.2 */
static bool is_token(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!ascii_is_alnum(text.ptr[i]) &&
            (!text.ptr[i] || !strchr("!#$%&'*+-.^_`|~", text.ptr[i])))
            return false;
    return text.len > 0;
}

/* "example.org:80" and "[::1]:80" without the port. */
static struct str without_port(struct str host)
{
    for (size_t i = host.len; i > 0; i--) {
        if (host.ptr[i - 1] == ':')
            return str_first(host, i - 1);
        if (!ascii_is_digit(host.ptr[i - 1]))
            break;
    }
    return host;
}

/* "/a?b", or the absolute form that proxies get: "http://host/a?b". */
static bool parse_target(struct str target, struct http_request *request)
{
    static const struct str scheme = STR_INIT("http://");

    if (str_starts_nocase(target, scheme)) {
        struct str rest = str_skip(target, scheme.len);
        struct str host = str_first(rest, str_find(rest, '/'));

        request->authority = host;
        request->host = without_port(host);
        if (!request->host.len || str_find(host, '?') < host.len ||
            str_find(host, '@') < host.len)
            return false;
        target = str_skip(rest, host.len);
        if (!target.len)
            target = STR("/");
    }
    if (!target.len || target.ptr[0] != '/' ||
        str_find(target, '\t') < target.len)
        return false;

    struct str_pair parts = str_cut(target, '?');
    request->path = parts.head;
    request->query = parts.tail;
    request->target = target;
    return true;
}

/* "example.org:443", the authority form. */
static bool parse_connect(struct str target, struct http_request *request)
{
    struct str host = without_port(target);
    struct str port = str_skip(target, host.len);
    uint64_t number;

    request->authority = target;
    request->host = host;
    for (size_t i = 0; i < host.len; i++)
        if (strchr("/?#@\t", host.ptr[i]))
            return false;
    return host.len && port.len && str_to_u64(str_skip(port, 1), &number) &&
           number && number <= UINT16_MAX;
}

static bool takes_method(const struct http_request_limits *limits,
                         struct str method)
{
    return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")) ||
           str_eq(method, STR("POST")) ||
           (limits->takes_connect && str_eq(method, STR("CONNECT"))) ||
           (limits->takes_options && str_eq(method, STR("OPTIONS")));
}

static enum http_error
parse_first_line(struct str line, const struct http_request_limits *limits,
                 struct http_request *request)
{
    struct str_pair method = str_cut(line, ' ');
    struct str_pair target = str_cut(method.tail, ' ');

    request->method = method.head;
    request->http_1_0 = str_eq(target.tail, STR("HTTP/1.0"));
    if (!method.head.len || !target.head.len || !target.tail.len)
        return HTTP_BAD_LINE;
    if (!is_token(method.head))
        return HTTP_BAD_METHOD;
    if (!request->http_1_0 && !str_eq(target.tail, STR("HTTP/1.1")))
        return HTTP_BAD_VERSION;
    if (!takes_method(limits, method.head))
        return HTTP_UNKNOWN_METHOD;
    bool good = str_eq(method.head, STR("CONNECT"))
                    ? parse_connect(target.head, request)
                    : parse_target(target.head, request);
    return good ? HTTP_NO_ERROR : HTTP_BAD_TARGET;
}

static enum http_error take_length(struct head *head, struct str value)
{
    if (head->has_length)
        return HTTP_TWO_LENGTHS;
    head->has_length = true;
    return str_to_u64(value, &head->body_len) ? HTTP_NO_ERROR : HTTP_BAD_LENGTH;
}

static enum http_error take_host(struct head *head, struct str value)
{
    if (head->has_host)
        return HTTP_TWO_HOSTS;
    head->has_host = true;
    if (!head->request->host.len)
        head->request->host = without_port(value);
    return HTTP_NO_ERROR;
}

/* A list of words; others than these two are not for us. */
static void take_connection(struct head *head, struct str value)
{
    while (value.len) {
        struct str word = head_take_item(&value);

        head->says_close |= str_eq_nocase(word, STR("close"));
        head->says_keep_alive |= str_eq_nocase(word, STR("keep-alive"));
    }
}

static enum http_error parse_header(struct str line, struct head *head)
{
    struct http_request *request = head->request;
    struct head_field header = head_field(line);

    if (head_is_folded(line))
        return HTTP_FOLDED;
    if (!header.value.ptr)
        return HTTP_NO_COLON;
    if (!is_token(header.name))
        return HTTP_BAD_NAME;
    if (request->header_count == HTTP_MAX_HEADERS)
        return HTTP_TOO_MANY_HEADERS;
    request->header[request->header_count++] = header;

    if (str_eq_nocase(header.name, STR("Host")))
        return take_host(head, header.value);
    if (str_eq_nocase(header.name, STR("Content-Length")))
        return take_length(head, header.value);
    if (str_eq_nocase(header.name, STR("Transfer-Encoding")))
        head->has_coding = true;
    if (str_eq_nocase(header.name, STR("Connection")))
        take_connection(head, header.value);
    return HTTP_NO_ERROR;
}

static enum http_error parse_line(struct str line, struct head *head)
{
    enum http_error error = check_characters(line);

    if (error)
        return error;
    if (head->has_first_line)
        return parse_header(line, head);
    head->has_first_line = true;
    return parse_first_line(line, head->limits, head->request);
}

/* All headers are in: do they fit together? */
static enum http_error check_head(struct head *head)
{
    struct http_request *request = head->request;

    if (head->has_coding)
        return head->has_length ? HTTP_LENGTH_AND_CODING : HTTP_CODING;
    if (!head->has_host && !request->http_1_0)
        return HTTP_NO_HOST;
    if (head->body_len > head->limits->max_body)
        return HTTP_BODY_TOO_LARGE;
    request->keep_alive =
        !head->says_close && (!request->http_1_0 || head->says_keep_alive);
    return HTTP_NO_ERROR;
}

static enum http_state take_body(struct str in, size_t head_len,
                                 uint64_t body_len,
                                 struct http_request *request)
{
    request->need = head_len + (size_t)body_len;
    if (in.len < request->need)
        return HTTP_MORE;
    request->body = str_first(str_skip(in, head_len), (size_t)body_len);
    request->all = str_first(in, request->need);
    return HTTP_DONE;
}

enum http_state http_request_parse(struct str in,
                                   const struct http_request_limits *limits,
                                   struct http_request *request)
{
    struct head head = {.request = request, .limits = limits};
    struct str rest = str_first(in, limits->max_head);
    struct head_line line;
    enum http_error error = HTTP_NO_ERROR;

    /* The headers need no zeros; their count says which of them are set. */
    memset(request, 0, offsetof(struct http_request, header));
    while (!error && head_next(&rest, &line) && str_ends(line.all, STR("\n"))) {
        if (line.text.len) {
            error = parse_line(line.text, &head);
        } else if (head.has_first_line) {
            error = check_head(&head);
            if (!error)
                return take_body(in, (size_t)(rest.ptr - in.ptr), head.body_len,
                                 request);
        }
        /* Empty lines before a request are ignored (RFC 9112, 2.2). */
    }
    if (!error && in.len >= limits->max_head)
        error = HTTP_HEAD_TOO_LARGE;
    if (error) {
        request->error = error;
        return HTTP_BROKEN;
    }
    request->need = in.len + 1;
    return HTTP_MORE;
}

struct str http_request_header(const struct http_request *request,
                               struct str name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (str_eq_nocase(request->header[i].name, name))
            return request->header[i].value;
    return (struct str){0};
}
