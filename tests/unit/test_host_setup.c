/* Host setup: the steps before a host's first page, and a
 * robots.txt that is somewhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/frontier_fixture.h"

static struct robots *rules(const char *text)
{
    return robots_new(str_of(text), STR("crawler"));
}

static void a_move_waits_for_the_pause(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    for (int ranking = RANKING_BFS; ranking <= RANKING_PRIORITY; ranking++) {
        set_up_hosts(&fixture,
                     &(struct frontier_options){
                         .ranking = (enum ranking_kind)ranking, .per_host = 4});
        put(&fixture, "http://a.example/x");
        put(&fixture, "http://a.example/no");
        target = take(&fixture, 0, "http://a.example/robots.txt");
        take(&fixture, 0, "");
        move(&fixture, target, "http://a.example/there", 10);
        take(&fixture, 10 + DELAY_MS - 1, "");
        target = take(&fixture, 10 + DELAY_MS, "http://a.example/there");
        take(&fixture, 1000, "");
        frontier_robots(fixture.frontier, target,
                        rules("User-agent: *\nDisallow: /no\n"), 1000);
        take(&fixture, 1000 + DELAY_MS - 1, "");
        frontier_done(fixture.frontier,
                      take(&fixture, 1000 + DELAY_MS, "http://a.example/x"),
                      2000, 0);
        drop(&fixture, take(&fixture, 2000 + DELAY_MS, "http://a.example/no"),
             ROBOTS_REFUSED, 3000);
        tear_down(&fixture);
    }
}

/* The rules of http, although they came by https. */
static void a_move_to_another_scheme(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/no");
    put(&fixture, "https://a.example/no");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    move(&fixture, target, "https://a.example/robots.txt", 0);
    target = take(&fixture, 1000, "https://a.example/robots.txt");
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nDisallow: /no\n"), 1000);
    drop(&fixture, take(&fixture, 2000, "http://a.example/no"), ROBOTS_REFUSED,
         2000);
    /* Those of https are not known yet. */
    target = take(&fixture, 2000, "https://a.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 2000);
    target = take(&fixture, 3000, "https://a.example/no");
    frontier_done(fixture.frontier, target, 3000, 0);
    tear_down(&fixture);
}

static void a_move_waits_for_the_other_host(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://b.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 50);

    put(&fixture, "http://a.example/x");
    target = take(&fixture, 60, "http://a.example/robots.txt");
    move(&fixture, target, "http://b.example/robots.txt", 70);
    take(&fixture, 50 + DELAY_MS - 1, "");
    /* Before the page that has waited longer. */
    target = take(&fixture, 50 + DELAY_MS, "http://b.example/robots.txt");
    take(&fixture, 300, "");
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nCrawl-delay: 2\n"), 300);
    target = take(&fixture, 300 + DELAY_MS, "http://b.example/x");
    frontier_done(fixture.frontier, target, 500, 0);
    /* The delay is that of the host whose rules these are. */
    take(&fixture, 2299, "");
    target = take(&fixture, 2300, "http://a.example/x");
    frontier_done(fixture.frontier, target, 2300, 0);
    tear_down(&fixture);
}

static void two_that_moved_to_each_other(void **state)
{
    struct fixture fixture;
    struct target *target;
    uint64_t now_ms = 0;
    int fetches = 0;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    put(&fixture, "http://b.example/x");
    const struct url *a = parse(&fixture, "http://a.example/robots.txt");
    const struct url *b = parse(&fixture, "http://b.example/robots.txt");
    while (frontier_counts(fixture.frontier).queued) {
        struct target *both[2] = {frontier_take(fixture.frontier, now_ms),
                                  frontier_take(fixture.frontier, now_ms)};
        for (int i = 0; i < 2; i++) {
            target = both[i];
            fetches += target != NULL;
            if (!target)
                continue;
            if (target->kind == TARGET_PAGE)
                frontier_done(fixture.frontier, target, now_ms, 0);
            else if (!frontier_robots_moved(
                         fixture.frontier, target,
                         str_starts(target_url(target), STR("http://a")) ? b
                                                                         : a,
                         now_ms))
                frontier_robots(fixture.frontier, target, NULL, now_ms);
        }
        now_ms += DELAY_MS;
        assert_true(now_ms < 100 * DELAY_MS);
    }
    assert_int_equal(fetches,
                     2 * (1 + ROBOTS_REDIRECTS_MAX + 1)); /* and a page */
    tear_down(&fixture);
}

static void a_move_to_a_dead_host(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://a.example/x");
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    struct target *other = take(&fixture, 0, "http://b.example/robots.txt");
    move(&fixture, target, "http://b.example/robots.txt", 0);
    frontier_setup_failed(fixture.frontier, other, 0, 1000, CAUSE, false);
    struct target *refused[2] = {frontier_take(fixture.frontier, 0),
                                 frontier_take(fixture.frontier, 0)};
    for (int i = 0; i < 2; i++) {
        assert_non_null(refused[i]);
        assert_int_equal(refused[i]->last_outcome, CAUSE);
        drop(&fixture, refused[i], ROBOTS_UNKNOWN, 0);
    }
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 2);
    tear_down(&fixture);
}

