/* Dates as HTTP writes them (replay/http_date.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/http_date.h"

static const struct {
    const char *text;
    uint64_t ms;
} good_rows[] = {
    {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
    {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777000},
    {"Tue, 29 Feb 2000 23:59:59 GMT", 951868799000},
    {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799000},
};

static const char *const bad_rows[] = {
    "",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 GMT ",
    "Son, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08-49-37 GMT",
    "Sun,006 Nov 1994 08:49:37 GMT",
    "Sun, -6 Nov 1994 08:49:37 GMT",
    "Wed, 31 Dec 1969 23:59:59 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994     ",
};

static void both_ways(void **state)
{
    char text[HTTP_DATE_LEN + 1];
    uint64_t ms;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good_rows); i++) {
        ms = 1;
        assert_true(http_date_parse(str_of(good_rows[i].text), &ms));
        assert_int_equal(good_rows[i].ms, ms);
        http_date_format(ms + 999, text);
        assert_string_equal(good_rows[i].text, text);
    }
    http_date_format(UINT64_MAX, text);
    assert_string_equal("Fri, 31 Dec 9999 23:59:59 GMT", text);
}

static void other_forms(void **state)
{
    uint64_t ms = 7;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad_rows); i++)
        if (http_date_parse(str_of(bad_rows[i]), &ms))
            fail_msg("'%s' should be no date", bad_rows[i]);
    assert_int_equal(7, ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(other_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
