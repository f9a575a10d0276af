/* What one machine concludes from a snapshot; that the conclusions of all fit
 * together is for test_fleet_model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fleet/member.h"

enum { PARTS = 10, ME = 1, LEASE = 30000, NONE = FLEET_LOWEST_NONE };

struct fixture {
    struct member member;
    struct arena arena;
    struct fleet_node node[5]; /* 0 is that of the seeds */
    struct fleet_part part[PARTS];
    size_t nodes;
    struct fleet_crawl crawl;
    struct fleet_commit commit;
    struct member_todo todo;
};

static void begin(struct fixture *fixture, size_t machines)
{
    const struct member_options options = {
        .partitions = PARTS,
        .by_level = true,
        .lease_ms = LEASE,
        .pages_max = UINT64_MAX,
    };

    *fixture = (struct fixture){
        .nodes = machines + 1,
        .crawl = {.partitions = PARTS, .pages_max = UINT64_MAX},
        .node[0] = {.state = FLEET_LEFT},
    };
    for (uint32_t i = 1; i <= machines; i++)
        fixture->node[i] = (struct fleet_node){
            .node = i,
            .incarnation = 100 + i,
            .batch = 7,
            .lowest = NONE,
        };
    arena_init(&fixture->arena);
    member_join(&fixture->member, &options, &(struct fleet_joined){.node = ME},
                101, 1000);
}

static void end(struct fixture *fixture)
{
    member_release(&fixture->member);
    arena_release(&fixture->arena);
}

/* A commit at this time, and its answer in the same moment. */
static bool commit_at(struct fixture *fixture, uint64_t now_ms)
{
    const struct member_state state = {.lowest = NONE};
    struct fleet_owned *claimed =
        arena_new(&fixture->arena, PARTS * sizeof(*claimed));
    struct fleet_answer answer = {.claimed = claimed};

    fixture->commit = (struct fleet_commit){0};
    member_compose(&fixture->member, &state, &fixture->commit, &fixture->arena);
    fixture->node[ME].batch = fixture->commit.batch;
    fixture->node[ME].lowest = fixture->commit.lowest;
    for (size_t i = 0; i < fixture->commit.claims; i++) {
        struct fleet_part *part = &fixture->part[fixture->commit.claim[i]];
        if (part->owner)
            continue;
        part->owner = ME;
        claimed[answer.claims++] =
            (struct fleet_owned){fixture->commit.claim[i], ++part->epoch};
    }
    answer.snapshot = (struct fleet_snapshot){
        .crawl = fixture->crawl,
        .node = fixture->node,
        .nodes = fixture->nodes,
        .part = fixture->part,
    };
    bool good = member_answer(&fixture->member, &fixture->commit, &answer,
                              &(struct member_times){now_ms, now_ms},
                              &fixture->todo, &fixture->arena);
    for (size_t i = 0; i < fixture->todo.loads; i++)
        member_loaded(&fixture->member, fixture->todo.load[i].part);
    return good;
}

static void alone_it_claims_all_in_the_end(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 1);
    for (unsigned i = 0; i < 6; i++)
        assert_true(commit_at(&fixture, 1000 + 100 * i));
    assert_int_equal(fixture.member.ours.count, PARTS);
    assert_int_equal(fixture.member.ready.count, PARTS);
    /* It is known what is open, now that all are loaded. */
    assert_int_equal(fixture.commit.lowest, NONE);
    end(&fixture);
}

static void a_claim_makes_the_lowest_depth_unknown(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 1);
    assert_true(commit_at(&fixture, 1000));
    assert_int_equal(fixture.commit.lowest, NONE);
    assert_true(commit_at(&fixture, 1100));
    assert_int_equal(fixture.commit.claims, PARTS / 2);
    assert_int_equal(fixture.commit.lowest, FLEET_LOWEST_UNKNOWN);
    end(&fixture);
}

static bool nothing_is_busy(void *user, uint32_t part)
{
    (void)user;
    (void)part;
    return false;
}

static bool all_is_busy(void *user, uint32_t part)
{
    (void)user;
    (void)part;
    return true;
}

static void it_gives_up_what_is_beyond_its_share(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 1);
    for (unsigned i = 0; i < 6; i++)
        assert_true(commit_at(&fixture, 1000 + 100 * i));
    fixture.nodes = 3;
    fixture.node[2] = (struct fleet_node){.node = 2, .incarnation = 5};
    assert_true(commit_at(&fixture, 2000));
    assert_int_equal(fixture.todo.drains, 3);
    member_settle(&fixture.member, all_is_busy, NULL);
    assert_true(member_owns(&fixture.member, fixture.todo.drain[0]));
    member_settle(&fixture.member, nothing_is_busy, NULL);
    assert_false(member_owns(&fixture.member, fixture.todo.drain[0]));
    assert_true(commit_at(&fixture, 3000));
    assert_int_equal(fixture.commit.give_ups, 3);
    assert_int_equal(fixture.todo.drops, 3);
    assert_int_equal(fixture.member.ours.count, PARTS - 3);
    end(&fixture);
}

