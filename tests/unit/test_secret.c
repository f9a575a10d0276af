#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/secret.h"

static void which_headers_are_secret(void **state)
{
    static const struct {
        struct str header, name;
    } cases[] = {
        {STR_INIT("Authorization: Bearer 1"), STR_INIT("Authorization")},
        {STR_INIT("AUTHORIZATION:1"), STR_INIT("AUTHORIZATION")},
        {STR_INIT("proxy-authorization: Basic 1"),
         STR_INIT("proxy-authorization")},
        {STR_INIT("Proxy-Authorization:1"), STR_INIT("Proxy-Authorization")},
        {STR_INIT("cookie: a=b"), STR_INIT("cookie")},
        {STR_INIT("Cookie:"), STR_INIT("Cookie")},
        /* Whatever is not known, also where it looks like what is. */
        {STR_INIT("X-Api-Key: 1"), STR_INIT("X-Api-Key")},
        {STR_INIT("X-Plain: 1"), STR_INIT("X-Plain")},
        {STR_INIT("Cookies: a=b"), STR_INIT("Cookies")},
        {STR_INIT("Referer: http://a/?token"), STR_INIT("Referer")},
        {STR_INIT("Accept-Token: 1"), STR_INIT("Accept-Token")},
        {STR_INIT("X-Accept: 1"), STR_INIT("X-Accept")},
        {STR_INIT("Sec-Token: 1"), STR_INIT("Sec-Token")},
        {STR_INIT("Accept : 1"), STR_INIT("Accept ")},
        /* Harmless ones. */
        {STR_INIT("Accept: authorization: 1"), STR_INIT("")},
        {STR_INIT("ACCEPT-LANGUAGE:de"), STR_INIT("")},
        {STR_INIT("Accept-Encoding: identity"), STR_INIT("")},
        {STR_INIT("user-agent: me"), STR_INIT("")},
        {STR_INIT("From: me@example.org"), STR_INIT("")},
        {STR_INIT("Cache-Control: no-cache"), STR_INIT("")},
        {STR_INIT("DNT: 1"), STR_INIT("")},
        {STR_INIT("Sec-CH-UA: x"), STR_INIT("")},
        {STR_INIT("Sec-Fetch-Mode: navigate"), STR_INIT("")},
        {STR_INIT(""), STR_INIT("")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str name = secret_header(cases[i].header);
        if (!str_eq(name, cases[i].name))
            fail_msg("%s: got '%.*s'", cases[i].header.ptr, (int)name.len,
                     name.ptr);
    }
}

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
        struct buf head;

        buf_init(&head, 1000);
        buf_put(&head, str_of(cases[i].sent));
        expect(secret_leave_out(&head), cases[i].kept, cases[i].sent);
        buf_release(&head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_headers_are_secret),
        cmocka_unit_test(secret_lines_are_left_out_of_a_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
