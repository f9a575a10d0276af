/* What a fetch hands over: the exchange, against a server on loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <libdeflate.h>

#include "support/exchanges.h"
#include "support/loopback.h"

enum { UNWANTED_MAX = 64 * 1024 }; /* of a body that is no page */

static void begin(struct loopback *loopback, unsigned wishes)
{
    loopback_listen(loopback);
    loopback->options.wishes = wishes;
    loopback_start(loopback);
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

    exchange_check(exchange);
    if (exchange->outcome != response->outcome ||
        exchange->end != response->end || exchange->status != response->status)
        fail_msg("%s: expected outcome %d, end %d, status %d, got %d, %d, %d",
                 name, response->outcome, response->end, response->status,
                 exchange->outcome, exchange->end, exchange->status);
    assert_int_equal(loopback.page.outcome, exchange->outcome);
    exchange_expect("head", name,
                    response->no_head || !wishes ? (struct str){0}
                                                 : response->head,
                    exchange->response_head);
    bool is_kept = wishes || response->status == 200;
    exchange_expect("body as sent", name,
                    is_kept ? response->body : (struct str){0},
                    exchange->body_as_sent);
    exchange_expect("body", name,
                    response->status == 200 ? response->body : (struct str){0},
                    exchange->body);
    exchange_expect("request", name,
                    wishes ? buf_str(&loopback.asked) : (struct str){0},
                    exchange->request_head);
    exchange_expect("peer", name, wishes ? STR("127.0.0.1") : (struct str){0},
                    exchange->peer);
    loopback_give_back(&loopback);
    exchange_expect_no_bytes(&loopback.page.exchange);
    assert_int_equal(loopback.page.exchange.status, response->status);
    assert_int_equal(loopback.page.exchange.end, response->end);
    loopback_release(&loopback);
}

static void an_exchange_is_what_went_over_the_wire(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(responses); i++)
        play(&responses[i], EXCHANGE_ALL);
}

static void
without_a_wish_the_facts_are_the_same_and_nothing_else_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(responses); i++)
        play(&responses[i], 0);
}