static void it_stops_by_its_own_clock(void **state)
{
    /* When it joined, and the last commit that counted. */
    static const uint64_t since[][2] = {{5000, 0}, {100, 5000}, {5000, 5000}};

    const struct member member = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(since); i++) {
        struct lease lease = lease_since(since[i][0], since[i][1], LEASE);
        assert_true(member_may_fetch(&member, lease, 5000 + LEASE - 6001));
        assert_false(member_may_fetch(&member, lease, 5000 + LEASE - 6000));
        assert_true(lease_may_go_on(lease, 5000 + LEASE - 4001));
        assert_false(lease_may_go_on(lease, 5000 + LEASE - 4000));
    }
}

/* Each change is told once. A commit that counted long ago, but whose answer
 * came now, is none to go on with. */
static void a_lease_that_lapsed_comes_back(void **state)
{
    static const struct {
        uint64_t renewed_ms, now_ms;
        enum lease_news news;
        bool may_fetch;
    } steps[] = {
        {1000, 1000, LEASE_NO_NEWS, true},
        {1000, 1000 + LEASE - 6000, LEASE_NO_NEWS, false},
        {20000, 1000 + LEASE - 6000, LEASE_NO_NEWS, true},
        {20000, 20000 + LEASE - 4001, LEASE_NO_NEWS, false},
        {20000, 20000 + LEASE - 4000, LEASE_LAPSED, false},
        {20000, 500000, LEASE_NO_NEWS, false},
        {500000 - LEASE + 5000, 500000, LEASE_NO_NEWS, false},
        {500000 - LEASE + 6001, 500000, LEASE_BACK, true},
        {500000, 500000, LEASE_NO_NEWS, true},
        {500000, 500000 + LEASE, LEASE_LAPSED, false},
        {500000 + LEASE, 500000 + LEASE, LEASE_BACK, true},
    };
    struct member member = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct lease lease = lease_since(100, steps[i].renewed_ms, LEASE);
        uint64_t now_ms = steps[i].now_ms;
        assert_int_equal(member_look_at_lease(&member, lease, now_ms),
                         steps[i].news);
        assert_int_equal(member_may_fetch(&member, lease, now_ms),
                         steps[i].may_fetch);
    }
    /* The lease is good, but nobody has noticed yet that it had lapsed. */
    member.has_lapsed = true;
    assert_false(member_may_fetch(&member, lease_since(0, 5000, LEASE), 5000));
}

static void it_declares_dead_who_stands_still(void **state)
{
    struct fixture fixture;
    uint64_t now_ms = 5000;

    (void)state;
    begin(&fixture, 2);
    for (; now_ms <= 5000 + LEASE + 1001; now_ms += 1000) {
        assert_true(commit_at(&fixture, now_ms));
        assert_int_equal(fixture.todo.buries, 0);
    }
    assert_true(commit_at(&fixture, now_ms));
    assert_int_equal(fixture.todo.buries, 1);
    assert_int_equal(fixture.todo.bury[0].node, 2);
    assert_int_equal(fixture.todo.bury[0].batch, 7);
    end(&fixture);
}

/* It may have been the engine's fault. A while in which it saw nothing does not
 * count, however often that happens, and however long it is. */
static void a_while_in_which_it_saw_nothing_does_not_count(void **state)
{
    struct fixture fixture;
    uint64_t now_ms = 5000, seen_ms = 0;

    (void)state;
    begin(&fixture, 2);
    assert_true(commit_at(&fixture, now_ms));
    for (int i = 1; seen_ms <= LEASE + 1001; i++) {
        uint64_t step_ms = i % 4 ? 1000 : i % 8 ? LEASE / 5 + 1 : 2 * LEASE;
        now_ms += step_ms;
        seen_ms += step_ms == 1000 ? 1000 : 0;
        assert_true(commit_at(&fixture, now_ms));
        assert_int_equal(fixture.todo.buries, seen_ms > LEASE + 1001);
    }
    end(&fixture);
}

static void own(struct fixture *fixture)
{
    for (uint32_t i = 0; i < PARTS; i++)
        fixture->part[i].owner = 1 + i % 2;
    for (uint32_t i = 0; i < PARTS; i += 2) {
        part_set_add(&fixture->member.ours, i);
        member_loaded(&fixture->member, i);
    }
}

/* Each of these keeps the crawl from ending. */
static void the_end_is_one_test(void **state)
{
    enum { SOUND, FREE_PART, DEAD_OWNER, MAIL, UNKNOWN, OPEN, CASES };

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct fixture fixture;

        begin(&fixture, 2);
        own(&fixture);
        fixture.node[0].sent = 5;
        fixture.node[2].taken = i == MAIL ? 4 : 5;
        fixture.part[3].owner = i == FREE_PART ? FLEET_NO_OWNER : 2;
        fixture.node[2].state = i == DEAD_OWNER ? FLEET_DEAD : FLEET_ALIVE;
        if (i == UNKNOWN)
            fixture.node[2].lowest = FLEET_LOWEST_UNKNOWN;
        if (i == OPEN)
            fixture.node[2].lowest = 3;
        assert_true(commit_at(&fixture, 5000));
        bool finishes = fixture.todo.has_command &&
                        fixture.todo.command.verb == FLEET_DO_FINISH;
        assert_int_equal(finishes, i == SOUND);
        /* What is open is at a level of its own. */
        bool raises = fixture.todo.has_command &&
                      fixture.todo.command.verb == FLEET_DO_RAISE;
        assert_int_equal(raises, i == OPEN);
        assert_int_equal(fixture.member.level, i == OPEN ? 3 : 0);
        end(&fixture);
    }
}

