/* The request parser of http/: what is read out of good requests, why bad ones
 * are refused, and that the pieces in which bytes come make no difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "http/request.h"

static const struct http_request_limits limits = {.max_head = 200,
                                                  .max_body = 10};

static void check(const char *input, struct str expected, struct str got)
{
    if (!str_eq(expected, got))
        fail_msg("%s: expected '%.*s', got '%.*s'", input, (int)expected.len,
                 expected.ptr, (int)got.len, got.ptr);
}

// clang-format off
static const struct {
    const char *text;
    const char *method, *host, *path, *query, *body;
    bool keep_alive;
} good_rows[] = {
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "a", "/", "", "", true},
    {"GET /a?b?c HTTP/1.1\r\nhost: A.b:8080\r\n\r\n",
     "GET", "A.b", "/a", "b?c", "", true},
    {"GET /? HTTP/1.1\r\nHost:\r\n\r\n", "GET", "", "/", "", "", true},
    {"HEAD /x HTTP/1.0\r\n\r\n", "HEAD", "", "/x", "", "", false},
    {"GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n",
     "GET", "", "/", "", "", true},
    {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
     "GET", "", "/", "", "", false},
    {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n",
     "GET", "a", "/", "", "", false},
    {"GET / HTTP/1.1\r\nConnection: a\r\nConnection: close\r\nHost: a\r\n\r\n",
     "GET", "a", "/", "", "", false},
    {"GET http://x.y:81/p?q HTTP/1.1\r\nHost: z\r\n\r\n",
     "GET", "x.y", "/p", "q", "", true},
    {"GET HTTP://x.y HTTP/1.1\r\nHost: z\r\n\r\n",
     "GET", "x.y", "/", "", "", true},
    {"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
     "GET", "[::1]", "/", "", "", true},
    {"GET / HTTP/1.1\nHost: lf\n\n", "GET", "lf", "/", "", "", true},
    {"GET / HTTP/1.1\r\nHost: mixed\n\r\n", "GET", "mixed", "/", "", "", true},
    {"\r\n\n\r\nGET / HTTP/1.0\r\n\r\n", "GET", "", "/", "", "", false},
    {"GET /\xc3\xa9 HTTP/1.0\r\nX: \xff\t\r\n\r\n",
     "GET", "", "/\xc3\xa9", "", "", false},
    {"POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
     "POST", "a", "/p", "", "abc", true},
    {"POST /p HTTP/1.1\r\nHost: a\r\ncontent-length:\t10 \r\n\r\n0123456789",
     "POST", "a", "/p", "", "0123456789", true},
    {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n\r\n",
     "GET", "a", "/", "", "\r\n", true},
};

#define LINE "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"

static const struct {
    struct str text;
    enum http_error error;
} bad_rows[] = {
    {STR_INIT("nonsense\r\n\r\n"), HTTP_BAD_LINE},
    {STR_INIT("GET\r\n\r\n"), HTTP_BAD_LINE},
    {STR_INIT("GET /\r\n\r\n"), HTTP_BAD_LINE},
    {STR_INIT(" / HTTP/1.1\r\n\r\n"), HTTP_BAD_LINE},
    {STR_INIT("GET  / HTTP/1.1\r\n\r\n"), HTTP_BAD_LINE},
    {STR_INIT("G(T / HTTP/1.1\r\n\r\n"), HTTP_BAD_METHOD},
    {STR_INIT("G\xc3\xa9T / HTTP/1.1\r\n\r\n"), HTTP_BAD_METHOD},
    {STR_INIT("get / HTTP/1.1\r\n\r\n"), HTTP_UNKNOWN_METHOD},
    {STR_INIT("PUT / HTTP/1.1\r\n\r\n"), HTTP_UNKNOWN_METHOD},
    {STR_INIT("CONNECT a:80 HTTP/1.1\r\n\r\n"), HTTP_UNKNOWN_METHOD},
    {STR_INIT("OPTIONS / HTTP/1.1\r\n\r\n"), HTTP_UNKNOWN_METHOD},
    {STR_INIT("GET x HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET * HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET /a\tb HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET http:///a HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET http://h?q HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET http://u@h/ HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET https://h/ HTTP/1.1\r\n\r\n"), HTTP_BAD_TARGET},
    {STR_INIT("GET / HTTP/2.0\r\n\r\n"), HTTP_BAD_VERSION},
    {STR_INIT("GET / HTTP/1.1 \r\n\r\n"), HTTP_BAD_VERSION},
    {STR_INIT("GET / http/1.1\r\n\r\n"), HTTP_BAD_VERSION},
    {STR_INIT("GET /a b HTTP/1.1\r\n\r\n"), HTTP_BAD_VERSION},
    {STR_INIT("GET /\r HTTP/1.1\r\n\r\n"), HTTP_BARE_CR},
    {STR_INIT(LINE HOST "X: a\rb\r\n\r\n"), HTTP_BARE_CR},
    {STR_INIT(LINE HOST "X: a\r\r\n\r\n"), HTTP_BARE_CR},
    {STR_INIT("\rGET / HTTP/1.1\r\n\r\n"), HTTP_BARE_CR},
    {STR_INIT("GET /\0 HTTP/1.1\r\n\r\n"), HTTP_CONTROL},
    {STR_INIT(LINE HOST "X: a\0b\r\n\r\n"), HTTP_CONTROL},
    {STR_INIT(LINE HOST "X: a\x7f\r\n\r\n"), HTTP_CONTROL},
    {STR_INIT(LINE HOST "X: a\r\n b\r\n\r\n"), HTTP_FOLDED},
    {STR_INIT(LINE "\tHost: a\r\n\r\n"), HTTP_FOLDED},
    {STR_INIT(LINE HOST "X\r\n\r\n"), HTTP_NO_COLON},
    {STR_INIT(LINE HOST "X : a\r\n\r\n"), HTTP_BAD_NAME},
    {STR_INIT(LINE HOST "X\t: a\r\n\r\n"), HTTP_BAD_NAME},
    {STR_INIT(LINE HOST ": a\r\n\r\n"), HTTP_BAD_NAME},
    {STR_INIT(LINE HOST "X\xc3\xa9: a\r\n\r\n"), HTTP_BAD_NAME},
    {STR_INIT(LINE HOST "Content-Length: -1\r\n\r\n"), HTTP_BAD_LENGTH},
    {STR_INIT(LINE HOST "Content-Length: +1\r\n\r\n"), HTTP_BAD_LENGTH},
    {STR_INIT(LINE HOST "Content-Length: 0x1\r\n\r\n"), HTTP_BAD_LENGTH},
    {STR_INIT(LINE HOST "Content-Length: 1, 1\r\n\r\n"), HTTP_BAD_LENGTH},
    {STR_INIT(LINE HOST "Content-Length:\r\n\r\n"), HTTP_BAD_LENGTH},
    {STR_INIT(LINE HOST "Content-Length: 18446744073709551616\r\n\r\n"),
     HTTP_BAD_LENGTH},
    {STR_INIT(LINE HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1"),
     HTTP_TWO_LENGTHS},
    {STR_INIT(LINE HOST "Content-Length: 1\r\nTransfer-Encoding: x\r\n\r\n"),
     HTTP_LENGTH_AND_CODING},
    {STR_INIT(LINE HOST "Transfer-Encoding: x\r\nContent-Length: 1\r\n\r\n"),
     HTTP_LENGTH_AND_CODING},
    {STR_INIT(LINE HOST "transfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
     HTTP_CODING},
    {STR_INIT("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
     HTTP_CODING},
    {STR_INIT(LINE "\r\n"), HTTP_NO_HOST},
    {STR_INIT("GET http://a/ HTTP/1.1\r\n\r\n"), HTTP_NO_HOST},
    {STR_INIT(LINE HOST "HOST: a\r\n\r\n"), HTTP_TWO_HOSTS},
    {STR_INIT(LINE HOST "Content-Length: 11\r\n\r\n"), HTTP_BODY_TOO_LARGE},
    {STR_INIT(LINE HOST "Content-Length: 18446744073709551615\r\n\r\n"),
     HTTP_BODY_TOO_LARGE},
};
// clang-format on

static void good_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good_rows); i++) {
        const char *text = good_rows[i].text;
        struct http_request request;

        if (http_request_parse(str_of(text), &limits, &request) != HTTP_DONE)
            fail_msg("%s: %s", text, http_error_text(request.error));
        check(text, str_of(good_rows[i].method), request.method);
        check(text, str_of(good_rows[i].host), request.host);
        check(text, str_of(good_rows[i].path), request.path);
        check(text, str_of(good_rows[i].query), request.query);
        check(text, str_of(good_rows[i].body), request.body);
        assert_int_equal(good_rows[i].keep_alive, request.keep_alive);
        assert_int_equal(strlen(text), request.all.len);
    }
}

// clang-format off
static const struct {
    const char *line, *authority, *host, *path; /* no path: refused */
} proxy_rows[] = {
    {"CONNECT example.org:443", "example.org:443", "example.org", ""},
    {"CONNECT [::1]:8443", "[::1]:8443", "[::1]", ""},
    {"CONNECT a:65535", "a:65535", "a", ""},
    {"GET http://x.y:81/p?q", "x.y:81", "x.y", "/p"},
    {"GET http://x.y", "x.y", "x.y", "/"},
    {"GET /", "", "h", "/"},
    {"OPTIONS /a", "", "h", "/a"},
    {"OPTIONS *", .path = NULL},
    {"CONNECT example.org", .path = NULL},
    {"CONNECT example.org:", .path = NULL},
    {"CONNECT :443", .path = NULL},
    {"CONNECT a:0", .path = NULL},
    {"CONNECT a:65536", .path = NULL},
    {"CONNECT a:b:443", "a:b:443", "a:b", ""},
    {"CONNECT /", .path = NULL},
    {"CONNECT http://a:443", .path = NULL},
    {"CONNECT u@a:443", .path = NULL},
    {"CONNECT a?:443", .path = NULL},
    {"CONNECT a\tb:443", .path = NULL},
    {"PUT /", .path = NULL},
};
// clang-format on

