#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

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
        cmocka_unit_test(clocks_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
