/* A capture as a reply (replay/recorded_reply.h): which lines of its head are
 * sent, and what is added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "replay/recorded_reply.h"

#define DATE_MS 784111777000
#define MEMENTO                                                                \
    "Memento-Datetime: Sun, 06 Nov 1994 08:49:37 GMT\r\n"                      \
    "Link: <http://a/>; rel=\"original\"\r\n"

// clang-format off
static const struct {
    int status;
    const char *head, *body;
    const char *reason, *lines; /* before those of Memento; NULL: not sent */
} rows[] = {
    {200, "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 3\r\nB: 2\r\n\r\n", "abc",
     "OK", "A: 1\r\nContent-Length: 3\r\nB: 2\r\n"},
    {200, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX: y\r\n\r\n", "abc",
     "OK", "Content-Length: 3\r\nX: y\r\n"},
    {200, "HTTP/1.1 200 OK\r\ncontent-length: 1\r\nContent-Length: 2\r\n\r\n",
     "abc", "OK", "Content-Length: 3\r\n"},
    {200, "HTTP/1.0 200 Fine, thanks\r\n\r\n", "abc",
     "Fine, thanks", "Content-Length: 3\r\n"},
    {200, "HTTP/1.1 200\r\n\r\n", "", "", "Content-Length: 0\r\n"},
    {200, "HTTP/1.1 200 \r\n\r\n", "", "", "Content-Length: 0\r\n"},
    {200, "HTTP/1.1 200 a\x01\r\n\r\n", "", "", "Content-Length: 0\r\n"},
    {404, "HTTP/1.1 404 Not Found\nA: 1\nB: 2\n\n", "x",
     "Not Found", "A: 1\r\nB: 2\r\nContent-Length: 1\r\n"},
    {204, "HTTP/1.1 204 No Content\r\nA: 1\r\n\r\n", "",
     "No Content", "A: 1\r\n"},
    {304, "HTTP/1.1 304 Not Modified\r\n\r\n", "", "Not Modified", ""},
    /* What belongs to the connection. */
    {200, "HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nKeep-Alive: 5\r\n"
          "transfer-encoding: chunked\r\nTrailer: T\r\nUpgrade: h2c\r\n"
          "X-Hop: 1\r\nX-Stays: 2\r\n\r\n", "",
     "OK", "X-Stays: 2\r\nContent-Length: 0\r\n"},
    {200, "HTTP/1.1 200 OK\r\nMemento-Datetime: then\r\n\r\n", "",
     "OK", "Content-Length: 0\r\n"},
    /* Headers that a browser would remember of the site. */
    {200, "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=9\r\n"
          "clear-site-data: \"*\"\r\nAlt-Svc: h3=\":1\"\r\nNEL: {}\r\n"
          "Report-To: {}\r\nReporting-Endpoints: a=\"b\"\r\n"
          "Service-Worker-Allowed: /\r\nSET-COOKIE: a=b\r\nSet-Cookie: c\r\n"
          "  =d\r\nPublic-Key-Pins: x\r\nExpect-CT: x\r\nAccept-CH: x\r\n"
          "Set-Cookie2: x\r\nContent-Security-Policy: x\r\n\r\n", "",
     "OK", "Content-Security-Policy: x\r\nContent-Length: 0\r\n"},
    /* Lines as other writers leave them. */
    {200, "HTTP/1.1 200 OK\r\nA: 1\r\n  2\r\n\t3\r\nB: 4\r\n\r\n", "",
     "OK", "A: 1 2 3\r\nB: 4\r\nContent-Length: 0\r\n"},
    {200, "HTTP/1.1 200 OK\r\nTE: 1\r\n  2\r\n\r\n", "",
     "OK", "Content-Length: 0\r\n"},
    {200, "HTTP/1.1 200 OK\r\nA :  1  \r\nB:\xe9\tz\r\n\r\n", "",
     "OK", "A: 1\r\nB: \xe9\tz\r\nContent-Length: 0\r\n"},
    {200, "HTTP/1.1 200 OK\r\nno colon\r\n: 1\r\nA B: 1\r\nC: \rx\r\n"
          "D: \x01\r\nE\xe9: 1\r\nF: 1\r\n\r\n", "",
     "OK", "F: 1\r\nContent-Length: 0\r\n"},
    {200, "HTTP/1.1 200 OK\r\nA: 1", "", "OK", "A: 1\r\nContent-Length: 0\r\n"},
    {200, "HTTP/1.1 200 OK\r\nA: 1\r\n\r\nB: 2\r\n", "",
     "OK", "A: 1\r\nContent-Length: 0\r\n"},
    {999, "HTTP/1.1 999 Odd\r\n\r\n", "", "Odd", "Content-Length: 0\r\n"},
    /* No final status. */
    {101, "HTTP/1.1 101 Switching Protocols\r\n\r\n", "", "", NULL},
    {0, "HTTP/1.1 OK\r\n\r\n", "", "", NULL},
    {1000, "HTTP/1.1 1000 Much\r\n\r\n", "", "", NULL},
    {200, "", "", "", NULL},
};
// clang-format on