/* Where the service allows it; without that bad_rows refuses CONNECT. */
static void requests_to_a_proxy(void **state)
{
    static const struct http_request_limits proxy = {
        .max_head = 200, .takes_connect = true, .takes_options = true};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(proxy_rows); i++) {
        struct http_request request;
        char text[200];

        snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: h\r\n\r\n",
                 proxy_rows[i].line);
        enum http_state got =
            http_request_parse(str_of(text), &proxy, &request);
        if (got != (proxy_rows[i].path ? HTTP_DONE : HTTP_BROKEN))
            fail_msg("%s: %s", text, http_error_text(request.error));
        if (!proxy_rows[i].path)
            continue;
        check(text, str_of(proxy_rows[i].authority), request.authority);
        check(text, str_of(proxy_rows[i].host), request.host);
        check(text, str_of(proxy_rows[i].path), request.path);
    }
}

static void bad_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad_rows); i++) {
        struct http_request request;
        enum http_state got =
            http_request_parse(bad_rows[i].text, &limits, &request);

        if (got != HTTP_BROKEN || request.error != bad_rows[i].error)
            fail_msg("%s: expected '%s', got %d, '%s'", bad_rows[i].text.ptr,
                     http_error_text(bad_rows[i].error), got,
                     http_error_text(request.error));
    }
}