/* The cap is for pages; the lock is for all. */
static void a_move_to_a_capped_domain(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.max_per_domain = 1});
    put(&fixture, "http://w.b.example/x");
    target = take(&fixture, 0, "http://w.b.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 0);
    struct target *page = take(&fixture, 1000, "http://w.b.example/x");

    put(&fixture, "http://a.com/x");
    target = take(&fixture, 1000, "http://a.com/robots.txt");
    move(&fixture, target, "http://v.b.example/robots.txt", 1000);
    take(&fixture, 9000, "");
    frontier_done(fixture.frontier, page, 9000, 0);
    target = take(&fixture, 9000, "http://v.b.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 9000);
    target = take(&fixture, 9000, "http://a.com/x");
    frontier_done(fixture.frontier, target, 9000, 0);
    tear_down(&fixture);
}

/* What else waits there is refused at once, but a robots.txt is still asked
 * for, and in its time. */
static void a_move_to_a_domain_that_gets_capped(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.max_per_domain = 1});
    put(&fixture, "http://slow.a.example/x");
    target = take(&fixture, 0, "http://slow.a.example/robots.txt");
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nCrawl-delay: 5\n"), 0);
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://b.example/robots.txt");
    move(&fixture, target, "http://slow.a.example/there", 0);
    put(&fixture, "http://www.a.example/x");
    target = take(&fixture, 0, "http://www.a.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 0);

    target = take(&fixture, DELAY_MS, "http://www.a.example/x");
    take(&fixture, DELAY_MS, "");
    frontier_done(fixture.frontier, target, DELAY_MS, 0);
    take(&fixture, 4999, "");
    target = take(&fixture, 5000, "http://slow.a.example/there");
    frontier_robots(fixture.frontier, target, NULL, 5000);
    drop(&fixture, take(&fixture, 5000, "http://slow.a.example/x"), DOMAIN_CAP,
         5000);
    target = take(&fixture, 5000, "http://b.example/x");
    frontier_done(fixture.frontier, target, 5000, 0);
    tear_down(&fixture);
}

static void silence_is_counted(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.host_tries = 3});
    put(&fixture, "http://a.example/x");
    for (unsigned i = 0; i < 3; i++) {
        target = take(&fixture, 1000 * i, "http://a.example/robots.txt");
        assert_int_equal(frontier_failures(target), i);
        frontier_setup_failed(fixture.frontier, target, 1000 * i, 1000, CAUSE,
                              false);
        if (i < 2)
            take(&fixture, 1000 * i + 999, "");
    }
    drop(&fixture, take(&fixture, 2000, "http://a.example/x"), ROBOTS_UNKNOWN,
         2000);
    tear_down(&fixture);
}

/* Who refuses everything for a day would never be asked again. */
static void rules_count_for_a_day(void **state)
{
    const uint64_t day_ms = FRONTIER_ROBOTS_KEPT_MS;
    struct fixture fixture;
    unsigned line;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    const struct url *url = parse(&fixture, "http://a.example/y");
    frontier_robots(fixture.frontier,
                    take(&fixture, 0, "http://a.example/robots.txt"),
                    rules("User-agent: *\nDisallow: /\n"), 0);
    drop(&fixture, take(&fixture, 1000, "http://a.example/x"), ROBOTS_REFUSED,
         1000);
    take(&fixture, day_ms - 1, "");
    assert_int_equal(
        frontier_precheck(fixture.frontier, TARGET_PAGE, url, &line),
        ROBOTS_REFUSED);
    take(&fixture, day_ms, "");
    assert_int_equal(
        frontier_precheck(fixture.frontier, TARGET_PAGE, url, &line), ACCEPT);
    tear_down(&fixture);
}

