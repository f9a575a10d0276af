/* Which of two targets goes first, and the score of a domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frontier/host.h"

static void score_of_a_domain(void **state)
{
    static const struct {
        struct domain_score counts;
        uint64_t score;
    } cases[] = {
        {{0, 0}, 1000},  {{1, 0}, 990},
        {{99, 0}, 10},   {{100, 0}, 0},
        {{101, 0}, 0},   {{UINT32_MAX, 7}, 7},
        {{50, 25}, 525}, {{0, UINT32_MAX}, UINT64_C(1000) + UINT32_MAX},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(ranking_score_domain(&cases[i].counts),
                         cases[i].score);
}

struct side {
    struct domain_score counts; /* of its domain */
    uint32_t depth, found;
    uint64_t number;
};

static struct target *make(struct target *target, struct host *host,
                           struct domain *domain, const struct side *side)
{
    *domain = (struct domain){.score = side->counts};
    *host = (struct host){.domain = domain};
    *target = (struct target){
        .host = host,
        .depth = side->depth,
        .found = side->found,
        .number = side->number,
    };
    return target;
}

/* `a` goes before `b` in the order, and never the other way round. */
static void which_goes_first(void **state)
{
    static const struct {
        enum ranking_kind ranking;
        struct side a, b;
    } cases[] = {
        {RANKING_BFS, {.depth = 1, .number = 9}, {.depth = 2, .number = 1}},
        {RANKING_BFS,
         {.depth = 1, .number = 1},
         {.depth = 1, .number = 2, .found = 9}},
        {RANKING_BFS, {{100, 0}, .number = 1}, {{0, 50}, .number = 2}},
        {RANKING_PRIORITY,
         {.depth = 9, .found = 1, .number = 2},
         {.number = 1}},
        {RANKING_PRIORITY, {.number = 1}, {.number = 2}},
        {RANKING_PRIORITY, {{0, 0}, .number = 2}, {{1, 9}, .number = 1}},
        {RANKING_PRIORITY, {{1, 11}, .number = 2}, {{0, 0}, .number = 1}},
        {RANKING_PRIORITY,
         {{0, 100}, .number = 1},
         {{0, 0}, .found = 1, .number = 2}},
        {RANKING_PRIORITY,
         {{0, 0}, .found = 1, .number = 2},
         {{0, 99}, .number = 1}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ranking ranking;
        struct target a, b;
        struct host host_a, host_b;
        struct domain domain_a, domain_b;

        ranking_init(&ranking, cases[i].ranking);
        make(&a, &host_a, &domain_a, &cases[i].a);
        make(&b, &host_b, &domain_b, &cases[i].b);
        if (!ranking.before(&a, &b) || ranking.before(&b, &a))
            fail_msg("case %zu", i);
        /* Inside a domain the same, as far as its own counts are equal. */
        if (cases[i].a.counts.crawled == cases[i].b.counts.crawled &&
            cases[i].a.counts.found == cases[i].b.counts.found)
            assert_true(ranking.target(&a.node, &b.node));
    }
}

/* In the queue of an address the score does not count, but the depth does. */
static void turns_at_an_address(void **state)
{
    static const struct {
        enum ranking_kind ranking;
        uint64_t turn_a, turn_b;
        struct side a, b;
    } cases[] = {
        {RANKING_PRIORITY, 1, 2, {.number = 2}, {.number = 1, .found = 9}},
        {RANKING_BFS,
         1,
         2,
         {.depth = 3, .number = 2},
         {.depth = 3, .number = 1}},
        {RANKING_BFS,
         2,
         1,
         {.depth = 2, .number = 2},
         {.depth = 3, .number = 1}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ranking ranking;
        struct target a, b;
        struct host host_a, host_b;
        struct domain domain_a, domain_b;

        ranking_init(&ranking, cases[i].ranking);
        make(&a, &host_a, &domain_a, &cases[i].a);
        make(&b, &host_b, &domain_b, &cases[i].b);
        host_a.turn = cases[i].turn_a;
        host_b.turn = cases[i].turn_b;
        heap_init(&host_a.queue.targets, ranking.target);
        heap_init(&host_b.queue.targets, ranking.target);
        heap_put(&host_a.queue.targets, &a.node);
        heap_put(&host_b.queue.targets, &b.node);
        assert_true(ranking.turn(&host_a.node, &host_b.node));
        assert_false(ranking.turn(&host_b.node, &host_a.node));
        heap_release(&host_a.queue.targets);
        heap_release(&host_b.queue.targets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(score_of_a_domain),
        cmocka_unit_test(which_goes_first),
        cmocka_unit_test(turns_at_an_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