/* What a client sends in pieces: the first of them that is more than "more"
 * says what the whole says. */
static void check_pieces(struct str whole)
{
    struct http_request expected, got;
    enum http_state state = http_request_parse(whole, &limits, &expected);
    size_t need = 1;

    for (size_t len = 0; len <= whole.len; len++) {
        struct str part = str_first(whole, len);
        enum http_state now = http_request_parse(part, &limits, &got);

        if (now == HTTP_MORE) {
            assert_true(len < whole.len || state == HTTP_MORE);
            assert_true(got.need > len);
            need = got.need;
            continue;
        }
        assert_true(len >= need);
        assert_int_equal(state, now);
        assert_int_equal(expected.error, got.error);
        if (now == HTTP_DONE) {
            assert_int_equal(expected.all.len, got.all.len);
            check(whole.ptr, expected.target, got.target);
            check(whole.ptr, expected.body, got.body);
            assert_int_equal(expected.header_count, got.header_count);
        }
        return;
    }
    assert_int_equal(HTTP_MORE, state);
}

static void pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good_rows); i++)
        check_pieces(str_of(good_rows[i].text));
    for (size_t i = 0; i < ARRAY_LEN(bad_rows); i++)
        check_pieces(bad_rows[i].text);
}

/* Bytes after a request are another's. */
static void followed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good_rows); i++) {
        struct str text = str_of(good_rows[i].text);
        struct http_request request;
        struct buf two;

        buf_init(&two, 1000);
        buf_put(&two, text);
        buf_put(&two, STR("GET /next"));
        assert_int_equal(HTTP_DONE,
                         http_request_parse(buf_str(&two), &limits, &request));
        assert_int_equal(text.len, request.all.len);
        check(text.ptr, str_of(good_rows[i].body), request.body);
        buf_release(&two);
    }
}

