/* The query of a request to a running crawl. */
#include "view/question.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_reads_numbers(void **state)
{
    enum { UNSET = 7 };
    static const struct number_case {
        const char *query;
        bool good;
        uint64_t value;
    } cases[] = {
        {"", true, UNSET},
        {"before=3", true, UNSET},
        {"afterwards=3", true, UNSET},
        {"after=0", true, 0},
        {"x=y&after=12", true, 12},
        {"after=12&after=x", true, 12},
        {"after=18446744073709551615", true, UINT64_MAX},
        {"after=18446744073709551616", false, UNSET},
        {"after=99999999999999999999999", false, UNSET},
        {"after", false, UNSET},
        {"after=", false, UNSET},
        {"after=-1", false, UNSET},
        {"after=+1", false, UNSET},
        {"after=1.5", false, UNSET},
        {"after=0x10", false, UNSET},
        {"after=%31", false, UNSET},
        {"after=x", false, UNSET},
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint64_t value = UNSET;
        bool good =
            question_number(str_of(cases[i].query), STR("after"), &value);
        if (good != cases[i].good || value != cases[i].value)
            fail_msg("'%s': %d, %llu", cases[i].query, good,
                     (unsigned long long)value);
    }
}

static void test_reads_urls(void **state)
{
    static const struct url_case {
        const char *query;
        const char *url; /* NULL: it is refused */
    } cases[] = {
        {"url=http://a.test/", "http://a.test/"},
        {"url=HTTPS%3A%2F%2Fa.test%2f%3Fx%3D1%26y", "HTTPS://a.test/?x=1&y"},
        {"url=http://a.test/?x=1", "http://a.test/?x=1"},
        {"url=http://a.test/%2541", "http://a.test/%41"},
        {"x=1&url=http://b&url=http://c", "http://b"},
        {"url=http://a.test/12345678", "http://a.test/12345678"},
        {"url=http://a.test/123456789", NULL}, /* no room */
        {"", NULL},
        {"url", NULL},
        {"url=", NULL},
        {"uri=http://a.test/", NULL},
        {"url=http://a/%", NULL},
        {"url=http://a/%4", NULL},
        {"url=http://a/%zz", NULL},
        {"url=http://a/%00", NULL},
        {"url=a.test", NULL},
        {"url=ftp://a.test/", NULL},
        {"url=--help", NULL},
    };
    char url[23];
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *problem =
            question_url(str_of(cases[i].query), url, sizeof(url));
        if (!problem != !!cases[i].url)
            fail_msg("'%s': %s", cases[i].query, problem ? problem : url);
        if (!problem)
            assert_string_equal(url, cases[i].url);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_numbers),
        cmocka_unit_test(test_reads_urls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
