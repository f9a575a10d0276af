/* What a fetch hands over: the exchange, against a server on loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <libdeflate.h>

#include "support/loopback.h"

enum {
    ALL = WISH_REQUEST_HEAD | WISH_RESPONSE_HEAD | WISH_PEER | WISH_EVERY_BODY,
    UNWANTED_MAX = 64 * 1024, /* of a body that is no page: page/transfer.h */
};

static void begin(struct loopback *loopback, unsigned wishes)
{
    loopback_listen(loopback);
    loopback->options.wishes = wishes;
    loopback_start(loopback);
}

static void expect(const char *what, const char *of, struct str expected,
                   struct str got)
{
    if (!str_eq(expected, got))
        fail_msg("%s: %s: expected %zu bytes '%.*s', got %zu '%.*s'", of, what,
                 expected.len, (int)str_first(expected, 200).len, expected.ptr,
                 got.len, (int)str_first(got, 200).len, got.ptr);
}

/* No bytes, at any other time than between take and give_back. */
static void expect_no_bytes(const struct exchange *exchange)
{
    assert_int_equal(exchange->request_head.len, 0);
    assert_int_equal(exchange->response_head.len, 0);
    assert_int_equal(exchange->body_as_sent.len, 0);
    assert_int_equal(exchange->body.len, 0);
    assert_int_equal(exchange->peer.len, 0);
}

/* What holds for every exchange. */
static void check(const struct exchange *exchange)
{
    assert_in_range(exchange->outcome, 0, OUTCOMES - 1);
    assert_int_equal(exchange->status == 0, exchange->end == RESPONSE_NONE);
    assert_int_equal(exchange->body_len, exchange->body.len);
    assert_true(exchange->start_ms <= exchange->end_ms);
    if (exchange->status != 200)
        assert_int_equal(exchange->body.len, 0);
    if (exchange->outcome == FETCHED)
        assert_int_equal(exchange->status, 200);
    if (!exchange->status)
        assert_int_equal(exchange->response_head.len, 0);
}

/* --- responses ---------------------------------------------------------- */

#define HTML "Content-Type: text/html\r\n"

struct response {
    const char *name;
    /* expected */
    enum outcome outcome;
    enum response_end end;
    int status;
    /* served; `before` is no part of the head */
    struct str before, head, sent;
    bool hang_up; /* the server closes the connection after that */
    enum webpage_kind kind;
    /* expected of it */
    struct str body;
    bool no_head;
};