static void headers(void **state)
{
    struct http_request request;

    (void)state;
    assert_int_equal(HTTP_DONE, http_request_parse(
                                    STR("GET / HTTP/1.0\r\nA: 1\r\nB:  two \r\n"
                                        "a: 3\r\nEmpty:\r\n\r\n"),
                                    &limits, &request));
    assert_int_equal(4, request.header_count);
    check("A", STR("1"), http_request_header(&request, STR("a")));
    check("B", STR("two"), http_request_header(&request, STR("B")));
    assert_non_null(http_request_header(&request, STR("empty")).ptr);
    assert_null(http_request_header(&request, STR("C")).ptr);
}

/* A head of exactly the limit is good, one more byte is not. */
static void head_limit(void **state)
{
    static const struct str end = STR_INIT("\r\n\r\n");
    struct http_request request;
    struct buf text;

    (void)state;
    for (size_t over = 0; over < 2; over++) {
        buf_init(&text, 1000);
        buf_put(&text, STR("GET / HTTP/1.0\r\nX: "));
        while (text.len + end.len < limits.max_head + over)
            buf_put_char(&text, 'x');
        buf_put(&text, end);
        enum http_state got =
            http_request_parse(buf_str(&text), &limits, &request);
        assert_int_equal(over ? HTTP_BROKEN : HTTP_DONE, got);
        assert_int_equal(over ? HTTP_HEAD_TOO_LARGE : HTTP_NO_ERROR,
                         request.error);
        check_pieces(buf_str(&text));
        buf_release(&text);
    }
}

/* Empty lines count, so that they are not read for ever. */
static void empty_lines(void **state)
{
    char lines[200];
    struct http_request request;

    (void)state;
    memset(lines, '\n', sizeof(lines));
    assert_int_equal(HTTP_MORE,
                     http_request_parse((struct str){lines, sizeof(lines) - 1},
                                        &limits, &request));
    assert_int_equal(HTTP_BROKEN,
                     http_request_parse((struct str){lines, sizeof(lines)},
                                        &limits, &request));
    assert_int_equal(HTTP_HEAD_TOO_LARGE, request.error);
}

static void header_limit(void **state)
{
    static const struct http_request_limits wide = {.max_head = 10000};
    struct http_request request;

    (void)state;
    for (size_t count = HTTP_MAX_HEADERS; count <= HTTP_MAX_HEADERS + 1;
         count++) {
        struct buf text;

        buf_init(&text, 10000);
        buf_put(&text, STR("GET / HTTP/1.0\r\n"));
        for (size_t i = 0; i < count; i++)
            buf_printf(&text, "X-%zu: %zu\r\n", i, i);
        buf_put(&text, STR("\r\n"));
        enum http_state got =
            http_request_parse(buf_str(&text), &wide, &request);
        assert_int_equal(count > HTTP_MAX_HEADERS ? HTTP_BROKEN : HTTP_DONE,
                         got);
        assert_int_equal(count > HTTP_MAX_HEADERS ? HTTP_TOO_MANY_HEADERS
                                                  : HTTP_NO_ERROR,
                         request.error);
        buf_release(&text);
    }
}

static void error_texts(void **state)
{
    (void)state;
    for (enum http_error error = HTTP_NO_ERROR; error < HTTP_ERRORS; error++) {
        unsigned status = http_error_status(error);

        assert_non_null(http_error_text(error));
        assert_true(error == HTTP_NO_ERROR || status == 400 || status == 408 ||
                    status == 413 || status == 431 || status == 501);
    }
    assert_int_equal(413, http_error_status(HTTP_BODY_TOO_LARGE));
    assert_int_equal(431, http_error_status(HTTP_HEAD_TOO_LARGE));
    assert_int_equal(501, http_error_status(HTTP_CODING));
    assert_int_equal(501, http_error_status(HTTP_UNKNOWN_METHOD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_requests),
        cmocka_unit_test(bad_requests),
        cmocka_unit_test(requests_to_a_proxy),
        cmocka_unit_test(pieces),
        cmocka_unit_test(followed),
        cmocka_unit_test(headers),
        cmocka_unit_test(head_limit),
        cmocka_unit_test(empty_lines),
        cmocka_unit_test(header_limit),
        cmocka_unit_test(error_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
