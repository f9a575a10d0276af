#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/http_status.h"
#include "base/str.h"

static void registered_codes_have_their_phrase(void **state)
{
    static const struct {
        int status;
        const char *phrase;
    } rows[] = {
        {100, "Continue"},
        {200, "OK"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {308, "Permanent Redirect"},
        {404, "Not Found"},
        {410, "Gone"},
        {429, "Too Many Requests"},
        {451, "Unavailable For Legal Reasons"},
        {503, "Service Unavailable"},
        {511, "Network Authentication Required"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(http_status_phrase(rows[i].status), rows[i].phrase);
}

static void other_codes_have_none(void **state)
{
    static const int rows[] = {-1,  0,   1,   99,  104, 299, 306,    418,
                               420, 499, 509, 599, 600, 999, 1 << 30};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (http_status_phrase(rows[i]))
            fail_msg("%d has a phrase", rows[i]);
}

static void no_phrase_is_there_twice(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++)
        for (int j = 0; http_status_phrase(i) && j < i; j++)
            if (http_status_phrase(j) &&
                !strcmp(http_status_phrase(i), http_status_phrase(j)))
                fail_msg("%d and %d are both %s", j, i, http_status_phrase(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_codes_have_their_phrase),
        cmocka_unit_test(other_codes_have_none),
        cmocka_unit_test(no_phrase_is_there_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