// clang-format off
static const struct response responses[] = {
    {"a page with a length", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "Content-Length: 7\r\n\r\n"),
     .sent = STR_INIT("<p>text"), .body = STR_INIT("<p>text")},
    {"a page to the end of the connection, HTTP/1.0", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.0 200 Fine\r\n" HTML "\r\n"),
     .sent = STR_INIT("<p>text"), .hang_up = true, .body = STR_INIT("<p>text")},
    {"no reason phrase", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200\r\n" HTML "Content-Length: 1\r\n\r\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"a reason phrase beyond ASCII", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 \xc3\x9c\xff  ok \r\n" HTML
                      "Content-Length: 1\r\n\r\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"lines that end with a line feed alone", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\nContent-Type: text/html\n"
                      "Content-Length: 1\n\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"blanks, case, repeats, empty and 8-bit values", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\ncOnTeNt-TyPe:\ttext/html  \r\n"
                      "X-A: 1\r\nX-A:2\r\nx-a:\r\nX-B: \xe9\xff\r\n"
                      "content-length:   1\r\n\r\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"a folded header", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "X-A: 1\r\n  2\r\n\t3\r\n"
                      "Content-Length: 1\r\n\r\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"100 and 103 before the response", FETCHED, RESPONSE_WHOLE, 200,
     .before = STR_INIT("HTTP/1.1 100 Continue\r\n\r\n"
                        "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n"
                        "Content-Type: image/png\r\nLocation: /no\r\n\r\n"),
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "Content-Length: 1\r\n\r\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"no body", EMPTY_BODY, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "Content-Length: 0\r\n\r\n")},
    {"204", HTTP_OTHER, RESPONSE_WHOLE, 204,
     .head = STR_INIT("HTTP/1.1 204 No Content\r\n\r\n")},
    {"a redirect with a body", REDIRECTED, RESPONSE_WHOLE, 302,
     .head = STR_INIT("HTTP/1.1 302 Found\r\nLocation: /there\r\n"
                      "Content-Length: 4\r\n\r\n"),
     .sent = STR_INIT("gone"), .body = STR_INIT("gone")},
    {"a redirect to nowhere", BAD_REDIRECT, RESPONSE_WHOLE, 301,
     .head = STR_INIT("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n")},
    {"404 with a body in chunks", HTTP_CLIENT_ERROR, RESPONSE_WHOLE, 404,
     .head = STR_INIT("HTTP/1.1 404 Not Found\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n"),
     .sent = STR_INIT("3\r\nnot\r\n5\r\n here\r\n0\r\n\r\n"),
     .body = STR_INIT("not here")},
    {"503 whose body is cut off", HTTP_SERVER_ERROR, RESPONSE_CUT_BY_SERVER, 503,
     .head = STR_INIT("HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\n"),
     .sent = STR_INIT("bu"), .hang_up = true, .body = STR_INIT("bu")},
    {"a page in chunks, with trailers", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML
                      "Transfer-Encoding: chunked\r\n\r\n"),
     .sent = STR_INIT("3;a=b\r\n<p>\r\n4\r\ntext\r\n0\r\nX-After: 1\r\n\r\n"),
     .body = STR_INIT("<p>text")},
    {"not HTML", NOT_HTML, RESPONSE_CUT_BY_US, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
                      "Content-Length: 3\r\n\r\n")},
    {"announced too large", TOO_LARGE, RESPONSE_CUT_BY_SIZE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML
                      "Content-Length: 99999999\r\n\r\n")},
    {"an unknown coding", BAD_ENCODING, RESPONSE_CUT_BY_US, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "Content-Encoding: x\r\n"
                      "Content-Length: 3\r\n\r\n"),
     .sent = STR_INIT("abc")},
    {"a body that is cut off", CONNECTION_LOST, RESPONSE_CUT_BY_SERVER, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "Content-Length: 100\r\n\r\n"),
     .sent = STR_INIT("<p>te"), .hang_up = true, .body = STR_INIT("<p>te")},
    {"a head that is cut off", CONNECTION_LOST, RESPONSE_CUT_BY_SERVER, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "Content-Le"),
     .hang_up = true, .no_head = true},
    {"a line that begins with a carriage return but is not empty",
     BAD_HTTP, RESPONSE_CUT_BY_US, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "\rX-A: 1\r\n"
                      "Content-Length: 1\r\n\r\n"),
     .sent = STR_INIT("x"), .no_head = true},
    {"a line of a carriage return and a blank",
     BAD_HTTP, RESPONSE_CUT_BY_US, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\n" HTML "\r \n"),
     .sent = STR_INIT("x"), .no_head = true},
    {"lines with two carriage returns", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\r\nContent-Type: text/html\r\r\n"
                      "Content-Length: 1\r\r\n\r\r\n"),
     .sent = STR_INIT("x"), .body = STR_INIT("x")},
    {"nothing after a 103", CONNECTION_LOST, RESPONSE_CUT_BY_SERVER, 103,
     .before = STR_INIT("HTTP/1.1 103 Early Hints\r\n\r\n"),
     .hang_up = true, .no_head = true},
    {"nothing at all", CONNECTION_LOST, RESPONSE_NONE, 0,
     .hang_up = true, .no_head = true},
    {"something that is not HTTP", BAD_HTTP, RESPONSE_NONE, 0,
     .head = STR_INIT("SSH-2.0-OpenSSH_9.2p1\r\n"),
     .hang_up = true, .no_head = true},
    {"a status line without a status", BAD_HTTP, RESPONSE_NONE, 0,
     .head = STR_INIT("HTTP/200 OK\r\n" HTML "Content-Length: 1\r\n\r\n"),
     .sent = STR_INIT("x"), .no_head = true},
    {"a robots.txt of any type", FETCHED, RESPONSE_WHOLE, 200,
     .head = STR_INIT("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
                      "Content-Length: 9\r\n\r\n"),
     .sent = STR_INIT("Disallow:"), .body = STR_INIT("Disallow:"),
     .kind = WEBPAGE_ROBOTS},
};
// clang-format on

