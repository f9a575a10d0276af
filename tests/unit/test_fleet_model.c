/* The protocol of a fleet under attack: machines are killed, stand still for
 * longer than their lease, lose the engine or its answers, leave and come back;
 * the engine is set back. Every crawl must end once, with every page fetched
 * once, at its depth, and no pause cut short over all machines.
 *
 * FLEET_RUNS=5000 makes more runs of each kind, FLEET_SEED=7 only that one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/fleet_sim.h"

enum { RUNS = 60, MUTANT_RUNS = 600 };

static uint64_t number_in(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void run_all(struct sim_options options)
{
    uint64_t only = number_in("FLEET_SEED", 0);
    uint64_t runs = number_in("FLEET_RUNS", RUNS);
    unsigned faults = 0, lost = 0, buried = 0, fenced = 0, again = 0;
    unsigned handed_over = 0, taken_over = 0, outages = 0;

    for (uint64_t seed = only ? only : 1; seed <= (only ? only : runs);
         seed++) {
        struct sim *sim = malloc(sizeof(*sim));

        assert_non_null(sim);
        options.seed = seed;
        sim_run(sim, &options);
        if (sim->wrong[0])
            fail_msg("seed %llu at %llu ms: %s", (unsigned long long)seed,
                     (unsigned long long)sim->now_ms, sim->wrong);
        faults += sim->faults;
        outages += sim->outages;
        lost += sim->lost_answers;
        buried += sim->fake.buried;
        fenced += sim->fake.fenced;
        again += sim->fake.counted_before;
        handed_over += sim->fake.handed_over;
        taken_over += sim->fake.taken_over;
        sim_release(sim);
        free(sim);
    }
    print_message("%u faults, %u outages, %u answers lost, %u commits had "
                  "counted, %u declared dead, %u fenced\n",
                  faults, outages, lost, again, buried, fenced);
    if (options.addresses)
        print_message("%u addresses handed over, %u of those that were gone\n",
                      handed_over, taken_over);
    if (options.faults && !only)
        assert_true(faults && lost && buried && fenced && again);
    if (options.outages && !only)
        assert_true(outages);
    if (options.addresses && !only)
        assert_true(handed_over && (taken_over || !options.faults));
}

static void breadth_first_without_faults(void **state)
{
    (void)state;
    run_all((struct sim_options){.ranking = RANKING_BFS});
}

static void breadth_first_with_faults(void **state)
{
    (void)state;
    run_all((struct sim_options){.ranking = RANKING_BFS, .faults = true});
}

static void by_priority_with_faults(void **state)
{
    (void)state;
    run_all((struct sim_options){.ranking = RANKING_PRIORITY, .faults = true});
}

static void an_engine_that_is_set_back(void **state)
{
    (void)state;
    run_all((struct sim_options){
        .ranking = RANKING_BFS, .faults = true, .set_back = true});
}

static void an_engine_that_is_away(void **state)
{
    (void)state;
    run_all((struct sim_options){.ranking = RANKING_BFS, .outages = true});
    run_all((struct sim_options){
        .ranking = RANKING_PRIORITY, .outages = true, .addresses = true});
}

static void an_engine_that_is_away_among_faults(void **state)
{
    (void)state;
    run_all((struct sim_options){.ranking = RANKING_BFS,
                                 .outages = true,
                                 .faults = true,
                                 .addresses = true});
    run_all((struct sim_options){.ranking = RANKING_PRIORITY,
                                 .outages = true,
                                 .faults = true,
                                 .set_back = true});
}

static void hosts_that_share_addresses(void **state)
{
    (void)state;
    run_all((struct sim_options){.ranking = RANKING_BFS, .addresses = true});
}

static void hosts_that_share_addresses_with_faults(void **state)
{
    (void)state;
    run_all((struct sim_options){
        .ranking = RANKING_BFS, .faults = true, .addresses = true});
    run_all((struct sim_options){
        .ranking = RANKING_PRIORITY, .faults = true, .addresses = true});
}

static void expect_caught(enum sim_mutant mutant)
{
    for (uint64_t seed = 1; seed <= MUTANT_RUNS; seed++) {
        const struct sim_options options = {
            .seed = seed,
            .ranking = seed % 2 ? RANKING_PRIORITY : RANKING_BFS,
            .faults = mutant < SIM_NO_REST_AFTER,
            .outages = mutant >= SIM_NO_REST_AFTER,
            .mutant = mutant,
            .addresses = mutant >= SIM_NO_HOLDER,
        };
        struct sim *sim = malloc(sizeof(*sim));

        assert_non_null(sim);
        sim_run(sim, &options);
        bool caught = sim->wrong[0];
        if (caught)
            print_message("seed %llu: %s\n", (unsigned long long)seed,
                          sim->wrong);
        sim_release(sim);
        free(sim);
        if (caught)
            return;
    }
    fail_msg("the mutant was not caught");
}

static void caught_no_fence(void **state)
{
    (void)state;
    expect_caught(SIM_NO_FENCE);
}

static void caught_no_mail_counters(void **state)
{
    (void)state;
    expect_caught(SIM_NO_MAIL_COUNTERS);
}

static void caught_no_own_deadline(void **state)
{
    (void)state;
    expect_caught(SIM_NO_DEADLINE);
}

static void caught_no_look_at_the_batch(void **state)
{
    (void)state;
    expect_caught(SIM_NO_LOOK);
}

static void caught_no_holder_of_an_address(void **state)
{
    (void)state;
    expect_caught(SIM_NO_HOLDER);
}

static void caught_no_rest_of_an_address(void **state)
{
    (void)state;
    expect_caught(SIM_NO_REST);
}

static void caught_no_rest_after_an_outage(void **state)
{
    (void)state;
    expect_caught(SIM_NO_REST_AFTER);
}

static void caught_a_hasty_machine(void **state)
{
    (void)state;
    expect_caught(SIM_HASTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breadth_first_without_faults),
        cmocka_unit_test(breadth_first_with_faults),
        cmocka_unit_test(by_priority_with_faults),
        cmocka_unit_test(an_engine_that_is_set_back),
        cmocka_unit_test(an_engine_that_is_away),
        cmocka_unit_test(an_engine_that_is_away_among_faults),
        cmocka_unit_test(hosts_that_share_addresses),
        cmocka_unit_test(hosts_that_share_addresses_with_faults),
        cmocka_unit_test(caught_no_fence),
        cmocka_unit_test(caught_no_mail_counters),
        cmocka_unit_test(caught_no_own_deadline),
        cmocka_unit_test(caught_no_look_at_the_batch),
        cmocka_unit_test(caught_no_holder_of_an_address),
        cmocka_unit_test(caught_no_rest_of_an_address),
        cmocka_unit_test(caught_no_rest_after_an_outage),
        cmocka_unit_test(caught_a_hasty_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
