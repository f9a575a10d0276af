#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/random.h"

static void put_up_to_the_cap(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 5);
    assert_true(buf_put(&buf, STR("")));
    assert_true(buf_put(&buf, (struct str){0}));
    assert_true(buf_put(&buf, STR("abc")));
    assert_false(buf_put(&buf, STR("def")));
    assert_true(str_eq(buf_str(&buf), STR("abc")));
    assert_true(buf_put(&buf, STR("de")));
    assert_false(buf_put_char(&buf, 'f'));
    assert_true(buf_put(&buf, STR("")));
    assert_true(str_eq(buf_str(&buf), STR("abcde")));
    assert_string_equal(buf_cstr(&buf), "abcde");
    assert_int_equal(buf.len, 5);
    buf_clear(&buf);
    assert_int_equal(buf.len, 0);
    assert_true(buf_put_char(&buf, '\0'));
    assert_int_equal(buf.len, 1);
    buf_release(&buf);
    assert_null(buf.ptr);
    assert_int_equal(buf.cap, 5);
    buf_release(&buf);
}

static void numbers(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 100);
    buf_put_number(&buf, 0);
    buf_put_char(&buf, ' ');
    buf_put_number(&buf, 1090);
    buf_put_char(&buf, ' ');
    buf_put_number(&buf, UINT64_MAX);
    assert_string_equal(buf_cstr(&buf), "0 1090 18446744073709551615");
    buf_release(&buf);
}

static void nothing_at_all(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    assert_int_equal(buf_str(&buf).len, 0);
    assert_string_equal(buf_cstr(&buf), "");
    assert_true(buf_printf(&buf, "%s", ""));
    assert_false(buf_printf(&buf, "%d", 1));
    assert_false(buf_put_char(&buf, 'a'));
    assert_non_null(buf_reserve(&buf, 0));
    assert_null(buf_reserve(&buf, 1));
    assert_null(buf_reserve(&buf, SIZE_MAX));
    buf_release(&buf);
    assert_null(buf.ptr);
}

static void printf_at_the_edges(void **state)
{
    /* 256 is the first room: the NUL of vsnprintf must have its place. */
    for (int fill = 250; fill < 262; fill++) {
        struct buf buf;
        buf_init(&buf, (size_t)fill + 5);
        assert_true(buf_printf(&buf, "%*s", fill, "x"));
        assert_true(buf_printf(&buf, "%s", "12345"));
        assert_false(buf_printf(&buf, "%s", "6"));
        assert_true(buf_printf(&buf, "%s", ""));
        assert_int_equal(buf.len, fill + 5);
        assert_memory_equal(buf.ptr + fill - 1, "x12345", 6);
        buf_release(&buf);
    }
    (void)state;
}

static void reserve(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 1000);
    char *at = buf_reserve(&buf, 1000);
    memset(at, 'x', 1000);
    buf.len += 999;
    assert_null(buf_reserve(&buf, 2));
    assert_non_null(buf_reserve(&buf, 1));
    assert_int_equal(buf_str(&buf).len, 999);
    assert_int_equal(buf_str(&buf).ptr[998], 'x');
    buf_release(&buf);
}

/* Memory follows the bytes that came, not the cap. */
static void growth(void **state)
{
    struct buf buf;
    struct random random = {7};
    size_t moves = 0;

    (void)state;
    buf_init(&buf, SIZE_MAX);
    for (size_t i = 0; i < 1000000; i++) {
        size_t room = buf.room;
        assert_true(buf_put_char(&buf, (char)random_u64(&random)));
        moves += room != buf.room;
    }
    if (buf.room > buf.len * 3 / 2 + 256 || moves > 40)
        fail_msg("%zu bytes: room for %zu after %zu moves", buf.len, buf.room,
                 moves);
    random = (struct random){7};
    for (size_t i = 0; i < buf.len; i++)
        if (buf.ptr[i] != (char)random_u64(&random))
            fail_msg("byte %zu has changed", i);
    buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_up_to_the_cap),
        cmocka_unit_test(numbers),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(printf_at_the_edges),
        cmocka_unit_test(reserve),
        cmocka_unit_test(growth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