static struct captured capture(int status, const char *head, const char *body)
{
    return (struct captured){
        .url = STR("http://a/"),
        .date_ms = DATE_MS,
        .http = {.status = status, .head = str_of(head), .body = str_of(body)},
        .body = {.len = strlen(body)},
    };
}

static void heads(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct captured captured =
            capture(rows[i].status, rows[i].head, rows[i].body);
        char expected[500];
        struct http_reply reply;
        struct buf lines;

        buf_init(&lines, 1000);
        buf_put(&lines, STR("before"));
        http_reply_init(&reply);
        bool sent = recorded_reply_fill(&reply, &lines, &captured);
        if (sent != (rows[i].lines != NULL))
            fail_msg("row %zu: %d", i, sent);
        if (sent) {
            snprintf(expected, sizeof(expected), "%s" MEMENTO, rows[i].lines);
            if (!str_eq(str_of(expected), reply.headers))
                fail_msg("row %zu: '%.*s'", i, STR_ARGS(reply.headers));
            assert_true(str_eq(str_of(rows[i].reason), reply.reason));
            assert_non_null(reply.reason.ptr);
            assert_int_equal(rows[i].status, reply.status);
            assert_true(reply.has_length);
            assert_int_equal(0, reply.type.len);
        }
        buf_release(&lines);
    }
}

/* Nobody knows how long a body in chunks is before it was read. */
static void long_bodies(void **state)
{
    static const uint64_t lengths[] = {(uint64_t)5 << 30, CAPTURED_LEN_UNKNOWN};
    static const char *const lines[] = {
        "Content-Length: 5368709120\r\nX: y\r\n" MEMENTO,
        "X: y\r\n" MEMENTO,
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        struct captured captured = capture(
            200, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX: y\r\n\r\n", "");
        bool is_known = lengths[i] != CAPTURED_LEN_UNKNOWN;
        struct http_reply reply;
        struct buf text;

        captured.body.is_long = true;
        captured.body.len = lengths[i];
        buf_init(&text, 1000);
        http_reply_init(&reply);
        assert_true(recorded_reply_fill(&reply, &text, &captured));
        assert_true(str_eq(reply.headers, str_of(lines[i])));
        assert_int_equal(reply.has_length, is_known);
        assert_int_equal(reply.framing,
                         is_known ? HTTP_BY_LENGTH : HTTP_CHUNKED);
        buf_release(&text);
    }
}

/* A record chooses its URL: no line of ours may end early. */
static void hostile_url(void **state)
{
    static const char *const urls[] = {"http://a/\r\nSet-Cookie: a",
                                       "http://a>", "http://a b",
                                       "http://a\xe9", ""};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct captured captured = capture(200, "HTTP/1.1 200 OK\r\n\r\n", "");
        struct http_reply reply;
        struct buf lines;

        captured.url = str_of(urls[i]);
        buf_init(&lines, 1000);
        http_reply_init(&reply);
        assert_true(recorded_reply_fill(&reply, &lines, &captured));
        assert_true(
            str_eq(STR("Content-Length: 0\r\n"
                       "Memento-Datetime: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
                   reply.headers));
        buf_release(&lines);
    }
}

static void too_large(void **state)
{
    struct captured captured =
        capture(200, "HTTP/1.1 200 OK\r\nA: 123456789\r\n\r\n", "");

    (void)state;
    for (size_t cap = 0; cap < 200; cap++) {
        struct http_reply reply;
        struct buf lines;

        buf_init(&lines, cap);
        http_reply_init(&reply);
        bool fits = recorded_reply_fill(&reply, &lines, &captured);
        assert_int_equal(
            cap >= strlen("A: 123456789\r\nContent-Length: 0\r\n" MEMENTO),
            fits);
        buf_release(&lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads),
        cmocka_unit_test(long_bodies),
        cmocka_unit_test(hostile_url),
        cmocka_unit_test(too_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