static void an_end_of_the_crawl_is_no_silence(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://a.example/x");
    for (int i = 0; i < 3; i++) {
        target =
            take(&fixture, 1000 * (uint64_t)i, "http://a.example/robots.txt");
        assert_int_equal(frontier_failures(target), 0);
        frontier_setup_stopped(fixture.frontier, target, 1000 * (uint64_t)i);
    }
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 0);
    assert_int_equal(frontier_counts(fixture.frontier).in_flight, 0);
    tear_down(&fixture);
}

/* https pages of a host, with a page of http between them, whose https server
 * is not there; by its robots.txt, and by a page. */
static void https_that_is_not_there(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://a.example/1");
    put(&fixture, "https://a.example/2");
    put(&fixture, "http://a.example/3");
    put(&fixture, "https://a.example/4");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 0);
    target = take(&fixture, 1000, "http://a.example/1");
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 1000, 0);

    target = take(&fixture, 2000, "https://a.example/robots.txt");
    frontier_setup_failed(fixture.frontier, target, 2000, 0, CAUSE, true);
    target = take(&fixture, 3000, "https://a.example/2");
    assert_int_equal(target->last_outcome, CAUSE);
    drop(&fixture, target, ROBOTS_UNKNOWN, 3000);
    target = take(&fixture, 3000, "http://a.example/3");
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 3000, 0);
    drop(&fixture, take(&fixture, 3000, "https://a.example/4"), ROBOTS_UNKNOWN,
         3000);
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 0);

    /* The other way round as well; then nothing is left. */
    put(&fixture, "http://a.example/5");
    put(&fixture, "http://a.example/6");
    target = take(&fixture, 9000, "http://a.example/5");
    frontier_note(fixture.frontier, target, HOST_SILENT, CAUSE + 1);
    frontier_done(fixture.frontier, target, 9000, 0);
    target = take(&fixture, 9000, "http://a.example/6");
    assert_int_equal(target->last_outcome, CAUSE + 1);
    drop(&fixture, target, HOST_DEAD, 9000);
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 1);
    tear_down(&fixture);
}

/* What is told to the record is the pause that is kept, also where rules that
 * were kept for a day are replaced by others. */
static void the_pause_of_new_rules(void **state)
{
    static const struct {
        const char *old, *new;
        uint64_t pause_ms;
    } rows[] = {
        {"User-agent: *\nCrawl-delay: 5\n", "User-agent: *\nCrawl-delay: 2\n",
         2000},
        {"User-agent: *\nCrawl-delay: 2\n", "User-agent: *\nCrawl-delay: 5\n",
         5000},
        {"User-agent: *\nCrawl-delay: 5\n", NULL, DELAY_MS},
        {NULL, "User-agent: *\nCrawl-delay: 5\n", 5000},
    };
    const uint64_t later_ms = 2 * (uint64_t)FRONTIER_ROBOTS_KEPT_MS;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fixture fixture;
        struct target *target;
        struct robots *new = rows[i].new ? rules(rows[i].new) : NULL;

        set_up_hosts(&fixture, &(struct frontier_options){0});
        put(&fixture, "http://a.example/1");
        put(&fixture, "http://a.example/2");
        frontier_robots(fixture.frontier,
                        take(&fixture, 0, "http://a.example/robots.txt"),
                        rows[i].old ? rules(rows[i].old) : NULL, 0);
        frontier_done(fixture.frontier,
                      take(&fixture, 6000, "http://a.example/1"), 6000, 0);
        target = take(&fixture, later_ms, "http://a.example/robots.txt");
        assert_int_equal(
            frontier_robots_delay_ms(fixture.frontier, target, new),
            rows[i].pause_ms);
        frontier_robots(fixture.frontier, target, new, later_ms);
        take(&fixture, later_ms + rows[i].pause_ms - 1, "");
        frontier_done(
            fixture.frontier,
            take(&fixture, later_ms + rows[i].pause_ms, "http://a.example/2"),
            later_ms, 0);
        tear_down(&fixture);
    }
}

/* The errand under way is told with its host; nothing of it is left in the
 * counts, which are looked at when the frontier is gone. */
