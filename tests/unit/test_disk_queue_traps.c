/* Who makes up URLs, hosts or domains takes no more memory than there is, and
 * holds up nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/twins.h"

/* A site that makes up hosts: what is not its turn yet is no host either. */
static void hosts_without_end(void **state)
{
    struct target *target;
    struct twins twins;
    char seen[20001] = {0};
    size_t taken = 0;

    (void)state;
    twins_begin(&twins, &(struct frontier_options){.idle_hosts_max = 1});
    for (unsigned i = 0; i < 20000; i++) {
        twins_put_numbered(&twins, "http://h%u.trap.example", i, i / 7000);
    }
    assert_true(twins.most_in_memory < 100);
    uint32_t depth = 0;
    while ((target = twins_next(&twins))) {
        assert_true(target->depth >= depth);
        depth = target->depth;
        assert_false(seen[target->number]);
        seen[target->number] = 1;
        taken++;
        twins_done(&twins, target);
    }
    assert_int_equal(taken, 20000);
    twins_end(&twins);
}

/* Those of others are in memory all the time. */
static void one_takes_nothing_from_others(void **state)
{
    struct target *target[BOTH];
    struct twins twins;

    (void)state;
    twins_begin(&twins,
                &(struct frontier_options){.ranking = RANKING_PRIORITY});
    twins_put(&twins, "http://small.example", 1);
    for (unsigned i = 0; i < 5000; i++)
        twins_put(&twins, "http://trap.example", 1);
    size_t shelved = frontier_counts(twins.frontier[DISK]).on_disk;
    for (unsigned i = 0; i < 10; i++)
        twins_put(&twins, "http://small.example", 1);
    assert_int_equal(frontier_counts(twins.frontier[DISK]).on_disk, shelved);
    while (twins_take(&twins, target))
        twins_done_both(&twins, target);
    twins_end(&twins);
}

/* A site that makes up domains: they wait for each other, not in memory. */
static void domains_without_end(void **state)
{
    static const struct frontier_options cases[] = {
        {.ranking = RANKING_BFS},
        {.ranking = RANKING_PRIORITY},
        {.ranking = RANKING_BFS, .delay_ms = 100},
        {.ranking = RANKING_PRIORITY, .delay_ms = 100},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct target *target;
        struct twins twins;
        char seen[20001] = {0};
        uint32_t depth = 0;
        size_t taken = 0;

        twins_begin(&twins, &cases[i]);
        for (unsigned n = 0; n < 20000; n++) {
            char origin[40];
            snprintf(origin, sizeof(origin), "http://h.trap%u.example",
                     n % 9973);
            twins_put(&twins, origin, n / 7000);
        }
        assert_true(twins.most_in_memory < 100);
        for (; twins.now_ms < 100000; twins.now_ms += 10)
            while ((target = twins_next(&twins))) {
                assert_true(cases[i].ranking == RANKING_PRIORITY ||
                            target->depth >= depth);
                depth = target->depth;
                assert_false(seen[target->number]);
                seen[target->number] = 1;
                taken++;
                twins_done(&twins, target);
                const struct frontier_counts counts =
                    frontier_counts(twins.frontier[DISK]);
                assert_true(counts.queued - counts.on_disk < 200);
            }
        assert_int_equal(taken, 20000);
        twins_end(&twins);
    }
}

/* Whoever fills the memory and does not answer for an hour keeps nobody from
 * being crawled. */
static void who_waits_holds_nobody_up(void **state)
{
    (void)state;
    for (int ranking = RANKING_BFS; ranking <= RANKING_PRIORITY; ranking++) {
        struct target *target;
        struct twins twins;
        size_t taken = 0;

        twins_begin(&twins, &(struct frontier_options){
                                .ranking = (enum ranking_kind)ranking,
                                .delay_ms = 3600 * 1000});
        for (unsigned n = 0; n < 200; n++)
            twins_put(&twins, "http://slow.example", 1);
        for (unsigned n = 0; n < 1000; n++) {
            twins_put_numbered(&twins, "http://h%u.example", n, 1);
        }
        assert_true(frontier_counts(twins.frontier[DISK]).on_disk > 900);
        while ((target = twins_next(&twins))) {
            taken++;
            twins_done(&twins, target);
        }
        assert_int_equal(taken, 1001);
        twins_end(&twins);
    }
}

