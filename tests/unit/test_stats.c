#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "crawler/stats.h"

static struct stats *stats_new(void)
{
    return calloc(1, sizeof(struct stats));
}

static uint64_t sum_ms(const struct stats *stats)
{
    return stats->busy_ms + stats->pause_ms + stats->idle_ms;
}

static void times_add_up_to_the_time_that_elapsed(void **state)
{
    struct stats *stats = stats_new();

    (void)state;
    srand(1);
    for (unsigned i = 0; i < 1000; i++) {
        stats_add_time(stats, (enum stats_time)(rand() % 3),
                       (uint64_t)rand() % 10000);
        assert_int_equal(sum_ms(stats), stats->elapsed_ms);
    }
    free(stats);
}

/* A state that another version wrote, or that lacks a counter. */
static void times_of_a_state_file_are_made_to_add_up(void **state)
{
    static const struct {
        uint64_t busy_ms, pause_ms, idle_ms, elapsed_ms; /* as read */
        uint64_t idle_after_ms, elapsed_after_ms;
    } rows[] = {
        {0, 0, 0, 0, 0, 0},          {5, 6, 7, 18, 7, 18}, {5, 6, 7, 20, 9, 20},
        {5, 6, 0, 11, 0, 11},        {5, 6, 7, 17, 7, 18}, {5, 6, 7, 0, 7, 18},
        {0, 0, 0, 1000, 1000, 1000},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct stats *stats = stats_new();
        stats->busy_ms = rows[i].busy_ms;
        stats->pause_ms = rows[i].pause_ms;
        stats->idle_ms = rows[i].idle_ms;
        stats->elapsed_ms = rows[i].elapsed_ms;
        stats_settle_time(stats);
        assert_int_equal(stats->busy_ms, rows[i].busy_ms);
        assert_int_equal(stats->pause_ms, rows[i].pause_ms);
        assert_int_equal(stats->idle_ms, rows[i].idle_after_ms);
        assert_int_equal(stats->elapsed_ms, rows[i].elapsed_after_ms);
        free(stats);
    }
}

/* "12.3" as 123. */
static unsigned tenths_after(const char *text, const char *mark)
{
    const char *at = mark ? strstr(text, mark) : text;
    unsigned whole, tenth;

    assert_non_null(at);
    assert_int_equal(
        sscanf(at + (mark ? strlen(mark) : 0), "%u.%1u", &whole, &tenth), 2);
    return whole * 10 + tenth;
}

static void seconds_add_up_as_they_are_shown(void **state)
{
    (void)state;
    srand(2);
    for (unsigned i = 0; i < 1000; i++) {
        struct stats *stats = stats_new();
        struct buf text;

        for (unsigned kind = 0; kind < 3; kind++)
            stats_add_time(stats, (enum stats_time)kind,
                           (uint64_t)rand() % 3000);
        buf_init(&text, 64 * 1024);
        stats_put_details(stats, &text);
        const char *shown = buf_cstr(&text);
        assert_int_equal(tenths_after(shown, "time: ") +
                             tenths_after(shown, "in flight, ") +
                             tenths_after(shown, "of pauses, "),
                         tenths_after(shown, NULL));
        buf_release(&text);
        free(stats);
    }
}

static void a_heading_with_nothing_below_it_is_left_out(void **state)
{
    struct stats *stats = stats_new();
    struct buf text;

    (void)state;
    buf_init(&text, 64 * 1024);
    stats_put_details(stats, &text);
    assert_null(strstr(buf_cstr(&text), "URLs by outcome"));
    assert_null(strstr(buf_cstr(&text), "links by verdict"));
    assert_null(strstr(buf_cstr(&text), "when their turn had come"));
    stats->outcome[FETCHED] = 3;
    stats->late.verdict[ROBOTS_REFUSED] = 2;
    buf_clear(&text);
    stats_put_details(stats, &text);
    assert_non_null(strstr(buf_cstr(&text), "URLs by outcome:\n  "));
    assert_null(strstr(buf_cstr(&text), "links by verdict"));
    assert_non_null(strstr(buf_cstr(&text), "when their turn had come:\n  "));
    buf_release(&text);
    free(stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_add_up_to_the_time_that_elapsed),
        cmocka_unit_test(times_of_a_state_file_are_made_to_add_up),
        cmocka_unit_test(seconds_add_up_as_they_are_shown),
        cmocka_unit_test(a_heading_with_nothing_below_it_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
