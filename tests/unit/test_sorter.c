#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/sorter.h"

static const char *rest(struct sorter *sorter, struct buf *out)
{
    struct str text;

    buf_clear(out);
    while (sorter_next(sorter, &text))
        buf_printf(out, "[%.*s]", STR_ARGS(text));
    assert_false(sorter_next(sorter, &text)); /* it does not begin again */
    assert_false(sorter_failed(sorter));
    return buf_cstr(out);
}

static const char *all(struct sorter *sorter, struct buf *out)
{
    sorter_rewind(sorter);
    return rest(sorter, out);
}

static void texts_come_out_in_order(void **state)
{
    static const char *const texts[] = {"b", "a", "", "aa", "b", "\xff", "A"};
    struct sorter *sorter = sorter_new();
    struct buf out;

    (void)state;
    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        sorter_add(sorter, str_of(texts[i]));
    assert_string_equal(all(sorter, &out), "[][A][a][aa][b][b][\xff]");
    assert_string_equal(all(sorter, &out), "[][A][a][aa][b][b][\xff]");
    sorter_free(sorter);
    buf_release(&out);
}

static void texts_that_are_read_once_come_out_in_order(void **state)
{
    struct sorter *sorter = sorter_new();
    struct buf out;

    (void)state;
    buf_init(&out, 1 << 16);
    for (const char *text = "bacb"; *text; text++)
        sorter_add(sorter, (struct str){text, 1});
    sorter_read_once(sorter);
    assert_string_equal(rest(sorter, &out), "[a][b][b][c]");
    sorter_free(sorter);
    buf_release(&out);
}

static void nothing_in_nothing_out(void **state)
{
    struct sorter *sorter = sorter_new();
    struct str text;

    (void)state;
    assert_false(sorter_next(sorter, &text)); /* not before sorter_rewind */
    sorter_rewind(sorter);
    assert_false(sorter_next(sorter, &text));
    assert_false(sorter_failed(sorter));
    sorter_free(sorter);
}

static void many(void **state)
{
    struct sorter *sorter = sorter_new();
    char number[16], before[16] = "";
    struct str text;
    size_t count = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        int len = snprintf(number, sizeof(number), "%08x", i * 2654435761u);
        sorter_add(sorter, (struct str){number, (size_t)len});
    }
    sorter_rewind(sorter);
    for (; sorter_next(sorter, &text); count++) {
        snprintf(number, sizeof(number), "%.*s", STR_ARGS(text));
        assert_true(strcmp(before, number) < 0);
        strcpy(before, number);
    }
    assert_int_equal(count, 20000);
    sorter_free(sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_out_in_order),
        cmocka_unit_test(texts_that_are_read_once_come_out_in_order),
        cmocka_unit_test(nothing_in_nothing_out),
        cmocka_unit_test(many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