static void play(const struct response *response, unsigned wishes)
{
    const char *name = response->name;
    struct loopback loopback;

    begin(&loopback, wishes);
    loopback_ask(&loopback, response->kind, "");
    loopback_serve(&loopback, response->before);
    loopback_serve(&loopback, response->head);
    loopback_serve(&loopback, response->sent);
    if (response->hang_up)
        loopback_hang_up(&loopback);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;

    check(exchange);
    if (exchange->outcome != response->outcome ||
        exchange->end != response->end || exchange->status != response->status)
        fail_msg("%s: expected outcome %d, end %d, status %d, got %d, %d, %d",
                 name, response->outcome, response->end, response->status,
                 exchange->outcome, exchange->end, exchange->status);
    assert_int_equal(loopback.page.outcome, exchange->outcome);
    expect("head", name,
           response->no_head || !wishes ? (struct str){0} : response->head,
           exchange->response_head);
    bool is_kept = wishes || response->status == 200;
    expect("body as sent", name, is_kept ? response->body : (struct str){0},
           exchange->body_as_sent);
    expect("body", name,
           response->status == 200 ? response->body : (struct str){0},
           exchange->body);
    expect("request", name, wishes ? buf_str(&loopback.asked) : (struct str){0},
           exchange->request_head);
    expect("peer", name, wishes ? STR("127.0.0.1") : (struct str){0},
           exchange->peer);
    loopback_give_back(&loopback);
    expect_no_bytes(&loopback.page.exchange);
    assert_int_equal(loopback.page.exchange.status, response->status);
    assert_int_equal(loopback.page.exchange.end, response->end);
    loopback_release(&loopback);
}

static void an_exchange_is_what_went_over_the_wire(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(responses); i++)
        play(&responses[i], ALL);
}

static void
without_a_wish_the_facts_are_the_same_and_nothing_else_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(responses); i++)
        play(&responses[i], 0);
}

/* What the head said of itself before it turned out to be a 1xx is gone. */
static void facts_are_those_of_the_last_head(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback, 0);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(
        &loopback,
        STR("HTTP/1.1 103 Early Hints\r\nLocation: /no\r\n"
            "Content-Type: image/png; charset=utf-16\r\n\r\n"
            "HTTP/1.1 302 Found\r\nLocation: /yes\r\nRetry-After: 7\r\n"
            "Content-Length: 0\r\n\r\n"));
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    expect("location", "302", STR("/yes"), exchange->location);
    assert_string_equal(exchange->mime, "");
    assert_string_equal(exchange->charset_label, "");
    assert_int_equal(exchange->retry_after_ms, 7000);
    loopback_give_back(&loopback);
    expect("location", "given back", STR("/yes"),
           loopback.page.exchange.location);
    loopback_release(&loopback);
}

/* --- bodies ------------------------------------------------------------- */

static struct str gzip_of(struct str plain, char *out, size_t room)
{
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(6);
    size_t len = libdeflate_gzip_compress(z, plain.ptr, plain.len, out, room);

    libdeflate_free_compressor(z);
    assert_true(len > 0);
    return (struct str){out, len};
}

static void serve_coded(struct loopback *loopback, struct str coded,
                        bool chunked)
{
    char head[200];

    loopback_serve(
        loopback, STR("HTTP/1.1 200 OK\r\n" HTML "Content-Encoding: gzip\r\n"));
    snprintf(head, sizeof(head),
             chunked ? "Transfer-Encoding: chunked\r\n\r\n%zx\r\n"
                     : "Content-Length: %zu\r\n\r\n",
             coded.len);
    loopback_serve(loopback, str_of(head));
    loopback_serve(loopback, coded);
    if (chunked)
        loopback_serve(loopback, STR("\r\n0\r\n\r\n"));
}

