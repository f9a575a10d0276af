#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "url/err.h"

static void every_error_has_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < ERR_COUNT; i++) {
        const char *text = err_message((enum err)i);
        if (!text || !text[0] || str_ends(str_of(text), STR(".")) ||
            strchr(text, '\n'))
            fail_msg("error %d: %s", i, text ? text : "NULL");
        for (int j = 0; j < i; j++)
            if (!strcmp(text, err_message((enum err)j)))
                fail_msg("errors %d and %d: %s", j, i, text);
    }
}

static void beyond_the_list(void **state)
{
    (void)state;
    assert_string_equal(err_message(ERR_COUNT), "unknown error");
    assert_string_equal(err_message((enum err) - 1), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_a_sentence),
        cmocka_unit_test(beyond_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
