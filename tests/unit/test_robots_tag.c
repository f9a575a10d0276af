#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "page/robots_tag.h"

static const struct {
    const char *value;
    bool noindex, nofollow, noarchive;
} cases[] = {
    {"noindex", true, false, false},
    {"nofollow", false, true, false},
    {"noarchive", false, false, true},
    {" NoArchive ", false, false, true},
    {"noindex, noarchive,nofollow", true, true, true},
    {"none", true, true, false},
    {"none, noarchive", true, true, true},
    {"all", false, false, false},
    {"", false, false, false},
    {"noarchives, no archive", false, false, false},
    {"nosnippet, max-snippet: 5, noarchive", false, false, true},
    {"mybot: noarchive", false, false, true},
    {"MyBot : noarchive", false, false, true},
    {"otherbot: noarchive", false, false, false},
    {"otherbot: noindex, noarchive", false, false, false},
    {"otherbot: noindex, mybot: noarchive", false, false, true},
    {"noarchive, otherbot: noindex", false, false, true},
    {"unavailable_after: 25 Jun 2030 15:00:00 PST, noarchive", false, false,
     true},
    {"unavailable_after: Tue, 25 Jun 2030 15:00:00 GMT, noarchive", false,
     false, true},
};

static void values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool noindex = false, nofollow = false, noarchive = false;

        robots_tag_read(str_of(cases[i].value), STR("mybot"), &noindex,
                        &nofollow, &noarchive);
        if (noindex != cases[i].noindex || nofollow != cases[i].nofollow ||
            noarchive != cases[i].noarchive)
            fail_msg("\"%s\": got noindex %d, nofollow %d, noarchive %d",
                     cases[i].value, noindex, nofollow, noarchive);
    }
}

static void a_flag_stays_set(void **state)
{
    bool noindex = true, nofollow = true, noarchive = true;

    (void)state;
    robots_tag_read(STR("all"), STR("mybot"), &noindex, &nofollow, &noarchive);
    assert_true(noindex && nofollow && noarchive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(a_flag_stays_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
