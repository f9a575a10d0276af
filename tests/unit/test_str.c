#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"

/* Every byte, against the plainest way of saying it. */
static void classes(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        bool upper = i >= 65 && i <= 90, lower = i >= 97 && i <= 122;
        bool digit = i >= 48 && i <= 57;
        int hex = digit                 ? i - 48
                  : i >= 65 && i <= 70  ? i - 55
                  : i >= 97 && i <= 102 ? i - 87
                                        : -1;

        if (ascii_is_alpha(c) != (upper || lower) ||
            ascii_is_digit(c) != digit ||
            ascii_is_alnum(c) != (upper || lower || digit) ||
            ascii_is_space(c) !=
                (i == 9 || i == 10 || i == 12 || i == 13 || i == 32) ||
            ascii_lower(c) != (char)(upper ? i + 32 : i) || hex_value(c) != hex)
            fail_msg("byte %d: alpha %d digit %d space %d lower %d hex %d", i,
                     ascii_is_alpha(c), ascii_is_digit(c), ascii_is_space(c),
                     ascii_lower(c), hex_value(c));
    }
}

static void comparisons(void **state)
{
    static const struct {
        struct str a, b;
        bool eq, eq_nocase, starts, starts_nocase, ends;
    } cases[] = {
        {STR_INIT(""), STR_INIT(""), 1, 1, 1, 1, 1},
        {{0}, {0}, 1, 1, 1, 1, 1},
        {{0}, STR_INIT(""), 1, 1, 1, 1, 1},
        {STR_INIT(""), {0}, 1, 1, 1, 1, 1},
        {{0}, STR_INIT("a"), 0, 0, 0, 0, 0},
        {STR_INIT("a"), {0}, 0, 0, 1, 1, 1},
        {STR_INIT("a"), STR_INIT("A"), 0, 1, 0, 1, 0},
        {STR_INIT("ab"), STR_INIT("a"), 0, 0, 1, 1, 0},
        {STR_INIT("ab"), STR_INIT("b"), 0, 0, 0, 0, 1},
        {STR_INIT("a"), STR_INIT("ab"), 0, 0, 0, 0, 0},
        {STR_INIT("Ab"), STR_INIT("aB"), 0, 1, 0, 1, 0},
        {STR_INIT("a\0b"), STR_INIT("a\0c"), 0, 0, 0, 0, 0},
        {STR_INIT("a\0b"), STR_INIT("a\0"), 0, 0, 1, 1, 0},
        {STR_INIT("@"), STR_INIT("`"), 0, 0, 0, 0, 0},
        {STR_INIT("["), STR_INIT("{"), 0, 0, 0, 0, 0},
        {STR_INIT("\xc4"), STR_INIT("\xe4"), 0, 0, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str a = cases[i].a, b = cases[i].b;
        if (str_eq(a, b) != cases[i].eq ||
            str_eq_nocase(a, b) != cases[i].eq_nocase ||
            str_starts(a, b) != cases[i].starts ||
            str_starts_nocase(a, b) != cases[i].starts_nocase ||
            str_ends(a, b) != cases[i].ends)
            fail_msg("case %zu, \"%.*s\" and \"%.*s\": eq %d nocase %d "
                     "starts %d nocase %d ends %d",
                     i, (int)a.len, a.ptr, (int)b.len, b.ptr, str_eq(a, b),
                     str_eq_nocase(a, b), str_starts(a, b),
                     str_starts_nocase(a, b), str_ends(a, b));
    }
}

static void cuts(void **state)
{
    static const struct {
        struct str input, head, tail;
        bool found;
    } cases[] = {
        {STR_INIT("a:b:c"), STR_INIT("a"), STR_INIT("b:c"), true},
        {STR_INIT("abc"), STR_INIT("abc"), STR_INIT(""), false},
        {STR_INIT(":"), STR_INIT(""), STR_INIT(""), true},
        {STR_INIT("a:"), STR_INIT("a"), STR_INIT(""), true},
        {STR_INIT(":a"), STR_INIT(""), STR_INIT("a"), true},
        {STR_INIT("a\0:b"), STR_INIT("a\0"), STR_INIT("b"), true},
        {STR_INIT(""), STR_INIT(""), STR_INIT(""), false},
        {{0}, STR_INIT(""), STR_INIT(""), false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str input = cases[i].input;
        struct str_pair got = str_cut(input, ':');
        if (!str_eq(got.head, cases[i].head) ||
            !str_eq(got.tail, cases[i].tail) ||
            (got.tail.ptr != NULL) != cases[i].found ||
            str_find(input, ':') !=
                (cases[i].found ? cases[i].head.len : input.len))
            fail_msg("\"%.*s\": expected \"%s\" and \"%s\", got \"%.*s\" and "
                     "\"%.*s\"",
                     (int)input.len, input.ptr, cases[i].head.ptr,
                     cases[i].tail.ptr, (int)got.head.len, got.head.ptr,
                     (int)got.tail.len, got.tail.ptr);
    }
}

static void trims(void **state)
{
    static const struct {
        struct str input, output;
    } cases[] = {
        {STR_INIT(""), STR_INIT("")},
        {{0}, STR_INIT("")},
        {STR_INIT(" "), STR_INIT("")},
        {STR_INIT(" \t\r\n\f"), STR_INIT("")},
        {STR_INIT(" a b\n"), STR_INIT("a b")},
        {STR_INIT("\va\v"), STR_INIT("\va\v")},
        {STR_INIT("\0a\0"), STR_INIT("\0a\0")},
        {STR_INIT("\xa0 a"), STR_INIT("\xa0 a")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str got = str_trim(cases[i].input);
        if (!str_eq(got, cases[i].output))
            fail_msg("\"%s\": expected \"%s\", got \"%.*s\"",
                     cases[i].input.ptr, cases[i].output.ptr, (int)got.len,
                     got.ptr);
    }
}

static void control_characters_are_not_clean(void **state)
{
    (void)state;
    assert_true(str_is_clean((struct str){0}));
    for (int c = 0; c < 256; c++) {
        char text[] = {'a', (char)c, 'b'};

        assert_int_equal(str_is_clean((struct str){text, sizeof(text)}),
                         c == '\t' || (c >= ' ' && c != 127));
    }
}

static void slices(void **state)
{
    struct str s = STR("hello");

    (void)state;
    assert_true(str_eq(str_first(s, 2), STR("he")));
    assert_true(str_eq(str_first(s, 5), s));
    assert_true(str_eq(str_first(s, 99), s));
    assert_true(str_eq(str_first((struct str){0}, 1), STR("")));
    assert_true(str_eq(str_skip(s, 2), STR("llo")));
    assert_true(str_eq(str_skip(s, 5), STR("")));
    assert_int_equal(str_skip((struct str){0}, 0).len, 0);
    assert_true(str_eq(str_between(s.ptr + 1, s.ptr + 3), STR("el")));
    assert_true(str_eq(str_of("a\0b"), STR("a")));
    assert_int_equal(STR("a\0b").len, 3);
}

static void numbers(void **state)
{
    enum { OLD = 12345 };
    static const struct {
        struct str input;
        bool good;
        uint64_t value;
    } cases[] = {
        {STR_INIT("0"), true, 0},
        {STR_INIT("00"), true, 0},
        {STR_INIT("007"), true, 7},
        {STR_INIT("10"), true, 10},
        {STR_INIT("18446744073709551615"), true, UINT64_MAX},
        {STR_INIT("0000000000018446744073709551615"), true, UINT64_MAX},
        {STR_INIT("18446744073709551616"), false, OLD},
        {STR_INIT("18446744073709551620"), false, OLD},
        {STR_INIT("28446744073709551615"), false, OLD},
        {STR_INIT("99999999999999999999"), false, OLD},
        {STR_INIT("184467440737095516150"), false, OLD},
        {STR_INIT(""), false, OLD},
        {{0}, false, OLD},
        {STR_INIT("+5"), false, OLD},
        {STR_INIT("-0"), false, OLD},
        {STR_INIT("-1"), false, OLD},
        {STR_INIT(" 5"), false, OLD},
        {STR_INIT("5 "), false, OLD},
        {STR_INIT("5\n"), false, OLD},
        {STR_INIT("5\0"), false, OLD},
        {STR_INIT("0x3"), false, OLD},
        {STR_INIT("1e1"), false, OLD},
        {STR_INIT("10.0"), false, OLD},
        {STR_INIT("1a"), false, OLD},
        {STR_INIT("a1"), false, OLD},
        {STR_INIT("\xd9\xa1"), false, OLD}, /* an Arabic digit */
        {STR_INIT("/"), false, OLD},
        {STR_INIT(":"), false, OLD},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint64_t value = OLD;
        bool good = str_to_u64(cases[i].input, &value);
        if (good != cases[i].good || value != cases[i].value)
            fail_msg("\"%s\": expected %d, %llu, got %d, %llu",
                     cases[i].input.ptr, cases[i].good,
                     (unsigned long long)cases[i].value, good,
                     (unsigned long long)value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(cuts),
        cmocka_unit_test(trims),
        cmocka_unit_test(slices),
        cmocka_unit_test(numbers),
        cmocka_unit_test(control_characters_are_not_clean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
