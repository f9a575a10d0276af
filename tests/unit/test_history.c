/* Counters over time: bounds, rates, the expected end. */
#include "view/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct history history; /* large */

static void add(uint64_t s, uint64_t pages, uint64_t queued)
{
    const struct history_point point = {
        .at_ms = 1000000 + s * 1000,
        .mono_ms = 50000 + s * 1000,
        .pages = pages,
        .queued = queued,
    };

    history_add(&history, &point);
}

static void begin(void)
{
    history = (struct history){0};
}

static void test_rates(void **state)
{
    (void)state;
    begin();
    assert_true(history_rates(&history, 10000).pages == 0);
    add(0, 0, 0);
    assert_true(history_rates(&history, 10000).pages == 0);
    for (uint64_t s = 1; s <= 60; s++)
        add(s, s <= 50 ? 0 : (s - 50) * 3, 0);
    assert_true(history_rates(&history, 10000).pages == 3);
    assert_true(history_rates(&history, 60000).pages == 0.5);
}

static void test_rates_over_a_time_in_which_nobody_looked(void **state)
{
    (void)state;
    begin();
    add(0, 0, 0);
    add(80, 240, 0);
    assert_true(history_rates(&history, 10000).pages == 3);
    add(81, 241, 0);
    assert_true(history_rates(&history, 10000).pages == 1);
}

static void test_keeps_ten_minutes_and_the_whole_run(void **state)
{
    (void)state;
    begin();
    for (uint64_t s = 0; s < 10000; s++)
        add(s, s, 0);
    assert_int_equal(history.recent_count, HISTORY_POINTS);
    assert_int_equal(history_recent(&history, 0)->pages, 9400);
    assert_int_equal(history_recent(&history, HISTORY_POINTS - 1)->pages, 9999);
    assert_true(history.whole_count <= HISTORY_POINTS);
    assert_true(history.whole_count >= HISTORY_POINTS / 2);
    assert_int_equal(history.whole[0].pages, 0);
    for (size_t i = 1; i < history.whole_count; i++)
        assert_true(history.whole[i].pages > history.whole[i - 1].pages);
    assert_true(history.whole[history.whole_count - 1].pages > 9900);
}

static void test_leaves_out_points_of_the_same_second(void **state)
{
    (void)state;
    begin();
    add(1, 1, 0);
    add(1, 2, 0);
    assert_int_equal(history.recent_count, 1);
}

static void test_expects_an_end(void **state)
{
    uint64_t left_ms = 0;
    (void)state;

    begin();
    assert_int_equal(history_expected(&history, 5, UINT64_MAX, 0, &left_ms),
                     HISTORY_UNKNOWN);
    for (uint64_t s = 0; s <= 4; s++)
        add(s, s, 100 - s);
    assert_int_equal(history_expected(&history, 96, UINT64_MAX, 0, &left_ms),
                     HISTORY_UNKNOWN);
    for (uint64_t s = 5; s <= 20; s++)
        add(s, s, 100 - s);
    assert_int_equal(history_expected(&history, 80, UINT64_MAX, 0, &left_ms),
                     HISTORY_EXPECTED);
    assert_int_equal(left_ms, 80000);
    /* --max-pages comes first. */
    assert_int_equal(history_expected(&history, 80, 10, 0, &left_ms),
                     HISTORY_EXPECTED);
    assert_int_equal(left_ms, 10000);
    /* One host needs longer than all together; a limit of pages does not. */
    assert_int_equal(
        history_expected(&history, 80, UINT64_MAX, 6060000, &left_ms),
        HISTORY_EXPECTED);
    assert_int_equal(left_ms, 6060000);
    assert_int_equal(history_expected(&history, 80, 10, 6060000, &left_ms),
                     HISTORY_EXPECTED);
    assert_int_equal(left_ms, 10000);
}

/* The first page fills the queue, and from then on it falls. */
static void test_expects_an_end_after_a_peak(void **state)
{
    uint64_t left_ms = 0;
    (void)state;

    begin();
    add(0, 0, 1);
    for (uint64_t s = 1; s <= 5; s++)
        add(s, s, 35 - s);
    assert_int_equal(history_expected(&history, 30, UINT64_MAX, 0, &left_ms),
                     HISTORY_GROWS);
    for (uint64_t s = 6; s <= 16; s++)
        add(s, s, 35 - s);
    assert_int_equal(history_expected(&history, 19, UINT64_MAX, 0, &left_ms),
                     HISTORY_EXPECTED);
    assert_int_equal(left_ms, 19000);
    /* A peak of more than a minute ago does not count. */
    for (uint64_t s = 17; s <= 90; s++)
        add(s, s, s < 30 ? 1 : s - 28);
    assert_int_equal(history_expected(&history, 62, UINT64_MAX, 0, &left_ms),
                     HISTORY_GROWS);
}

static void test_says_that_the_queue_grows(void **state)
{
    uint64_t left_ms;
    (void)state;

    begin();
    for (uint64_t s = 0; s <= 10; s++)
        add(s, s, 100 + s);
    assert_int_equal(history_expected(&history, 110, UINT64_MAX, 0, &left_ms),
                     HISTORY_GROWS);
    begin();
    for (uint64_t s = 0; s <= 10; s++)
        add(s, 0, 100);
    assert_int_equal(history_expected(&history, 100, 5, 0, &left_ms),
                     HISTORY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rates_over_a_time_in_which_nobody_looked),
        cmocka_unit_test(test_keeps_ten_minutes_and_the_whole_run),
        cmocka_unit_test(test_leaves_out_points_of_the_same_second),
        cmocka_unit_test(test_expects_an_end),
        cmocka_unit_test(test_expects_an_end_after_a_peak),
        cmocka_unit_test(test_says_that_the_queue_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
