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
        {STR_INIT("Cookies: a=b"), STR_INIT("")},
        {STR_INIT("X-Authorization: 1"), STR_INIT("")},
        {STR_INIT("Accept: authorization: 1"), STR_INIT("")},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_headers_are_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