/* A late sitemap lists what is nearer than all that was found, or was found
 * already: that is no reason to have it in memory. */
static void lists_stay_in_the_file(void **state)
{
    struct target *target;
    struct twins twins;

    (void)state;
    twins_begin(&twins, &(struct frontier_options){0});
    for (unsigned i = 0; i < 1000; i++)
        twins_put(&twins, "http://a.example", 1);
    for (unsigned i = 0; i < 20000; i++)
        twins_put(&twins, "http://a.example", i % 2 ? 0 : 2);
    assert_true(twins.most_in_memory < 200);
    /* All of depth 2 are nearer. */
    for (uint64_t n = 1001; n <= twins.urls; n += 2) {
        struct url url;
        struct offer offer =
            twins_offer_of(&twins, "http://a.example", n, 0, &url);
        frontier_found_again(twins.frontier[DISK], &offer);
    }
    for (unsigned taken = 0; taken < 21000; taken++) {
        target = twins_next(&twins);
        assert_int_equal(target->depth, taken >= 20000);
        twins_done(&twins, target);
    }
    const struct frontier_counts counts = frontier_counts(twins.frontier[DISK]);
    assert_int_equal(counts.queued, 0);
    twins_end(&twins);
}

/* Much of one host holds up no other of its domain. */
static void hosts_of_a_domain(void **state)
{
    (void)state;
    for (int ranking = RANKING_BFS; ranking <= RANKING_PRIORITY; ranking++) {
        struct target *target;
        struct twins twins;
        size_t others = 0;

        twins_begin(&twins, &(struct frontier_options){
                                .ranking = (enum ranking_kind)ranking,
                                .delay_ms = 1000});
        for (unsigned i = 0; i < 5000; i++)
            twins_put(&twins, "http://much.dom.example", 1);
        for (unsigned i = 0; i < 50; i++) {
            twins_put_numbered(&twins, "http://h%u.dom.example", i, 1);
        }
        for (uint64_t end_ms = twins.now_ms + 5000; twins.now_ms < end_ms;
             twins.now_ms += 100)
            while ((target = twins_next(&twins))) {
                others += target->url[strlen("http://")] == 'h';
                twins_done(&twins, target);
            }
        assert_int_equal(others, 50);
        twins_end(&twins);
    }
}

/* Domains that never come to their end keep no new one from being crawled. */
static void newcomers_get_in(void **state)
{
    struct twins twins;
    size_t found[BOTH] = {0};

    (void)state;
    twins_begin(&twins,
                &(struct frontier_options){.ranking = RANKING_PRIORITY});
    for (unsigned i = 0; i < 4000; i++)
        twins_put_numbered(&twins, "http://d%u.example", i % 40, 1);
    twins_put(&twins, "http://good.example", 1);
    for (unsigned taken = 1; !found[DISK] && taken < 20000; taken++) {
        for (int i = 0; i < BOTH; i++) {
            struct target *target =
                frontier_take(twins.frontier[i], twins.now_ms);
            if (!strncmp(target->url, "http://good", 11))
                found[i] = taken;
            frontier_done(twins.frontier[i], target, twins.now_ms, 0);
        }
        for (unsigned n = 0; n < 4; n++)
            twins_put_numbered(&twins, "http://d%u.example", taken % 40, 2);
    }
    assert_true(found[ROOM] && found[DISK] && found[DISK] < found[ROOM] + 500);
    twins_end(&twins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_without_end),
        cmocka_unit_test(one_takes_nothing_from_others),
        cmocka_unit_test(domains_without_end),
        cmocka_unit_test(who_waits_holds_nobody_up),
        cmocka_unit_test(lists_stay_in_the_file),
        cmocka_unit_test(hosts_of_a_domain),
        cmocka_unit_test(newcomers_get_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
