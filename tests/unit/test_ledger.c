#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fleet/ledger.h"
#include "web/partition.h"

static const struct store_code outcomes[] = {{"fetched", URL_SAVED},
                                             {"not-found", URL_FAILED}};
static const struct store_codes codes = {.outcome = outcomes, .outcomes = 2};

static void add(struct store_batch *batch, uint64_t number, uint32_t page,
                uint8_t outcome, const char *url)
{
    const struct store_fetch row = {.number = number,
                                    .page = page,
                                    .status = 200,
                                    .outcome = outcome,
                                    .start_ms = 1000,
                                    .end_ms = 1250,
                                    .digest = UINT64_MAX};

    store_add_fetch(batch, &row);
    if (url)
        store_add_fetched_url(batch, str_of(url), 7);
}

static void fetches_of_all_batches_are_rows(void **state)
{
    struct store_batch one, two;
    const struct store_batch *const batches[] = {&one, &two};
    struct arena arena;
    size_t count;

    (void)state;
    arena_init(&arena);
    store_batch_init(&one);
    store_batch_init(&two);
    add(&one, partition_number(3, 5), 9, 0, "http://a/");
    add(&one, partition_number(3, 6), 0, 0, NULL);
    add(&one, partition_number(0, 1), 0, 1, "http://b/");
    add(&two, partition_number(4, 2), 10, 200, "http://c/");
    const struct fleet_fetched *row =
        ledger_rows(batches, 2, &codes, &arena, &count);
    assert_int_equal(count, 3);
    assert_int_equal(row[0].part, 3);
    assert_int_equal(row[0].number, 5);
    assert_int_equal(row[0].page, 9);
    assert_int_equal(row[0].at_ms, 1250);
    assert_int_equal(row[0].ms, 250);
    assert_int_equal(row[0].depth, 7);
    assert_true(row[0].digest == UINT64_MAX);
    assert_true(str_eq(row[0].outcome, STR("fetched")));
    assert_true(str_eq(row[0].url, STR("http://a/")));
    /* A fetch without a URL leaves no row, and moves no other. */
    assert_int_equal(row[1].part, 0);
    assert_true(str_eq(row[1].outcome, STR("not-found")));
    assert_true(str_eq(row[2].url, STR("http://c/")));
    /* An outcome of a later version. */
    assert_true(str_eq(row[2].outcome, STR("?")));
    store_batch_release(&one);
    store_batch_release(&two);
    arena_release(&arena);
}

static void a_batch_that_is_cleared_has_none(void **state)
{
    struct store_batch batch;
    const struct store_batch *const batches[] = {&batch};
    struct arena arena;
    size_t count = 1;

    (void)state;
    arena_init(&arena);
    store_batch_init(&batch);
    add(&batch, 1, 1, 0, "http://a/");
    store_batch_clear(&batch);
    assert_null(ledger_rows(batches, 1, &codes, &arena, &count));
    assert_int_equal(count, 0);
    store_batch_release(&batch);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetches_of_all_batches_are_rows),
        cmocka_unit_test(a_batch_that_is_cleared_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
