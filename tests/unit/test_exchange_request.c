/* The request of an exchange: as it was sent, without secrets, and without what
 * was said to a proxy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "support/exchanges.h"
#include "support/loopback.h"

static void begin(struct loopback *loopback, unsigned wishes)
{
    loopback_listen(loopback);
    loopback->options.wishes = wishes;
    loopback_start(loopback);
}

static void serve_small(struct loopback *loopback)
{
    loopback_serve(loopback,
                   STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                       "Content-Length: 1\r\n\r\nx"));
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
    loopback.options.wishes = EXCHANGE_ALL;
    loopback.options.headers = headers;
    snprintf(own, sizeof(own), "http://127.0.0.1:%u/", loopback.port);
    arena_init(&arena);
    assert_int_equal(url_parse(&url, &arena, str_of(own), NULL, NULL), 0);
    origins_add(&loopback.origins, &url);
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
    exchange_expect("request", "secrets", buf_str(&expected),
                    exchange->request_head);
    buf_release(&expected);
    loopback_give_back(&loopback);
    arena_release(&arena);
    loopback_release(&loopback);
}

/* One that libcurl makes of a name and a password. */
static void a_request_with_a_login_is_kept_without_it(void **state)
{
    const struct login login = {STR_INIT("me"), STR_INIT("hidden")};
    struct loopback loopback;
    struct arena arena;
    struct url url;
    struct buf expected;
    char own[64];

    (void)state;
    loopback_listen(&loopback);
    loopback.options.wishes = EXCHANGE_ALL;
    snprintf(own, sizeof(own), "http://127.0.0.1:%u/", loopback.port);
    arena_init(&arena);
    assert_int_equal(url_parse(&url, &arena, str_of(own), NULL, NULL), 0);
    origins_add_login(&loopback.origins, &url, &login);
    loopback_start(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    serve_small(&loopback);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;

    assert_non_null(strstr(buf_cstr(&loopback.asked), "Authorization: Basic "));
    buf_init(&expected, 10000);
    put_without(&expected, buf_str(&loopback.asked), "Authorization: Basic ");
    exchange_expect("request", "login", buf_str(&expected),
                    exchange->request_head);
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
    begin(&loopback, EXCHANGE_ALL);
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
    exchange_expect("request", "second", buf_str(&loopback.asked),
                    exchange->request_head);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

/* By the same transfer as one that was sent. Nobody listens at that port: it is
 * taken, so that nobody else can. */
static void without_a_connection_there_is_no_request(void **state)
{
    struct loopback loopback, other;
    char url[64];

    (void)state;
    loopback_listen(&other);
    shutdown(other.listener, SHUT_RDWR);
    begin(&loopback, EXCHANGE_ALL);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    serve_small(&loopback);
    assert_true(loopback_finish(&loopback)->exchange.request_head.len > 0);
    loopback_give_back(&loopback);

    snprintf(url, sizeof(url), "http://127.0.0.1:%u/", other.port);
    webpage_ask(&loopback.page, str_of(url), 0, true);
    pagefetcher_start(loopback.fetcher, &loopback.page);
    const struct exchange *exchange = &loopback_finish(&loopback)->exchange;
    exchange_check(exchange);
    assert_int_equal(exchange->end, RESPONSE_NONE);
    assert_int_equal(exchange->request_head.len, 0);
    assert_int_equal(exchange->response_head.len, 0);
    loopback_give_back(&loopback);
    loopback_release(&loopback);
    loopback_start(&other);
    loopback_release(&other);
}

/* --- proxies ------------------------------------------------------------ */

static void begin_with_proxy(struct loopback *loopback, char proxy[64])
{
    loopback_listen(loopback);
    snprintf(proxy, 64, "http://user:hidden@127.0.0.1:%u", loopback->port);
    loopback->options.wishes = EXCHANGE_ALL;
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
    exchange_expect("request", "proxy", buf_str(&expected),
                    exchange->request_head);
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
        exchange_check(exchange);
        if (exchange->status)
            fail_msg("%.20s: got status %d", answers[i].ptr, exchange->status);
        exchange_expect_no_bytes(exchange);
        loopback_give_back(&loopback);
        loopback_release(&loopback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_kept_as_sent_but_without_secrets),
        cmocka_unit_test(a_request_with_a_login_is_kept_without_it),
        cmocka_unit_test(
            of_a_request_that_was_sent_twice_the_last_is_kept_once),
        cmocka_unit_test(without_a_connection_there_is_no_request),
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