/* It ends so in either case; with a wish all its bytes are there. */
static void what_is_no_page_is_read_only_on_request(void **state)
{
    static const struct {
        struct str head;
        enum outcome outcome;
        enum response_end end; /* without a wish */
    } cases[] = {
        {STR_INIT("Content-Type: image/png\r\n"), NOT_HTML, RESPONSE_CUT_BY_US},
        {STR_INIT("Content-Type: image/png\r\nContent-Encoding: x\r\n"),
         NOT_HTML, RESPONSE_CUT_BY_US},
        {STR_INIT(HTML "Content-Encoding: x\r\n"), BAD_ENCODING,
         RESPONSE_CUT_BY_US},
        {STR_INIT(HTML "Content-Length: 99999999\r\n"), TOO_LARGE,
         RESPONSE_CUT_BY_SIZE},
    };

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
        bool is_wished = i % 2;
        struct loopback loopback;

        begin(&loopback, is_wished ? EXCHANGE_ALL : 0);
        loopback_ask(&loopback, WEBPAGE_HTML, "");
        loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\n"));
        loopback_serve(&loopback, cases[i / 2].head);
        loopback_serve(&loopback, STR("\r\nabc"));
        loopback_hang_up(&loopback);
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        exchange_check(exchange);
        assert_int_equal(exchange->outcome, cases[i / 2].outcome);
        assert_int_equal(exchange->end, !is_wished ? cases[i / 2].end
                                        : cases[i / 2].outcome == TOO_LARGE
                                            ? RESPONSE_CUT_BY_SERVER
                                            : RESPONSE_WHOLE);
        exchange_expect("body as sent", "no page",
                        is_wished ? STR("abc") : (struct str){0},
                        exchange->body_as_sent);
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
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
    exchange_expect("location", "302", STR("/yes"), exchange->location);
    assert_string_equal(exchange->mime, "");
    assert_string_equal(exchange->charset_label, "");
    assert_int_equal(exchange->retry_after_ms, 7000);
    loopback_give_back(&loopback);
    exchange_expect("location", "given back", STR("/yes"),
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
        exchange_check(exchange);
        assert_int_equal(exchange->outcome, FETCHED);
        assert_int_equal(exchange->end, RESPONSE_WHOLE);
        exchange_expect("as sent", "gzip", coded, exchange->body_as_sent);
        exchange_expect("decoded", "gzip", plain, exchange->body);
        assert_int_equal(exchange->body_len, sizeof(large));
        loopback_give_back(&loopback);
        exchange_expect_no_bytes(&loopback.page.exchange);
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
        exchange_check(exchange);
        assert_int_equal(exchange->outcome, cases[i].outcome);
        assert_int_equal(exchange->end, RESPONSE_WHOLE);
        exchange_expect("as sent", "gzip", cases[i].coded,
                        exchange->body_as_sent);
        exchange_expect("decoded", "gzip", STR(""), exchange->body);
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
}

/* Coded bytes are never shown as the body. */
static void a_coded_body_that_is_cut_is_there_only_as_sent(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback, 0);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback,
                   STR("HTTP/1.1 200 OK\r\n" HTML "Content-Encoding: gzip\r\n"
                       "Content-Length: 100\r\n\r\n\x1f\x8b"));
    loopback_hang_up(&loopback);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    exchange_check(exchange);
    assert_int_equal(exchange->outcome, CONNECTION_LOST);
    assert_int_equal(exchange->end, RESPONSE_CUT_BY_SERVER);
    exchange_expect("as sent", "cut", STR("\x1f\x8b"), exchange->body_as_sent);
    exchange_expect("decoded", "cut", STR(""), exchange->body);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
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
        {"200 OK", WEBPAGE_HTML, TOO_LARGE, LOOPBACK_BODY_MAX,
         LOOPBACK_BODY_MAX},
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

        begin(&loopback, EXCHANGE_ALL);
        loopback_ask(&loopback, cases[i].kind, "");
        snprintf(head, sizeof(head), "HTTP/1.1 %s\r\n" HTML "\r\n",
                 cases[i].status);
        loopback_serve(&loopback, str_of(head));
        loopback_serve(&loopback, (struct str){large, sizeof(large)});
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        exchange_check(exchange);
        assert_int_equal(exchange->outcome, cases[i].outcome);
        assert_int_equal(exchange->end, RESPONSE_CUT_BY_SIZE);
        assert_in_range(exchange->body_as_sent.len, cases[i].kept_min,
                        cases[i].kept_max);
        exchange_expect("bytes", cases[i].status,
                        (struct str){large, exchange->body_as_sent.len},
                        exchange->body_as_sent);
        exchange_expect("head", cases[i].status, str_of(head),
                        exchange->response_head);
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
    loopback.options.wishes = EXCHANGE_ALL;
    loopback.options.max_size = 3;
    loopback_start(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback, STR("HTTP/1.1 404 Gone\r\nContent-Length: 6"
                                  "\r\n\r\nabcdef"));
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    exchange_check(exchange);
    exchange_expect("as sent", "404", STR("abcdef"), exchange->body_as_sent);
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
        loopback.options.wishes = EXCHANGE_ALL;
        loopback.options.timeout_ms = timeout_ms;
        loopback_start(&loopback);
        if (loopback_try(&loopback, WEBPAGE_HTML, ""))
            loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\n" HTML
                                          "Content-Length: 9\r\n\r\n<p>"));
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        exchange_check(exchange);
        seen = exchange->body.len > 0;
        if (seen) {
            assert_int_equal(exchange->outcome, TIMED_OUT);
            assert_int_equal(exchange->end, RESPONSE_CUT_BY_TIME);
            exchange_expect("body", "time", STR("<p>"), exchange->body);
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
    begin(&loopback, EXCHANGE_ALL);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    pagefetcher_abandon(loopback.fetcher);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    exchange_check(exchange);
    assert_int_equal(exchange->outcome, ABANDONED);
    assert_int_equal(exchange->end, RESPONSE_NONE);
    exchange_expect_no_bytes(exchange);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

/* The same connection and the same buffers: nothing of the first is seen. */
static void the_next_exchange_has_nothing_of_the_last(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback, EXCHANGE_ALL);
    for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
        const struct response *response = &responses[i];

        loopback_hang_up(&loopback);
        loopback_ask(&loopback, response->kind, "");
        loopback_serve(&loopback, response->before);
        loopback_serve(&loopback, response->head);
        loopback_serve(&loopback, response->sent);
        if (response->hang_up)
            loopback_hang_up(&loopback);
        exchange_check(&loopback_finish(&loopback)->exchange);
        loopback_give_back(&loopback);

        loopback_hang_up(&loopback);
        loopback_ask(&loopback, WEBPAGE_HTML, "");
        loopback_hang_up(&loopback);
        const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
        exchange_check(exchange);
        if (exchange->status || exchange->response_head.len ||
            exchange->body_as_sent.len || exchange->location.len ||
            exchange->mime[0])
            fail_msg("something is left of: %s", response->name);
        exchange_expect("request", response->name, buf_str(&loopback.asked),
                        exchange->request_head);
        loopback_give_back(&loopback);
    }
    loopback_release(&loopback);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_is_what_went_over_the_wire),
        cmocka_unit_test(
            without_a_wish_the_facts_are_the_same_and_nothing_else_is_kept),
        cmocka_unit_test(what_is_no_page_is_read_only_on_request),
        cmocka_unit_test(facts_are_those_of_the_last_head),
        cmocka_unit_test(a_coded_body_is_there_both_ways),
        cmocka_unit_test(a_coded_body_that_cannot_be_decoded_is_there_as_sent),
        cmocka_unit_test(a_coded_body_that_is_cut_is_there_only_as_sent),
        cmocka_unit_test(a_body_is_cut_where_no_more_of_it_is_taken),
        cmocka_unit_test(the_cap_of_a_page_is_not_that_of_an_error),
        cmocka_unit_test(a_body_that_does_not_end_in_time_is_cut_by_time),
        cmocka_unit_test(an_exchange_that_is_abandoned_has_no_bytes),
        cmocka_unit_test(the_next_exchange_has_nothing_of_the_last),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
