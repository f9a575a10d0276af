#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "page/link_header.h"

static void the_first_link_with_the_relation(void **state)
{
    static const struct {
        const char *value, *found; /* NULL: none */
    } rows[] = {
        {"<http://h/a>; rel=\"canonical\"", "http://h/a"},
        {"<a>;rel=canonical", "a"},
        {"<a> ; REL = \"CANONICAL\"", "a"},
        {"<a>; rel=\"next canonical\"", "a"},
        {"<a>; rel=next, <b>; rel=canonical", "b"},
        {"<a>; title=\"x, <y>; rel=canonical\"; rel=next, <b>; rel=canonical",
         "b"},
        {"<a>; title=\"\\\", <y>\"; rel=canonical", "a"},
        {"<a>; rel=next; rel=canonical", NULL}, /* only the first counts */
        {"<>; rel=canonical", ""},
        {"<a>", NULL},
        {"<a>; rel", NULL},
        {"<a>; rel=canonicals", NULL},
        {"<a; rel=canonical", NULL},
        {"a; rel=canonical", NULL},
        {"<a>; title=\"open; rel=canonical", NULL},
        {"", NULL},
        {",,;;<", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str got =
            link_header_find(str_of(rows[i].value), STR("canonical"));
        if (rows[i].found ? !got.ptr || !str_eq(got, str_of(rows[i].found))
                          : got.ptr != NULL)
            fail_msg("%s: %.*s", rows[i].value, STR_ARGS(got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_link_with_the_relation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
