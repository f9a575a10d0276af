#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "frontier/levels.h"
#include "support/random.h"

static void empty(void **state)
{
    struct levels levels;

    (void)state;
    levels_init(&levels);
    assert_int_equal(levels_lowest(&levels), UINT32_MAX);
    levels_release(&levels);
    levels_release(&levels);
}

/* Up, down and far away; a depth that is done opens again. */
static void a_table_of_steps(void **state)
{
    static const struct {
        int change;
        uint32_t depth, lowest;
    } steps[] = {
        {+1, 5, 5},
        {+1, 3, 3},
        {+1, 4, 3},
        {-1, 3, 4},
        {+1, 0, 0},
        {+1, 0, 0},
        {-1, 0, 0},
        {-1, 5, 0},
        {-1, 0, 4},
        {-1, 4, UINT32_MAX},
        {+1, 7, 7},
        {+1, 1000, 7},
        {-1, 7, 1000},
        {+1, 2, 2},
        {-1, 1000, 2},
        {-1, 2, UINT32_MAX},
        {+1, 4000000000, 4000000000},
        {+1, 4000000001, 4000000000},
        {-1, 4000000000, 4000000001},
        {-1, 4000000001, UINT32_MAX},
        {+1, 0, 0},
        {-1, 0, UINT32_MAX},
    };
    struct levels levels;

    (void)state;
    levels_init(&levels);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        if (steps[i].change > 0)
            levels_add(&levels, steps[i].depth);
        else
            levels_remove(&levels, steps[i].depth);
        if (levels_lowest(&levels) != steps[i].lowest)
            fail_msg("step %zu, %+d at %u: expected %u, got %u", i,
                     steps[i].change, steps[i].depth, steps[i].lowest,
                     levels_lowest(&levels));
    }
    levels_release(&levels);
}

/* A long crawl in one direction must not keep what it has left behind. */
static void window_stays_short(void **state)
{
    struct levels levels;

    (void)state;
    levels_init(&levels);
    levels_add(&levels, 0);
    for (uint32_t depth = 0; depth < 1000000; depth++) {
        levels_add(&levels, depth + 1);
        levels_remove(&levels, depth);
    }
    assert_int_equal(levels_lowest(&levels), 1000000);
    assert_true(levels.room <= 8);
    levels_release(&levels);
}

static void against_a_naive_model(void **state)
{
    enum { DEPTHS = 50, OPERATIONS = 100000 };
    size_t open[DEPTHS] = {0};
    struct random random = {77};
    struct levels levels;

    (void)state;
    levels_init(&levels);
    for (int i = 0; i < OPERATIONS; i++) {
        uint32_t depth = random_below(&random, DEPTHS);
        /* Full and almost empty in turns. */
        if (random_below(&random, 100) < (i / 5000 % 2 ? 80u : 20u)) {
            levels_add(&levels, depth);
            open[depth]++;
        } else if (open[depth]) {
            levels_remove(&levels, depth);
            open[depth]--;
        }
        uint32_t lowest = 0;
        while (lowest < DEPTHS && !open[lowest])
            lowest++;
        if (lowest == DEPTHS)
            lowest = UINT32_MAX;
        if (levels_lowest(&levels) != lowest)
            fail_msg("operation %d: expected %u, got %u", i, lowest,
                     levels_lowest(&levels));
        if (levels.room > 2 * DEPTHS)
            fail_msg("operation %d: room for %zu levels", i, levels.room);
    }
    levels_release(&levels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(a_table_of_steps),
        cmocka_unit_test(window_stays_short),
        cmocka_unit_test(against_a_naive_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
