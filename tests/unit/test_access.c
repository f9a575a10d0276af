/* Who may ask a running crawl for what. */
#include "view/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TOKEN  "0123456789abcdef0123456789abcdef"
#define BEARER "Authorization: Bearer " TOKEN "\r\n"
#define HOST   "Host: 127.0.0.1:8080\r\n"
#define JSON   "Content-Type: application/json\r\n"

static const struct access_door door = {
    .address = STR_INIT("127.0.0.1:8080"),
    .token = TOKEN,
};
static const struct access_door v6_door = {
    .address = STR_INIT("[::1]:8080"),
    .token = TOKEN,
};
static const struct access_door open_door = {
    .address = STR_INIT("127.0.0.1:8080"),
    .token = TOKEN,
    .metrics_open = true,
};
static const struct access_door socket_door = {.token = TOKEN};
static const struct access_door control_door = {.token = NULL};

static const struct access_case {
    const struct access_door *door;
    const char *request;
    unsigned status;
} cases[] = {
    {&door, "GET / HTTP/1.1\r\n" HOST, 200},
    {&door, "GET /healthz HTTP/1.1\r\n" HOST, 200},
    {&door, "HEAD /healthz HTTP/1.1\r\n" HOST, 200},
    {&door, "GET /status.json HTTP/1.1\r\n" HOST, 401},
    {&door, "GET /status.json HTTP/1.1\r\n" HOST BEARER, 200},
    {&door, "GET /status.json?x=y HTTP/1.1\r\n" HOST BEARER, 200},
    {&door, "GET /metrics HTTP/1.1\r\n" HOST, 401},
    {&open_door, "GET /metrics HTTP/1.1\r\n" HOST, 200},
    {&open_door, "GET /hosts.json HTTP/1.1\r\n" HOST, 401},
    {&door, "GET /none HTTP/1.1\r\n" HOST BEARER, 404},
    {&door, "GET /STATUS.json HTTP/1.1\r\n" HOST BEARER, 404},

    /* the token */
    {&door, "GET /events HTTP/1.1\r\n" HOST "Authorization: Bearer\r\n", 401},
    {&door, "GET /events HTTP/1.1\r\n" HOST "Authorization: Bearer \r\n", 401},
    {&door, "GET /events HTTP/1.1\r\n" HOST "Authorization: " TOKEN "\r\n",
     401},
    {&door,
     "GET /events HTTP/1.1\r\n" HOST "Authorization: Basic " TOKEN "\r\n", 401},
    {&door, "GET /events HTTP/1.1\r\n" HOST "Authorization: Bearer 0\r\n", 401},
    {&door,
     "GET /events HTTP/1.1\r\n" HOST "Authorization: Bearer " TOKEN "0\r\n",
     401},
    {&door,
     "GET /events HTTP/1.1\r\n" HOST "Authorization: Bearer "
     "0123456789abcdef0123456789abcdeF\r\n",
     401},
    {&door,
     "GET /events HTTP/1.1\r\n" HOST "Authorization: bearer " TOKEN "\r\n",
     200},

    /* the Host */
    {&door, "GET / HTTP/1.1\r\nHost: localhost:8080\r\n", 200},
    {&door, "GET / HTTP/1.1\r\nHost: LOCALHOST:8080\r\n", 200},
    {&door, "GET / HTTP/1.1\r\nHost: localhost\r\n", 421},
    {&door, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", 421},
    {&door, "GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n", 421},
    {&door, "GET / HTTP/1.1\r\nHost: evil.test:8080\r\n" BEARER, 421},
    {&door, "GET /none HTTP/1.1\r\nHost: evil.test\r\n", 421},
    {&door, "GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.test:8080\r\n", 421},
    {&door, "GET http://evil.test/ HTTP/1.1\r\n" HOST, 421},
    {&door, "GET http://127.0.0.1:8080/ HTTP/1.1\r\n" HOST, 200},
    {&door, "GET / HTTP/1.0\r\n", 421},
    {&v6_door, "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n", 200},
    {&v6_door, "GET / HTTP/1.1\r\nHost: localhost:8080\r\n", 200},
    {&v6_door, "GET / HTTP/1.1\r\nHost: [::1]\r\n", 421},
    {&socket_door, "GET / HTTP/1.1\r\nHost: localhost:99\r\n", 200},
    {&socket_door, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", 200},
    {&socket_door, "GET / HTTP/1.1\r\nHost: evil.test\r\n", 421},
    {&socket_door, "GET /status.json HTTP/1.1\r\nHost: localhost\r\n", 401},
    {&control_door, "GET /status.json HTTP/1.1\r\nHost: localhost\r\n", 200},
    {&control_door, "GET /status.json HTTP/1.1\r\nHost: a.test\r\n", 421},

    /* orders */
    {&door, "GET /control HTTP/1.1\r\n" HOST BEARER, 405},
    {&door, "POST / HTTP/1.1\r\n" HOST BEARER JSON, 405},
    {&door, "POST /control HTTP/1.1\r\n" HOST JSON, 401},
    {&door, "POST /control HTTP/1.1\r\n" HOST BEARER, 415},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER "Content-Type: text/plain\r\n",
     415},
    {&door, "POST /control HTTP/1.1\r\n" HOST BEARER JSON, 200},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER
     "Content-Type: application/json; charset=utf-8\r\n",
     200},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER JSON
     "Origin: http://127.0.0.1:8080\r\n"
     "Sec-Fetch-Site: same-origin\r\n",
     200},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER JSON
     "Origin: http://evil.test\r\n",
     403},
    {&door, "POST /control HTTP/1.1\r\n" HOST BEARER JSON "Origin: null\r\n",
     403},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER JSON
     "Origin: https://127.0.0.1:8080\r\n",
     403},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER JSON
     "Sec-Fetch-Site: cross-site\r\n",
     403},
    {&door,
     "POST /control HTTP/1.1\r\n" HOST BEARER JSON
     "Sec-Fetch-Site: same-site\r\n",
     403},
    {&control_door, "POST /control HTTP/1.1\r\nHost: localhost\r\n" JSON, 200},
};

static void test_judges_requests(void **state)
{
    const struct http_request_limits limits = {.max_head = 8192,
                                               .max_body = 4096};
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[2048];
        struct http_request request;
        snprintf(text, sizeof(text), "%s\r\n", cases[i].request);
        assert_int_equal(http_request_parse(str_of(text), &limits, &request),
                         HTTP_DONE);
        struct access_answer answer = access_judge(cases[i].door, &request);
        if (answer.status != cases[i].status)
            fail_msg("%s: %u, not %u", cases[i].request, answer.status,
                     cases[i].status);
        assert_true((answer.status == 200) == !answer.error);
    }
}

static void test_makes_tokens(void **state)
{
    char one[ACCESS_TOKEN_LEN + 1], other[ACCESS_TOKEN_LEN + 1];
    (void)state;

    assert_true(access_make_token(one));
    assert_true(access_make_token(other));
    assert_int_equal(strlen(one), ACCESS_TOKEN_LEN);
    assert_int_equal(strspn(one, "0123456789abcdef"), ACCESS_TOKEN_LEN);
    assert_string_not_equal(one, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judges_requests),
        cmocka_unit_test(test_makes_tokens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
