/* What waits beyond memory comes out in its turn, and at its depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/twins.h"

/* Pages lead to others, of a few domains of one host each, until enough are
 * known; then all is fetched. */
static void crawl(const struct frontier_options *options, uint64_t seed)
{
    struct random random = {.state = seed};
    struct target *flight[8][BOTH] = {{0}};
    struct twins twins;
    size_t taken = 0, shelved = 0;

    twins_begin(&twins, options);
    for (unsigned i = 0; i < 10; i++)
        twins_put_numbered(&twins, "http://d%u.example", i, 0);
    for (unsigned idle = 0; idle < 1000; idle++) {
        size_t place = random_below(&random, ARRAY_LEN(flight));
        twins.now_ms += random_below(&random, 20);
        if (flight[place][ROOM]) {
            uint32_t depth = flight[place][ROOM]->depth + 1;
            for (uint32_t n = random_below(&random, 30);
                 twins.urls < 8000 && n--;) {
                char origin[40];
                snprintf(origin, sizeof(origin), "http://d%u.example",
                         (unsigned)random_below(&random, 4) *
                             random_below(&random, 4));
                twins_put(&twins, origin, depth);
            }
            twins_finish(&twins, flight[place], &random);
            flight[place][ROOM] = NULL;
        } else if (twins_take(&twins, flight[place])) {
            taken++;
            idle = 0;
        }
        shelved += frontier_counts(twins.frontier[DISK]).on_disk;
    }
    /* The shares of a few domains, not the thousands that were known. */
    assert_true(taken >= 8000 && shelved > 100000);
    assert_true(twins.most_in_memory < 400);
    assert_int_equal(frontier_counts(twins.frontier[DISK]).queued, 0);
    assert_int_equal(frontier_counts(twins.frontier[DISK]).queued_max,
                     frontier_counts(twins.frontier[ROOM]).queued_max);
    twins_end(&twins);
}

static void the_same_order(void **state)
{
    static const struct frontier_options cases[] = {
        {.ranking = RANKING_BFS},
        {.ranking = RANKING_PRIORITY},
        {.ranking = RANKING_BFS, .delay_ms = 5, .per_host = 2},
        {.ranking = RANKING_PRIORITY, .delay_ms = 5, .per_host = 2},
        {.ranking = RANKING_BFS, .max_per_domain = 100},
        {.ranking = RANKING_PRIORITY, .max_per_domain = 700},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (uint64_t seed = 1; seed < 4; seed++)
            crawl(&cases[i], seed);
}

/* A redirect leads to what is on disk, one deeper: it is fetched before that
 * depth begins, and the others keep their order. */
static void a_nearer_way(void **state)
{
    static const char *const origins[] = {"http://a.example",
                                          "http://new.example"};
    struct frontier_options options = {.report_changes = true};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(origins); i++) {
        struct target *target[BOTH];
        struct random random = {.state = 0}; /* nothing is tried again */
        struct twins twins;
        struct url url;

        twins_begin(&twins, &options);
        for (unsigned n = 0; n < 1000; n++)
            twins_put(&twins, "http://a.example", 5);
        for (unsigned n = 0; n < 1000; n++)
            twins_put(&twins, origins[i], 5);
        /* The last two of them, and one that nobody has. */
        for (uint64_t n = 1999; n <= 2001; n++) {
            struct offer offer = twins_offer_of(&twins, origins[i], n, 4, &url);
            offer.referrer_id = 4711;
            offer.referrer_machine = UINT16_MAX;
            assert_false(frontier_found_again(twins.frontier[ROOM], &offer));
            /* Twice it need not be remembered. */
            for (int twice = 0; twice < 2; twice++)
                assert_int_equal(
                    frontier_found_again(twins.frontier[DISK], &offer),
                    n < 2001 && !twice);
        }
        for (unsigned n = 0; n < 2000; n++) {
            assert_true(twins_take(&twins, target));
            assert_int_equal(target[DISK]->depth, n < 2 ? 4 : 5);
            assert_int_equal(target[DISK]->number, n < 2 ? 1999 + n : n - 1);
            assert_int_equal(target[DISK]->changed_at > 0, n < 2);
            if (n < 2)
                assert_int_equal(target[DISK]->referrer_machine, UINT16_MAX);
            twins_finish(&twins, target, &random);
        }
        assert_false(twins_take(&twins, target));
        twins_end(&twins);
    }
}

/* What has to be fetched next is behind what fills the memory, in twenty
 * domains: they are crawled side by side all the same. */
static void side_by_side(void **state)
{
    struct target *target;
    struct twins twins;
    size_t taken = 0;

    (void)state;
    twins_begin(&twins, &(struct frontier_options){.delay_ms = 1000,
                                                   .queue_bytes = 4 * SMALL});
    for (unsigned i = 0; i < 4000; i++) {
        twins_put_numbered(&twins, "http://d%u.example", i % 20,
                           i < 2000 ? 9 : 3);
    }
    for (; taken < 2000; twins.now_ms += 100)
        while ((target = twins_next(&twins)) && target->depth == 3) {
            taken++;
            twins_done(&twins, target);
        }
    /* A hundred of each, one a second. */
    assert_true(twins.now_ms < 300 * 1000);
    for (; target; target = twins_next(&twins))
        twins_done(&twins, target);
    twins_end(&twins);
}

/* What a host has comes out in its turn, to the last one, however long the line
 * of other hosts is. */
static void the_last_of_a_host(void **state)
{
    struct target *target[BOTH];
    struct twins twins;

    (void)state;
    twins_begin(&twins, &(struct frontier_options){0});
    for (unsigned i = 0; i < 1000; i++)
        twins_put(&twins, "http://much.dom.example", 1);
    for (unsigned i = 0; i < 1000; i++)
        twins_put_numbered(&twins, "http://h%u.dom.example", i, 1);
    while (twins_take(&twins, target))
        twins_done_both(&twins, target);
    twins_end(&twins);
}

/* No file, so all is in memory: a crawl goes on as long as it can. */
static void without_a_file(void **state)
{
    struct target *target[BOTH];
    struct random random = {.state = 5};
    struct twins twins;

    (void)state;
    twins_begin(&twins, &(struct frontier_options){0});
    close(twins.dir_fd);
    for (unsigned i = 0; i < 1000; i++)
        twins_put(&twins, "http://a.example", 1);
    assert_int_equal(frontier_counts(twins.frontier[DISK]).on_disk, 0);
    for (; twins_take(&twins, target); twins.now_ms += 100)
        twins_finish(&twins, target, &random);
    assert_int_equal(frontier_trouble(twins.frontier[DISK]), 0);
    twins.dir_fd = dup(0);
    twins_end(&twins);
}

static void a_file_that_is_lost(void **state)
{
    struct target *target;
    struct twins twins;

    (void)state;
    twins_begin(&twins, &(struct frontier_options){0});
    int fd = dup(0); /* the number that the file will have */
    close(fd);
    for (unsigned i = 0; i < 3000; i++)
        twins_put(&twins, "http://a.example", 1);
    assert_int_equal(ftruncate(fd, 0), 0);
    while ((target = twins_next(&twins)))
        twins_done(&twins, target);
    assert_true(frontier_trouble(twins.frontier[DISK]) > 0);
    assert_true(frontier_counts(twins.frontier[DISK]).queued > 0);
    twins_end(&twins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_order), cmocka_unit_test(a_nearer_way),
        cmocka_unit_test(side_by_side),   cmocka_unit_test(the_last_of_a_host),
        cmocka_unit_test(without_a_file), cmocka_unit_test(a_file_that_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