static void the_errand_under_way_is_told(void **state)
{
    const struct ip ip = {.byte = {1}};
    struct fixture fixture;

    (void)state;
    for (int resolve = 0; resolve < 2; resolve++) {
        set_up_hosts(&fixture, &(struct frontier_options){.resolve = resolve});
        assert_int_equal(frontier_host_in_setup(fixture.frontier).host.len, 0);
        put(&fixture, "http://a.example/x");
        struct target *target = take(&fixture, 0,
                                     resolve ? "http://a.example/x"
                                             : "http://a.example/robots.txt");
        struct host_in_setup in_setup =
            frontier_host_in_setup(fixture.frontier);
        assert_true(str_eq(in_setup.host, STR("a.example")));
        assert_int_equal(in_setup.is_robots, !resolve);
        if (resolve)
            frontier_resolved(fixture.frontier, target, &ip, 0);
        else
            frontier_robots(fixture.frontier, target, NULL, 0);
        assert_int_equal(frontier_host_in_setup(fixture.frontier).host.len, 0);
        struct frontier_counts counts = frontier_counts(fixture.frontier);
        tear_down(&fixture);
        assert_int_equal(counts.setups, 0);
        assert_int_equal(counts.hosts, 1);
    }
}

/* What a crawl leaves behind when it is told to stop. */
static void a_move_that_is_never_made(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    move(&fixture, take(&fixture, 0, "http://a.example/robots.txt"),
         "http://b.example/robots.txt", 0);
    assert_int_equal(frontier_counts(fixture.frontier).queued, 2);
    tear_down(&fixture);
}

/* --- other machines of a fleet -------------------------------------------- */

static struct target *told(struct fixture *fixture, const char *asker)
{
    return frontier_robots_told(fixture->frontier, parse(fixture, asker),
                                parse(fixture, "http://b.example/robots.txt"),
                                1);
}

/* The host waits until the other machine has told, however long that takes. */
static void a_move_to_another_machine(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    put(&fixture, "http://a.example/no");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    assert_null(told(&fixture, "http://a.example/robots.txt"));
    frontier_robots_elsewhere(fixture.frontier, target, 10);
    assert_int_equal(frontier_counts(fixture.frontier).in_flight, 0);
    take(&fixture, 100 * DELAY_MS, "");
    /* Nobody waits for these. */
    assert_null(told(&fixture, "http://c.example/robots.txt"));
    assert_null(told(&fixture, "https://a.example/robots.txt"));
    target = told(&fixture, "http://a.example/robots.txt");
    assert_non_null(target);
    assert_string_equal(target->url, "http://b.example/robots.txt");
    assert_null(told(&fixture, "http://a.example/robots.txt"));
    uint64_t now_ms = 200 * DELAY_MS;
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nDisallow: /no\nCrawl-delay: 2\n"),
                    now_ms);
    take(&fixture, now_ms + 1999, "");
    now_ms += 2000;
    frontier_done(fixture.frontier,
                  take(&fixture, now_ms, "http://a.example/x"), now_ms, 0);
    drop(&fixture, take(&fixture, now_ms + 2000, "http://a.example/no"),
         ROBOTS_REFUSED, now_ms + 2000);
    tear_down(&fixture);
}

/* From there it moves on, to a host of ours; or it cannot be had. */
static void what_another_machine_tells(void **state)
{
    struct fixture fixture;

    (void)state;
    for (int round = 0; round < 2; round++) {
        set_up_hosts(&fixture, &(struct frontier_options){0});
        put(&fixture, "http://a.example/x");
        frontier_robots_elsewhere(
            fixture.frontier, take(&fixture, 0, "http://a.example/robots.txt"),
            0);
        struct target *target = told(&fixture, "http://a.example/robots.txt");
        if (round) {
            frontier_setup_failed(fixture.frontier, target, 100, 5000, 1,
                                  false);
            take(&fixture, 5099, "");
            target = take(&fixture, 5100, "http://a.example/robots.txt");
        } else {
            move(&fixture, target, "http://d.example/r", 100);
            target = take(&fixture, 100, "http://d.example/r");
            assert_int_equal(target->redirects, 2);
        }
        frontier_robots(fixture.frontier, target, NULL, 6000);
        frontier_done(fixture.frontier,
                      take(&fixture, 6000 + DELAY_MS, "http://a.example/x"),
                      7000, 0);
        tear_down(&fixture);
    }
}

