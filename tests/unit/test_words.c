#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/words.h"

enum { BAD = -1, OLD = 4711 };

struct value_case {
    struct str text;
    int64_t value; /* BAD: not accepted */
};

static void check(const struct value_case *cases, size_t count,
                  bool (*read)(struct str, uint64_t *))
{
    for (size_t i = 0; i < count; i++) {
        uint64_t expected =
            cases[i].value == BAD ? OLD : (uint64_t)cases[i].value;
        uint64_t value = OLD;
        bool good = read(cases[i].text, &value);
        if (good != (cases[i].value != BAD) || value != expected)
            fail_msg("'%s': expected %s %llu, got %s %llu", cases[i].text.ptr,
                     cases[i].value == BAD ? "no" : "yes",
                     (unsigned long long)expected, good ? "yes" : "no",
                     (unsigned long long)value);
    }
}

static void durations(void **state)
{
    static const struct value_case cases[] = {
        {STR_INIT("0"), 0},
        {STR_INIT("0ms"), 0},
        {STR_INIT("1"), 1000},
        {STR_INIT("500ms"), 500},
        {STR_INIT("10s"), 10000},
        {STR_INIT("10S"), 10000},
        {STR_INIT("2m"), 120000},
        {STR_INIT("2h"), 7200000},
        {STR_INIT("7d"), 604800000},
        {STR_INIT("007s"), 7000},
        /* fractions */
        {STR_INIT("1.5s"), 1500},
        {STR_INIT("1.5"), 1500},
        {STR_INIT("0.25s"), 250},
        {STR_INIT("1.25m"), 75000},
        {STR_INIT("0.1h"), 360000},
        {STR_INIT("1.000001d"), 86400086},
        {STR_INIT("0.001s"), 1},
        {STR_INIT("0.0019s"), 1},
        {STR_INIT("0.9999999999999999999999s"), 999},
        {STR_INIT("1.5ms"), 1},
        /* as large as can be, and larger */
        {STR_INIT("9223372036854775807ms"), INT64_MAX},
        {STR_INIT("9223372036854775.5"), 9223372036854775500},
        {STR_INIT("18446744073709551615d"), BAD},
        {STR_INIT("18446744073709552s"), BAD},
        {STR_INIT("99999999999999999999"), BAD},
        /* not durations */
        {STR_INIT(""), BAD},
        {{0}, BAD},
        {STR_INIT("s"), BAD},
        {STR_INIT("ms"), BAD},
        {STR_INIT("."), BAD},
        {STR_INIT(".5s"), BAD},
        {STR_INIT("1."), BAD},
        {STR_INIT("1.s"), BAD},
        {STR_INIT("1.2.3"), BAD},
        {STR_INIT("-1"), BAD},
        {STR_INIT("+1"), BAD},
        {STR_INIT("-0"), BAD},
        {STR_INIT("1e3"), BAD},
        {STR_INIT("0x10"), BAD},
        {STR_INIT(" 1s"), BAD},
        {STR_INIT("1s "), BAD},
        {STR_INIT("1 s"), BAD},
        {STR_INIT("1ss"), BAD},
        {STR_INIT("1s1"), BAD},
        {STR_INIT("1h30m"), BAD},
        {STR_INIT("1K"), BAD},
        {STR_INIT("1,5s"), BAD},
        {STR_INIT("1s\0"), BAD},
        {STR_INIT("forever"), BAD},
    };

    (void)state;
    check(cases, ARRAY_LEN(cases), value_duration_ms);
}

static void sizes(void **state)
{
    static const struct value_case cases[] = {
        {STR_INIT("0"), 0},
        {STR_INIT("1000"), 1000},
        {STR_INIT("64K"), 65536},
        {STR_INIT("64k"), 65536},
        {STR_INIT("64KB"), 65536},
        {STR_INIT("16M"), 16777216},
        {STR_INIT("16mb"), 16777216},
        {STR_INIT("2G"), 2147483648},
        /* fractions: a power of two divided by two stays exact */
        {STR_INIT("1.5K"), 1536},
        {STR_INIT("1.25K"), 1280},
        {STR_INIT("0.125K"), 128},
        {STR_INIT("0.25M"), 262144},
        {STR_INIT("0.001953125M"), 2048},
        {STR_INIT("2.75G"), 2952790016},
        {STR_INIT("0.1K"), 102},
        {STR_INIT("1.9"), 1},
        {STR_INIT("9223372036854775807"), INT64_MAX},
        {STR_INIT("18446744073709551615G"), BAD},
        {STR_INIT("18446744073709551616"), BAD},
        {STR_INIT(""), BAD},
        {{0}, BAD},
        {STR_INIT("K"), BAD},
        {STR_INIT("-1"), BAD},
        {STR_INIT("1e3"), BAD},
        {STR_INIT("16 M"), BAD},
        {STR_INIT("16MiB"), BAD},
        {STR_INIT("16B"), BAD},
        {STR_INIT("1T"), BAD},
        {STR_INIT("10s"), BAD},
        {STR_INIT("1.K"), BAD},
        {STR_INIT(".5K"), BAD},
    };

    (void)state;
    check(cases, ARRAY_LEN(cases), value_size);
}

struct text_case {
    uint64_t value;
    const char *text;
};

static void check_texts(const struct text_case *cases, size_t count,
                        void (*put)(struct buf *, uint64_t),
                        bool (*read)(struct str, uint64_t *))
{
    for (size_t i = 0; i < count; i++) {
        uint64_t again = OLD;
        struct buf out;

        buf_init(&out, 100);
        put(&out, cases[i].value);
        if (strcmp(buf_cstr(&out), cases[i].text) != 0)
            fail_msg("expected %s, got %s", cases[i].text, buf_cstr(&out));
        assert_true(read(buf_str(&out), &again));
        assert_int_equal(again, cases[i].value);
        buf_release(&out);
    }
}

static void durations_are_written_in_the_largest_whole_unit(void **state)
{
    static const struct text_case cases[] = {
        {0, "0"},          {1, "1ms"},        {1500, "1500ms"},
        {1000, "1s"},      {90000, "90s"},    {60000, "1m"},
        {3600000, "1h"},   {86400000, "24h"}, {129600000, "36h"},
        {172800000, "2d"}, {604800000, "7d"}, {604800001, "604800001ms"},
    };

    (void)state;
    check_texts(cases, ARRAY_LEN(cases), value_put_duration, value_duration_ms);
}

static void sizes_are_written_in_the_largest_whole_unit(void **state)
{
    static const struct text_case cases[] = {
        {0, "0"},
        {1, "1"},
        {1000, "1000"},
        {1024, "1K"},
        {1536, "1536"},
        {65536, "64K"},
        {16777216, "16M"},
        {2147483648, "2G"},
        {2147483649, "2147483649"},
        {(uint64_t)1 << 40, "1024G"},
    };

    (void)state;
    check_texts(cases, ARRAY_LEN(cases), value_put_size, value_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations_are_written_in_the_largest_whole_unit),
        cmocka_unit_test(sizes_are_written_in_the_largest_whole_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
