#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "html/srcset.h"

static const struct {
    const char *value, *urls;
} rows[] = {
    {"", ""},
    {" ", ""},
    {",", ""},
    {", ,", ""},
    {"a", "[a]"},
    {" a ", "[a]"},
    {"a 1x", "[a]"},
    {"a 1x, b 2x", "[a][b]"},
    {"a 1x,b 2x", "[a][b]"},
    {"a,b", "[a,b]"},
    {"a, b", "[a][b]"},
    {"a,, b", "[a][b]"},
    {",a", "[a]"},
    {"a,", "[a]"},
    {"a ,b", "[a][b]"},
    {"a\n320w,\n\tb\n640w", "[a][b]"},
    {"data:,a 1x, b 2x", "[data:,a][b]"},
    {"a 100w 50h", "[a]"},
    {"a 50h 100w", "[a]"},
    {"a 50h", ""},
    {"a 50h, b", "[b]"},
    {"a 0w, b", "[b]"},
    {"a 00w, b", "[b]"},
    {"a -1w, b", "[b]"},
    {"a +1w, b", "[b]"},
    {"a 1.5w, b", "[b]"},
    {"a 1w 1w, b", "[b]"},
    {"a 1w 1x, b", "[b]"},
    {"a 1x 1w, b", "[b]"},
    {"a 1x 1x, b", "[b]"},
    {"a 1x 1h, b", "[b]"},
    {"a 1h 1x, b", "[b]"},
    {"a 1w 1h 1h, b", "[b]"},
    {"a 1.5x", "[a]"},
    {"a .5x", "[a]"},
    {"a 1.x, b", "[b]"},
    {"a 1e3x", "[a]"},
    {"a 1E-3x", "[a]"},
    {"a 1ex, b", "[b]"},
    {"a e3x, b", "[b]"},
    {"a 0x", "[a]"},
    {"a -0x", "[a]"},
    {"a -0.0x", "[a]"},
    {"a -1x, b", "[b]"},
    {"a x, b", "[b]"},
    {"a w, b", "[b]"},
    {"a -x, b", "[b]"},
    {"a +1x, b", "[b]"},
    {"a 1X, b", "[b]"},
    {"a huge, b", "[b]"},
    {"a 1x huge, b", "[b]"},
    {"a (1x, b 2x), c", "[c]"},
    {"a (1x, b", ""},
    {"a 1x(, b), c 2x", "[c]"},
};

static void candidates(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct srcset srcset = srcset_of(str_of(rows[i].value));
        struct str url;
        struct buf got;

        buf_init(&got, 1000);
        while (srcset_next(&srcset, &url))
            buf_printf(&got, "[%.*s]", STR_ARGS(url));
        if (!str_eq(buf_str(&got), str_of(rows[i].urls)))
            fail_msg("\"%s\": expected %s, got %s", rows[i].value, rows[i].urls,
                     buf_cstr(&got));
        buf_release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(candidates)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