static void a_large_fleet_commits_more_seldom(void **state)
{
    static const struct {
        uint32_t machines, partitions;
        uint64_t lease_ms, every_ms, expected_ms;
    } cases[] = {
        {1, 256, 30000, 1000, 1000},     {3, 256, 30000, 50, 50},
        {20, 256, 30000, 1000, 1000},    {100, 512, 30000, 1000, 2560},
        {300, 1024, 90000, 1000, 15000}, {300, 1024, 30000, 1000, 5000},
        {100, 512, 30000, 4000, 4000},   {1, 16, 3000, 1000, 500},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct member member = {
            .alive = cases[i].machines,
            .options = {.partitions = cases[i].partitions,
                        .lease_ms = cases[i].lease_ms},
        };
        assert_int_equal(member_interval_ms(&member, cases[i].every_ms),
                         cases[i].expected_ms);
    }
}

static void whoever_is_not_alive_any_more_has_no_say(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 2);
    fixture.node[ME].state = FLEET_DEAD;
    assert_false(commit_at(&fixture, 5000));
    end(&fixture);
}

/* Pages of --max-pages that a machine cannot use while the others are at a
 * smaller depth are not kept from them: they would wait for each other. */
static void pages_are_given_back_until_their_level_comes(void **state)
{
    const struct {
        bool by_level;
        uint32_t level;
        uint64_t granted;
        int64_t wanted;
    } cases[] = {
        {true, 2, 7, -1}, /* it has one that it may not use */
        {true, 2, 6, 0},  /* and asks for none */
        {true, 3, 6, 1},  /* now it may */
        {true, 3, 7, 0},
        {false, 0, 6, 1}, /* in order of priority there are no levels */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct member_state now = {
            .lowest = 3, .pages = 6, .wants_pages = true};
        struct fixture fixture;
        begin(&fixture, 2);
        fixture.member.options.by_level = cases[i].by_level;
        fixture.member.options.pages_max = 30;
        fixture.member.pages_left = 1;
        fixture.member.pages_granted = cases[i].granted;
        fixture.member.level = cases[i].level;
        member_compose(&fixture.member, &now, &fixture.commit, &fixture.arena);
        assert_int_equal(fixture.commit.pages_wanted, cases[i].wanted);
        end(&fixture);
    }
}

static void addresses_are_sorted_and_not_wanted_by_who_leaves(void **state)
{
    struct str want[] = {STR_INIT("b"), STR_INIT("a"), STR_INIT("ab")};
    struct str release[] = {STR_INIT("d"), STR_INIT("c")};
    const struct member_state addresses = {
        .lowest = NONE,
        .want = want,
        .wants = ARRAY_LEN(want),
        .release = release,
        .releases = ARRAY_LEN(release),
    };
    struct fixture fixture;

    (void)state;
    begin(&fixture, 1);
    member_compose(&fixture.member, &addresses, &fixture.commit,
                   &fixture.arena);
    assert_int_equal(fixture.commit.wants, 3);
    assert_true(str_eq(fixture.commit.want[0], STR("a")));
    assert_true(str_eq(fixture.commit.want[1], STR("ab")));
    assert_true(str_eq(fixture.commit.want[2], STR("b")));
    assert_int_equal(fixture.commit.releases, 2);
    assert_true(str_eq(fixture.commit.release[0], STR("c")));
    member_leave(&fixture.member);
    member_compose(&fixture.member, &addresses, &fixture.commit,
                   &fixture.arena);
    assert_int_equal(fixture.commit.wants, 0);
    assert_int_equal(fixture.commit.releases, 2);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_claims_all_in_the_end),
        cmocka_unit_test(a_claim_makes_the_lowest_depth_unknown),
        cmocka_unit_test(it_gives_up_what_is_beyond_its_share),
        cmocka_unit_test(it_stops_by_its_own_clock),
        cmocka_unit_test(a_lease_that_lapsed_comes_back),
        cmocka_unit_test(it_declares_dead_who_stands_still),
        cmocka_unit_test(a_while_in_which_it_saw_nothing_does_not_count),
        cmocka_unit_test(the_end_is_one_test),
        cmocka_unit_test(a_large_fleet_commits_more_seldom),
        cmocka_unit_test(whoever_is_not_alive_any_more_has_no_say),
        cmocka_unit_test(pages_are_given_back_until_their_level_comes),
        cmocka_unit_test(addresses_are_sorted_and_not_wanted_by_who_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
