#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page/heads.h"

enum { MAX = 1000, BOTH = WISH_REQUEST_HEAD | WISH_RESPONSE_HEAD };

static void expect(struct str got, const char *expected, const char *what)
{
    if (!str_eq(got, str_of(expected)))
        fail_msg("%s: expected '%s', got '%.*s'", what, expected, (int)got.len,
                 got.ptr);
}

static void secret_lines_are_left_out_of_a_request(void **state)
{
    static const struct {
        const char *sent, *kept;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
         "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"},
        {"GET / HTTP/1.1\r\nAuthorization: Basic eDp5\r\n\r\n",
         "GET / HTTP/1.1\r\n\r\n"},
        {"GET / HTTP/1.1\r\nCookie: a=1\r\nHost: a\r\nCOOKIE:b=2\r\n"
         "Accept: x\r\nproxy-authorization: z\r\n\r\n",
         "GET / HTTP/1.1\r\nHost: a\r\nAccept: x\r\n\r\n"},
        /* a name is no value */
        {"GET / HTTP/1.1\r\nUser-Agent: Cookie: a\r\nAccept: cookie\r\n\r\n",
         "GET / HTTP/1.1\r\nUser-Agent: Cookie: a\r\nAccept: cookie\r\n\r\n"},
        /* what every request has, or one by a proxy */
        {"GET http://a/ HTTP/1.1\r\nHOST: a\r\nProxy-Connection: Keep-Alive\r\n"
         "Connection: close\r\n\r\n",
         "GET http://a/ HTTP/1.1\r\nHOST: a\r\nProxy-Connection: Keep-Alive\r\n"
         "Connection: close\r\n\r\n"},
        /* a line that goes on */
        {"GET / HTTP/1.1\r\nCookie: a\r\n b\r\n\tc\r\nHost: a\r\n d\r\n\r\n",
         "GET / HTTP/1.1\r\nHost: a\r\n d\r\n\r\n"},
        /* the request line is no header */
        {"Cookie:/ HTTP/1.1\r\nHost: a\r\n\r\n",
         "Cookie:/ HTTP/1.1\r\nHost: a\r\n\r\n"},
        /* not all of it was sent */
        {"GET / HTTP/1.1\r\nCookie: a", ""},
        {"GET / HTTP/1.1\r\n", ""},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct heads heads;

        heads_init(&heads, BOTH, MAX);
        heads_begin_request(&heads);
        heads_put_request(&heads, str_of(cases[i].sent));
        expect(heads_request(&heads), cases[i].kept, cases[i].sent);
        heads_release(&heads);
    }
}

static void a_request_may_be_sent_in_parts(void **state)
{
    const char *sent = "GET / HTTP/1.1\r\nCookie: a\r\nHost: a\r\n\r\n";
    struct heads heads;

    (void)state;
    heads_init(&heads, BOTH, MAX);
    for (size_t cut = 0; cut <= strlen(sent); cut++) {
        heads_begin_request(&heads);
        heads_put_request(&heads, (struct str){sent, cut});
        heads_put_request(&heads, str_of(sent + cut));
        expect(heads_request(&heads), "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
               sent);
    }
    heads_release(&heads);
}

static void only_the_last_request_and_response_count(void **state)
{
    struct heads heads;

    (void)state;
    heads_init(&heads, BOTH, MAX);
    heads_begin_request(&heads);
    heads_put_request(&heads, STR("GET /1 HTTP/1.1\r\nHos"));
    heads_begin_request(&heads);
    heads_put_request(&heads, STR("GET /2 HTTP/1.1\r\n\r\n"));
    heads_begin_response(&heads);
    heads_put_response(&heads, STR("HTTP/1.1 100 Continue\r\n"));
    heads_put_response(&heads, STR("\r\n"));
    heads_begin_response(&heads);
    heads_put_response(&heads, STR("HTTP/1.1 200 OK\n"));
    heads_put_response(&heads, STR("\n"));
    expect(heads_request(&heads), "GET /2 HTTP/1.1\r\n\r\n", "request");
    expect(heads_response(&heads), "HTTP/1.1 200 OK\n\n", "response");
    heads_clear(&heads);
    expect(heads_request(&heads), "", "request");
    expect(heads_response(&heads), "", "response");
    heads_release(&heads);
}

static void without_a_wish_nothing_is_kept(void **state)
{
    static const unsigned wishes[] = {0, WISH_REQUEST_HEAD, WISH_RESPONSE_HEAD,
                                      WISH_PEER | WISH_EVERY_BODY};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(wishes); i++) {
        struct heads heads;

        heads_init(&heads, wishes[i], MAX);
        heads_begin_request(&heads);
        heads_put_request(&heads, STR("GET / HTTP/1.1\r\n\r\n"));
        heads_begin_response(&heads);
        heads_put_response(&heads, STR("HTTP/1.1 200 OK\r\n"));
        assert_int_equal(heads.request.room > 0,
                         wishes[i] == WISH_REQUEST_HEAD);
        assert_int_equal(heads.response.room > 0,
                         wishes[i] == WISH_RESPONSE_HEAD);
        heads_release(&heads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secret_lines_are_left_out_of_a_request),
        cmocka_unit_test(a_request_may_be_sent_in_parts),
        cmocka_unit_test(only_the_last_request_and_response_count),
        cmocka_unit_test(without_a_wish_nothing_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