static void a_coded_body_is_there_both_ways(void **state)
{
    static char large[60000];
    char zipped[2000];

    (void)state;
    memset(large, 'x', sizeof(large));
    for (int chunked = 0; chunked < 2; chunked++) {
        struct str plain = {large, sizeof(large)};
        struct str coded = gzip_of(plain, zipped, sizeof(zipped));
        struct loopback loopback;

        begin(&loopback, 0);
        loopback_ask(&loopback, WEBPAGE_HTML, "");
        serve_coded(&loopback, coded, chunked);
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        check(exchange);
        assert_int_equal(exchange->outcome, FETCHED);
        assert_int_equal(exchange->end, RESPONSE_WHOLE);
        expect("as sent", "gzip", coded, exchange->body_as_sent);
        expect("decoded", "gzip", plain, exchange->body);
        assert_int_equal(exchange->body_len, sizeof(large));
        loopback_give_back(&loopback);
        expect_no_bytes(&loopback.page.exchange);
        loopback_release(&loopback);
    }
}

/* It came whole; that it cannot be used is the outcome's business. */
static void a_coded_body_that_cannot_be_decoded_is_there_as_sent(void **state)
{
    static char bomb[LOOPBACK_BODY_MAX + 1];
    char zipped[2000];
    struct str too_large =
        gzip_of((struct str){bomb, sizeof(bomb)}, zipped, sizeof(zipped));
    const struct {
        struct str coded;
        enum outcome outcome;
    } cases[] = {
        {str_first(too_large, too_large.len - 4), BAD_ENCODING},
        {STR("no gzip"), BAD_ENCODING},
        {too_large, TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct loopback loopback;

        begin(&loopback, 0);
        loopback_ask(&loopback, WEBPAGE_HTML, "");
        serve_coded(&loopback, cases[i].coded, false);
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        check(exchange);
        assert_int_equal(exchange->outcome, cases[i].outcome);
        assert_int_equal(exchange->end, RESPONSE_WHOLE);
        expect("as sent", "gzip", cases[i].coded, exchange->body_as_sent);
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
}

/* Without a length, so that only the bytes tell. */
static void a_body_is_cut_where_no_more_of_it_is_taken(void **state)
{
    static const struct {
        const char *status;
        enum webpage_kind kind;
        enum outcome outcome;
        size_t kept_min, kept_max;
    } cases[] = {
        {"200 OK", WEBPAGE_HTML, TOO_LARGE, 1, LOOPBACK_BODY_MAX},
        {"200 OK", WEBPAGE_ROBOTS, FETCHED, 500 * 1024 + 1, 500 * 1024 + 1},
        {"404 Gone", WEBPAGE_HTML, HTTP_CLIENT_ERROR, UNWANTED_MAX,
         UNWANTED_MAX},
    };
    static char large[1 << 20];

    (void)state;
    memset(large, 'x', sizeof(large));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct loopback loopback;
        char head[100];

        begin(&loopback, ALL);
        loopback_ask(&loopback, cases[i].kind, "");
        snprintf(head, sizeof(head), "HTTP/1.1 %s\r\n" HTML "\r\n",
                 cases[i].status);
        loopback_serve(&loopback, str_of(head));
        loopback_serve(&loopback, (struct str){large, sizeof(large)});
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        check(exchange);
        assert_int_equal(exchange->outcome, cases[i].outcome);
        assert_int_equal(exchange->end, RESPONSE_CUT_BY_SIZE);
        assert_in_range(exchange->body_as_sent.len, cases[i].kept_min,
                        cases[i].kept_max);
        expect("bytes", cases[i].status,
               (struct str){large, exchange->body_as_sent.len},
               exchange->body_as_sent);
        expect("head", cases[i].status, str_of(head), exchange->response_head);
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
}

/* What is read of it anyway is kept, so that it is whole. */
static void the_cap_of_a_page_is_not_that_of_an_error(void **state)
{
    struct loopback loopback;

    (void)state;
    loopback_listen(&loopback);
    loopback.options.wishes = ALL;
    loopback.options.max_size = 3;
    loopback_start(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback, STR("HTTP/1.1 404 Gone\r\nContent-Length: 6"
                                  "\r\n\r\nabcdef"));
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    check(exchange);
    expect("as sent", "404", STR("abcdef"), exchange->body_as_sent);
    assert_int_equal(exchange->end, RESPONSE_WHOLE);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

/* With a time that is longer and longer: a busy machine may need it to get to
 * the body. */
static void a_body_that_does_not_end_in_time_is_cut_by_time(void **state)
{
    bool seen = false;

    (void)state;
    for (uint64_t timeout_ms = 100; !seen; timeout_ms *= 2) {
        struct loopback loopback;

        assert_true(timeout_ms < 1000 * 1000);
        loopback_listen(&loopback);
        loopback.options.wishes = ALL;
        loopback.options.timeout_ms = timeout_ms;
        loopback_start(&loopback);
        if (loopback_try(&loopback, WEBPAGE_HTML, ""))
            loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\n" HTML
                                          "Content-Length: 9\r\n\r\n<p>"));
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        check(exchange);
        seen = exchange->body.len > 0;
        if (seen) {
            assert_int_equal(exchange->outcome, TIMED_OUT);
            assert_int_equal(exchange->end, RESPONSE_CUT_BY_TIME);
            expect("body", "time", STR("<p>"), exchange->body);
            assert_true(exchange->response_head.len > 0);
        }
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
}

static void an_exchange_that_is_abandoned_has_no_bytes(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback, ALL);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    pagefetcher_abandon(loopback.fetcher);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    check(exchange);
    assert_int_equal(exchange->outcome, ABANDONED);
    assert_int_equal(exchange->end, RESPONSE_NONE);
    expect_no_bytes(exchange);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

/* --- requests ----------------------------------------------------------- */

static void serve_small(struct loopback *loopback)
{
    loopback_serve(
        loopback, STR("HTTP/1.1 200 OK\r\n" HTML "Content-Length: 1\r\n\r\nx"));
}

/* `head` without the lines that have `secret` in them. */
static void put_without(struct buf *out, struct str head, const char *secret)
{
    while (head.len) {
        size_t len = str_find(head, '\n') + 1;
        struct str line = str_first(head, len);

        if (!memmem(line.ptr, line.len, secret, strlen(secret)))
            buf_put(out, line);
        head = str_skip(head, line.len);
    }
}

/* The server got the secrets; who reads the exchange does not. */
static void a_request_is_kept_as_sent_but_without_secrets(void **state)
{
    static const char *const headers[] = {
        "Cookie: id=hidden",        "Accept-Language: shown",
        "authorization:hidden",     "Proxy-Authorization: hidden",
        "Cache-Control: max-age=0", NULL};
    struct loopback loopback;
    struct arena arena;
    struct url url;
    struct buf expected;
    char own[64];

    (void)state;
    loopback_listen(&loopback);
    loopback.options.wishes = ALL;
    loopback.options.headers = headers;
    snprintf(own, sizeof(own), "http://127.0.0.1:%u/", loopback.port);
    arena_init(&arena);
    assert_int_equal(url_parse(&url, &arena, str_of(own), NULL, NULL), 0);
    named_add(&loopback.named, &url);
    loopback_start(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "a//../b?c=%41&d=\xc3\xa9");
    serve_small(&loopback);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;

    const char *asked = buf_cstr(&loopback.asked);
    assert_non_null(strstr(asked, "Cookie: id=hidden\r\n"));
    assert_non_null(strstr(asked, "authorization:hidden\r\n"));
    assert_non_null(strstr(asked, "Accept-Language: shown\r\n"));
    buf_init(&expected, 10000);
    put_without(&expected, buf_str(&loopback.asked), "hidden");
    expect("request", "secrets", buf_str(&expected), exchange->request_head);
    buf_release(&expected);
    loopback_give_back(&loopback);
    arena_release(&arena);
    loopback_release(&loopback);
}

/* A connection that was kept and died: libcurl asks again by itself. */
static void of_a_request_that_was_sent_twice_the_last_is_kept_once(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback, ALL);
    loopback_ask(&loopback, WEBPAGE_HTML, "first");
    serve_small(&loopback);
    loopback_finish(&loopback);
    loopback_give_back(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "second");
    loopback_ask_again(&loopback);
    serve_small(&loopback);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    assert_int_equal(exchange->outcome, FETCHED);
    assert_true(
        str_starts(exchange->request_head, STR("GET /second HTTP/1.1")));
    expect("request", "second", buf_str(&loopback.asked),
           exchange->request_head);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

/* The same connection and the same buffers: nothing of the first is seen. */
static void the_next_exchange_has_nothing_of_the_last(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback, ALL);
    for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
        const struct response *response = &responses[i];

        loopback_hang_up(&loopback);
        loopback_ask(&loopback, response->kind, "");
        loopback_serve(&loopback, response->before);
        loopback_serve(&loopback, response->head);
        loopback_serve(&loopback, response->sent);
        if (response->hang_up)
            loopback_hang_up(&loopback);
        check(&loopback_finish(&loopback)->exchange);
        loopback_give_back(&loopback);

        loopback_hang_up(&loopback);
        loopback_ask(&loopback, WEBPAGE_HTML, "");
        loopback_hang_up(&loopback);
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        check(exchange);
        if (exchange->status || exchange->response_head.len ||
            exchange->body_as_sent.len || exchange->location.len ||
            exchange->mime[0])
            fail_msg("something is left of: %s", response->name);
        expect("request", response->name, buf_str(&loopback.asked),
               exchange->request_head);
        loopback_give_back(&loopback);
    }
    loopback_release(&loopback);
}

