#include "base/head.h"

bool head_next(struct str *rest, struct head_line *line)
{
    if (!rest->len)
        return false;
    size_t len = str_find(*rest, '\n');
    line->all = str_first(*rest, len + 1);
    line->text = str_first(*rest, len);
    *rest = str_skip(*rest, line->all.len);
    if (len && line->text.ptr[len - 1] == '\r')
        line->text.len--;
    return true;
}

struct head_field head_field(struct str line)
{
    struct str_pair parts = str_cut(line, ':');

    return (struct head_field){parts.head, str_trim(parts.tail)};
}

struct str head_find(struct str head, struct str name)
{
    struct head_line line;

    while (head_next(&head, &line)) {
        struct head_field field = head_field(line.text);
        if (!head_is_folded(line.text) &&
            str_eq_nocase(str_trim(field.name), name))
            return field.value;
    }
    return (struct str){0};
}

size_t head_len(struct str bytes)
{
    struct str rest = bytes;
    struct head_line line;

    while (head_next(&rest, &line))
        if (!line.text.len && str_ends(line.all, STR("\n")))
            return bytes.len - rest.len;
    return 0;
}

int head_status(struct str head)
{
    struct str line = str_first(head, str_find(head, '\n'));
    struct str code = str_trim_start(str_cut(line, ' ').tail);
    int status = 0;

    if (code.len < 3 || (code.len > 3 && ascii_is_digit(code.ptr[3])))
        return 0;
    for (size_t i = 0; i < 3; i++) {
        if (!ascii_is_digit(code.ptr[i]))
            return 0;
        status = status * 10 + (code.ptr[i] - '0');
    }
    return status;
}

struct str head_take_item(struct str *list)
{
    struct str_pair parts = str_cut(*list, ',');

    *list = parts.tail;
    return str_trim(parts.head);
}

// clang-format off
static const char *const phrases[600] = {
    [100] = "Continue",
    [101] = "Switching Protocols",
    [102] = "Processing",
    [103] = "Early Hints",
    [200] = "OK",
    [201] = "Created",
    [202] = "Accepted",
    [203] = "Non-Authoritative Information",
    [204] = "No Content",
    [205] = "Reset Content",
    [206] = "Partial Content",
    [207] = "Multi-Status",
    [208] = "Already Reported",
    [226] = "IM Used",
    [300] = "Multiple Choices",
    [301] = "Moved Permanently",
    [302] = "Found",
    [303] = "See Other",
    [304] = "Not Modified",
    [305] = "Use Proxy",
    [307] = "Temporary Redirect",
    [308] = "Permanent Redirect",
    [400] = "Bad Request",
    [401] = "Unauthorized",
    [402] = "Payment Required",
    [403] = "Forbidden",
    [404] = "Not Found",
    [405] = "Method Not Allowed",
    [406] = "Not Acceptable",
    [407] = "Proxy Authentication Required",
    [408] = "Request Timeout",
    [409] = "Conflict",
    [410] = "Gone",
    [411] = "Length Required",
    [412] = "Precondition Failed",
    [413] = "Content Too Large",
    [414] = "URI Too Long",
    [415] = "Unsupported Media Type",
    [416] = "Range Not Satisfiable",
    [417] = "Expectation Failed",
    [421] = "Misdirected Request",
    [422] = "Unprocessable Content",
    [423] = "Locked",
    [424] = "Failed Dependency",
    [425] = "Too Early",
    [426] = "Upgrade Required",
    [428] = "Precondition Required",
    [429] = "Too Many Requests",
    [431] = "Request Header Fields Too Large",
    [451] = "Unavailable For Legal Reasons",
    [500] = "Internal Server Error",
    [501] = "Not Implemented",
    [502] = "Bad Gateway",
    [503] = "Service Unavailable",
    [504] = "Gateway Timeout",
    [505] = "HTTP Version Not Supported",
    [506] = "Variant Also Negotiates",
    [507] = "Insufficient Storage",
    [508] = "Loop Detected",
    [510] = "Not Extended",
    [511] = "Network Authentication Required",
};
// clang-format on

const char *http_status_phrase(int status)
{
    size_t count = sizeof(phrases) / sizeof(phrases[0]);

    return status >= 0 && (size_t)status < count ? phrases[status] : NULL;
}