/* The partition goes: nothing is in flight for that. */
static void a_partition_that_waits_for_another_machine(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    frontier_robots_elsewhere(
        fixture.frontier, take(&fixture, 0, "http://a.example/robots.txt"), 0);
    assert_false(frontier_part_is_busy(fixture.frontier, 0));
    frontier_drop_part(fixture.frontier, 0, 10);
    assert_int_equal(frontier_counts(fixture.frontier).queued, 0);
    assert_int_equal(frontier_counts(fixture.frontier).setups, 0);
    assert_null(told(&fixture, "http://a.example/robots.txt"));
    tear_down(&fixture);
}

static enum robots_asked ask(struct fixture *fixture, uint8_t *outcome)
{
    return frontier_robots_asked(
        fixture->frontier, parse(fixture, "http://a.example/robots.txt"),
        parse(fixture, "http://b.example/robots.txt"), outcome);
}

/* It is fetched in the pauses of its host, and tells nothing of the guest. */
static void a_question_of_another_machine(void **state)
{
    struct fixture fixture;
    struct target *target;
    uint8_t outcome = 0;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://b.example/robots.txt");
    assert_false(frontier_robots_is_guest(target));
    frontier_robots(fixture.frontier, target, NULL, 50);
    assert_int_equal(ask(&fixture, &outcome), ROBOTS_ASKED_NOW);
    assert_int_equal(ask(&fixture, &outcome), ROBOTS_ASKED_LATER);
    take(&fixture, 50 + DELAY_MS - 1, "");
    target = take(&fixture, 50 + DELAY_MS, "http://b.example/robots.txt");
    assert_true(frontier_robots_is_guest(target));
    assert_true(str_eq(frontier_robots_host(target), STR("a.example")));
    assert_true(str_eq(frontier_robots_asks(target), STR("b.example")));
    assert_true(frontier_part_is_busy(fixture.frontier, 0));
    frontier_robots_answered(fixture.frontier, target, 2000, 5000);
    take(&fixture, 6999, "");
    target = take(&fixture, 7000, "http://b.example/x");
    frontier_done(fixture.frontier, target, 7000, 0);
    /* The guest's own pages, once we own them, ask for themselves. */
    put(&fixture, "http://a.example/x");
    target = take(&fixture, 7000, "http://a.example/robots.txt");
    assert_false(frontier_robots_is_guest(target));
    frontier_robots(fixture.frontier, target, NULL, 7000);
    tear_down(&fixture);
}

static void a_question_for_a_host_that_is_given_up(void **state)
{
    struct fixture fixture;
    struct target *target;
    struct host_state host;
    uint8_t outcome = 0;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://b.example/robots.txt");
    assert_int_equal(ask(&fixture, &outcome), ROBOTS_ASKED_NOW);
    frontier_setup_failed(fixture.frontier, target, 0, 0, 7, false);
    drop(&fixture, take(&fixture, DELAY_MS, "http://b.example/x"),
         ROBOTS_UNKNOWN, DELAY_MS);
    take(&fixture, 2 * DELAY_MS, "");
    assert_int_equal(ask(&fixture, &outcome), ROBOTS_ASKED_IN_VAIN);
    assert_int_equal(outcome, 7);
    /* The guest is not in trouble for that. */
    while (frontier_next_troubled(fixture.frontier, &host))
        assert_true(str_eq(host.name, STR("b.example")));
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_waits_for_the_pause),
        cmocka_unit_test(a_move_to_another_scheme),
        cmocka_unit_test(a_move_waits_for_the_other_host),
        cmocka_unit_test(two_that_moved_to_each_other),
        cmocka_unit_test(a_move_to_a_dead_host),
        cmocka_unit_test(https_that_is_not_there),
        cmocka_unit_test(a_move_to_a_capped_domain),
        cmocka_unit_test(a_move_to_a_domain_that_gets_capped),
        cmocka_unit_test(silence_is_counted),
        cmocka_unit_test(an_end_of_the_crawl_is_no_silence),
        cmocka_unit_test(rules_count_for_a_day),
        cmocka_unit_test(the_pause_of_new_rules),
        cmocka_unit_test(the_errand_under_way_is_told),
        cmocka_unit_test(a_move_that_is_never_made),
        cmocka_unit_test(a_move_to_another_machine),
        cmocka_unit_test(what_another_machine_tells),
        cmocka_unit_test(a_partition_that_waits_for_another_machine),
        cmocka_unit_test(a_question_of_another_machine),
        cmocka_unit_test(a_question_for_a_host_that_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