/* --- proxies ------------------------------------------------------------ */

static void begin_with_proxy(struct loopback *loopback, char proxy[64])
{
    loopback_listen(loopback);
    snprintf(proxy, 64, "http://user:hidden@127.0.0.1:%u", loopback->port);
    loopback->options.wishes = ALL;
    loopback->options.proxy = proxy;
    loopback_start(loopback);
}

static void a_request_by_a_proxy_has_its_form_but_not_its_password(void **state)
{
    struct loopback loopback;
    struct buf expected;
    char proxy[64];

    (void)state;
    begin_with_proxy(&loopback, proxy);
    loopback_ask_url(&loopback, WEBPAGE_HTML, "http://site.example/x");
    serve_small(&loopback);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    assert_int_equal(exchange->outcome, FETCHED);
    assert_true(str_starts(exchange->request_head,
                           STR("GET http://site.example/x HTTP/1.1\r\n")));
    assert_non_null(strstr(buf_cstr(&loopback.asked), "Proxy-Authorization:"));
    buf_init(&expected, 10000);
    put_without(&expected, buf_str(&loopback.asked), "Proxy-Authorization:");
    expect("request", "proxy", buf_str(&expected), exchange->request_head);
    assert_int_equal(exchange->peer.len, 0); /* it would be the proxy's */
    buf_release(&expected);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

/* Nothing was exchanged with the site. */
static void what_a_proxy_says_to_connect_is_no_part_of_an_exchange(void **state)
{
    static const struct str answers[] = {
        STR_INIT("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n"),
        STR_INIT("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"),
        STR_INIT("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        struct loopback loopback;
        char proxy[64];

        begin_with_proxy(&loopback, proxy);
        loopback_ask_url(&loopback, WEBPAGE_HTML, "https://site.example/x");
        assert_true(str_starts(buf_str(&loopback.asked), STR("CONNECT ")));
        loopback_serve(&loopback, answers[i]);
        loopback_hang_up(&loopback);
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        check(exchange);
        if (exchange->status)
            fail_msg("%.20s: got status %d", answers[i].ptr, exchange->status);
        expect_no_bytes(exchange);
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_is_what_went_over_the_wire),
        cmocka_unit_test(
            without_a_wish_the_facts_are_the_same_and_nothing_else_is_kept),
        cmocka_unit_test(facts_are_those_of_the_last_head),
        cmocka_unit_test(a_coded_body_is_there_both_ways),
        cmocka_unit_test(a_coded_body_that_cannot_be_decoded_is_there_as_sent),
        cmocka_unit_test(a_body_is_cut_where_no_more_of_it_is_taken),
        cmocka_unit_test(the_cap_of_a_page_is_not_that_of_an_error),
        cmocka_unit_test(a_body_that_does_not_end_in_time_is_cut_by_time),
        cmocka_unit_test(an_exchange_that_is_abandoned_has_no_bytes),
        cmocka_unit_test(a_request_is_kept_as_sent_but_without_secrets),
        cmocka_unit_test(
            of_a_request_that_was_sent_twice_the_last_is_kept_once),
        cmocka_unit_test(the_next_exchange_has_nothing_of_the_last),
        cmocka_unit_test(
            a_request_by_a_proxy_has_its_form_but_not_its_password),
        cmocka_unit_test(
            what_a_proxy_says_to_connect_is_no_part_of_an_exchange),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
