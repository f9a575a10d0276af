#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/str.h"

static void iso_format(void **state)
{
    static const struct {
        uint64_t wall_ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1, "1970-01-01T00:00:00.001Z"},
        {999, "1970-01-01T00:00:00.999Z"},
        {1000, "1970-01-01T00:00:01.000Z"},
        {1714979289123, "2024-05-06T07:08:09.123Z"},
        {951782399999, "2000-02-28T23:59:59.999Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {4107542400000, "2100-03-01T00:00:00.000Z"},
        {2147483648000, "2038-01-19T03:14:08.000Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {253402300800000, "9999-12-31T23:59:59.999Z"},
        {UINT64_MAX, "9999-12-31T23:59:59.999Z"},
    };
    static const char *const zones[] = {"UTC", "Asia/Kathmandu", "EST5EDT"};

    (void)state;
    for (size_t zone = 0; zone < ARRAY_LEN(zones); zone++) {
        setenv("TZ", zones[zone], 1);
        tzset();
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
            char got[CLOCK_ISO_LEN + 1];
            clock_format_iso(cases[i].wall_ms, got);
            if (strcmp(got, cases[i].text) != 0)
                fail_msg("%llu: expected %s, got %s",
                         (unsigned long long)cases[i].wall_ms, cases[i].text,
                         got);
        }
    }
}

/* No time, however far, writes beyond its place. */
static void far_times_stay_inside(void **state)
{
    (void)state;
    for (int shift = 0; shift < 64; shift++) {
        struct {
            char text[CLOCK_ISO_LEN + 1];
            char guard[8];
        } out = {.guard = "guard"};
        clock_format_iso(UINT64_MAX >> shift, out.text);
        assert_string_equal(out.guard, "guard");
        assert_int_equal(strlen(out.text), CLOCK_ISO_LEN);
    }
}

static void clocks_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t before_ms = clock_mono_ms();
        uint64_t us = clock_mono_us();
        uint64_t after_ms = clock_mono_ms();
        assert_in_range(us / 1000, before_ms, after_ms);
        assert_true(clock_mono_us() >= us);
    }
    uint64_t wall_s = clock_wall_ms() / 1000;
    assert_in_range((uint64_t)time(NULL), wall_s, wall_s + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iso_format),
        cmocka_unit_test(far_times_stay_inside),
        cmocka_unit_test(clocks_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
