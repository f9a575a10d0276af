/* A host in trouble: given up for one of http and https, or backing off because
 * it answers nothing but 5xx. And the same after a resume. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/frontier_fixture.h"

#define A      "http://a.example/"
#define SECURE "https://a.example/"

static enum verdict precheck(struct fixture *fixture, const char *url)
{
    return frontier_precheck(fixture->frontier, TARGET_PAGE,
                             parse(fixture, url), NULL);
}

/* The state of A's host is told, and put into a frontier that knows nothing. */
static void hand_over(struct fixture *from, struct fixture *to, uint64_t now_ms)
{
    struct host_state host;

    assert_true(frontier_next_troubled(from->frontier, &host));
    assert_true(str_eq(host.name, STR("a.example")));
    frontier_restore_host(to->frontier, parse(to, A), &host, now_ms);
    assert_false(frontier_next_troubled(from->frontier, &host));
}

/* --- one scheme ---------------------------------------------------------- */

/* One of http and https is given up, because the other has answered: after a
 * resume it still is, for the same reason, and the other still is not. */
static void one_scheme_that_is_given_up_stays_so(void **state)
{
    static const char *const urls[] = {A, SECURE};
    const struct frontier_options options = {.host_tries = 1};

    (void)state;
    for (size_t bad = 0; bad < ARRAY_LEN(urls); bad++) {
        struct fixture before, after;

        set_up(&before, &options);
        set_up(&after, &options);
        frontier_restore_answered(before.frontier, parse(&before, urls[!bad]));
        put(&before, urls[bad]);
        struct target *target = take(&before, 0, urls[bad]);
        frontier_note(before.frontier, target, HOST_SILENT, CAUSE);
        frontier_done(before.frontier, target, 0, 0);
        assert_int_equal(precheck(&before, urls[bad]), HOST_DEAD);

        hand_over(&before, &after, 0);
        assert_int_equal(frontier_counts(after.frontier).hosts_dead, 0);
        assert_int_equal(precheck(&after, urls[!bad]), ACCEPT);
        put(&after, urls[bad]);
        target = take(&after, 0, urls[bad]);
        assert_int_equal(target->verdict, HOST_DEAD);
        assert_int_equal(target->last_outcome, CAUSE);
        frontier_drop(after.frontier, target, 0);
        tear_down(&before);
        tear_down(&after);
    }
}

/* Once the other one is given up too, the host is, before and after. */
static void both_schemes_are_the_whole_host(void **state)
{
    const struct frontier_options options = {.host_tries = 1};
    struct fixture before, after;

    (void)state;
    set_up(&before, &options);
    set_up(&after, &options);
    frontier_restore_answered(before.frontier, parse(&before, A));
    for (int i = 0; i < 2; i++) {
        const char *url = i ? A : SECURE;
        put(&before, url);
        struct target *target = take(&before, 0, url);
        frontier_note(before.frontier, target, HOST_SILENT, (uint8_t)(i + 1));
        frontier_done(before.frontier, target, 0, 0);
    }
    hand_over(&before, &after, 0);
    assert_int_equal(frontier_counts(after.frontier).hosts_dead, 1);
    put(&after, A);
    struct target *target = take(&after, 0, A);
    assert_int_equal(target->verdict, HOST_DEAD);
    assert_int_equal(target->last_outcome, 2);
    frontier_drop(after.frontier, target, 0);
    assert_int_equal(precheck(&after, SECURE), HOST_DEAD);
    tear_down(&before);
    tear_down(&after);
}

/* A robots.txt that cannot be had gives up the pages of its scheme. */
static void the_reason_of_one_scheme_is_kept(void **state)
{
    const struct frontier_options options = {.robots = true, .host_tries = 1};
    struct fixture before, after;

    (void)state;
    set_up(&before, &options);
    set_up(&after, &options);
    frontier_restore_answered(before.frontier, parse(&before, A));
    put(&before, SECURE);
    struct target *target = take(&before, 0, SECURE "robots.txt");
    frontier_setup_failed(before.frontier, target, 0, 0, CAUSE, true);
    hand_over(&before, &after, 0);
    assert_int_equal(precheck(&after, SECURE), ROBOTS_UNKNOWN);
    assert_int_equal(precheck(&after, A), ACCEPT);
    tear_down(&before);
    tear_down(&after);
}

/* --- backing off --------------------------------------------------------- */

/* A fetch of A that ended at `now_ms` with: '5' a 5xx, '2' a good answer, 'm'
 * no answer, 'b' a 429. How often in a row the host backs off after that. */
static unsigned after_answer(struct fixture *fixture, char answer,
                             uint64_t now_ms)
{
    struct frontier *frontier = fixture->frontier;

    put(fixture, A);
    struct target *target = take(fixture, now_ms, A);
    if (answer == '5')
        frontier_note_error(frontier, target, CAUSE, now_ms);
    else
        frontier_note(frontier, target,
                      answer == '2'   ? HOST_ANSWERED
                      : answer == 'm' ? HOST_NO_REPLY
                                      : HOST_BUSY,
                      CAUSE);
    unsigned backoffs = frontier_backoffs(target);
    frontier_done(frontier, target, now_ms, 0);
    return backoffs;
}

/* Row by row: the answers of a host, and how often it backs off at the end. */
static void ten_errors_in_a_row_make_a_host_back_off(void **state)
{
    static const struct {
        const char *answers;
        unsigned backoffs;
    } cases[] = {
        {"5", 0},
        {"555", 0}, /* one page, tried three times */
        {"555555555", 0},
        {"5555555555", 1},
        {"55555555555", 2},
        {"555555555555555", 6},
        {"5555555555555555", 7},
        {"555555555555555555555555555555", 7}, /* no more than that */
        /* A good answer ends the row, wherever it is. */
        {"55555555525", 0},
        {"5555555552555555555", 0},
        {"55555555525555555555", 1},
        {"55555555555552", 0},
        {"555555555555525", 0},
        {"5252525252525252525252525252", 0},
        /* No answer, and a 429, neither count nor end it. */
        {"555555555m", 0},
        {"555555555m5", 1},
        {"55555b5555b5", 1},
        {"5555555555m", 1},
        {"mmmmb", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture fixture;
        unsigned backoffs = 0;
        uint64_t now_ms = 0;

        set_up(&fixture, &(struct frontier_options){.delay_ms = DELAY_MS});
        for (const char *c = cases[i].answers; *c; c++, now_ms += DELAY_MS)
            backoffs = after_answer(&fixture, *c, now_ms);
        if (backoffs != cases[i].backoffs)
            fail_msg("%s: expected %u, got %u", cases[i].answers,
                     cases[i].backoffs, backoffs);
        tear_down(&fixture);
    }
}

/* Fetches that overlap all end with an error: the host has not rested between
 * them, so that is no reason to rest longer. */
static void errors_at_once_are_one_reason_to_back_off(void **state)
{
    enum { AT_ONCE = 16 };
    struct target *target[AT_ONCE];
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.per_host = AT_ONCE});
    for (uint64_t round = 1; round < 4; round++) {
        uint64_t now_ms = round * 10000;
        for (int i = 0; i < AT_ONCE; i++) {
            char url[] = A "a";
            url[sizeof(url) - 2] = (char)('a' + i);
            put(&fixture, url);
            target[i] = take(&fixture, now_ms, url);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            frontier_note_error(fixture.frontier, target[i], CAUSE,
                                now_ms + (uint64_t)i);
            unsigned backoffs = frontier_backoffs(target[i]);
            assert_int_equal(backoffs, i >= 9 || round > 1 ? round : 0);
            frontier_done(fixture.frontier, target[i], now_ms + (uint64_t)i,
                          backoffs ? 1000 : 0);
        }
        take(&fixture, now_ms + 1000, "");
    }
    tear_down(&fixture);
}

static void a_host_that_backs_off_is_told_with_its_reason(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.delay_ms = DELAY_MS});
    for (uint64_t i = 0; i < 9; i++)
        after_answer(&fixture, '5', i * DELAY_MS);
    put(&fixture, A);
    put(&fixture, A "next");
    struct target *target = take(&fixture, 1000, A);
    frontier_note_error(fixture.frontier, target, CAUSE, 1000);
    frontier_done(fixture.frontier, target, 1000, 5000);
    struct idle idle = frontier_idle(fixture.frontier, 1000);
    assert_int_equal(idle.reason, IDLE_BACKOFF);
    assert_int_equal(idle.until_ms, 6000);
    assert_int_equal(idle.last_outcome, CAUSE);
    assert_true(str_eq(idle.host, STR("a.example")));
    take(&fixture, 5999, "");
    target = take(&fixture, 6000, A "next");
    /* A good answer, and the pause is an ordinary one again. */
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 6000, 0);
    put(&fixture, A);
    idle = frontier_idle(fixture.frontier, 6000);
    assert_int_equal(idle.reason, IDLE_PAUSE);
    assert_int_equal(idle.until_ms, 6000 + DELAY_MS);
    tear_down(&fixture);
}

/* A host that has backed off for an hour is given up, not one that has had
 * the same number of errors in less time. */
static void an_hour_of_errors_gives_a_host_up(void **state)
{
    static const struct {
        uint32_t host_tries;
        uint64_t last_ms; /* after the first that made it back off */
        enum verdict verdict;
    } cases[] = {
        {1, FRONTIER_BACKOFF_MAX_MS - 1, ACCEPT},
        {1, FRONTIER_BACKOFF_MAX_MS, HOST_DEAD},
        {3, FRONTIER_BACKOFF_MAX_MS, HOST_DEAD},
        {0, FRONTIER_BACKOFF_MAX_MS, ACCEPT}, /* never */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const uint64_t first_ms = FRONTIER_ERRORS_MAX * DELAY_MS;
        struct fixture fixture;

        set_up(&fixture, &(struct frontier_options){
                             .delay_ms = DELAY_MS,
                             .host_tries = cases[i].host_tries,
                         });
        for (uint64_t k = 1; k <= FRONTIER_ERRORS_MAX + 100; k++)
            after_answer(&fixture, '5', k * DELAY_MS);
        assert_int_equal(precheck(&fixture, A), ACCEPT);
        after_answer(&fixture, '5', first_ms + cases[i].last_ms);
        assert_int_equal(precheck(&fixture, A), cases[i].verdict);
        assert_int_equal(frontier_counts(fixture.frontier).hosts_dead,
                         cases[i].verdict == HOST_DEAD);
        tear_down(&fixture);
    }
}

static void backing_off_goes_on_after_a_resume(void **state)
{
    const struct frontier_options options = {
        .delay_ms = DELAY_MS,
        .host_tries = 3,
    };
    const uint64_t later_ms = 2 * (uint64_t)FRONTIER_BACKOFF_MAX_MS;
    struct fixture before, after;
    struct host_state host;

    (void)state;
    set_up(&before, &options);
    set_up(&after, &options);
    for (uint64_t i = 0; i < 12; i++)
        after_answer(&before, '5', i * DELAY_MS);
    hand_over(&before, &after, later_ms);
    /* It has three rests behind it; its hour begins anew. */
    assert_int_equal(after_answer(&after, '5', later_ms), 4);
    assert_int_equal(
        after_answer(&after, '5', later_ms + FRONTIER_BACKOFF_MAX_MS - 1), 5);
    assert_int_equal(precheck(&after, A), ACCEPT);
    /* That it is well again is told, too. */
    assert_true(frontier_next_troubled(after.frontier, &host));
    assert_int_equal(host.backoffs, 5);
    assert_int_equal(host.given_up, 0);
    after_answer(&after, '2', later_ms + FRONTIER_BACKOFF_MAX_MS + DELAY_MS);
    assert_true(frontier_next_troubled(after.frontier, &host));
    assert_int_equal(host.backoffs, 0);
    tear_down(&before);
    tear_down(&after);
}

/* --- names --------------------------------------------------------------- */

static void look_up(struct fixture *fixture, const char *url, bool found,
                    uint64_t now_ms)
{
    const struct ip ip = {.byte = {1}};
    struct target *target = take(fixture, now_ms, url);

    assert_int_equal(target->kind, TARGET_RESOLVE);
    if (found)
        frontier_resolved(fixture->frontier, target, &ip, now_ms);
    else
        frontier_setup_failed(fixture->frontier, target, now_ms, 0, CAUSE,
                              false);
}

/* Look-ups that fail count in a row, as connections do, by themselves. */
static void a_name_that_is_found_ends_the_row_of_failed_look_ups(void **state)
{
    static const char *const urls[] = {A, SECURE};
    const struct frontier_options options = {.host_tries = 3, .resolve = true};
    struct fixture fixture;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        set_up(&fixture, &options);
        put(&fixture, urls[i]);
        for (int round = 0; round < 2; round++) {
            look_up(&fixture, urls[i], false, 0);
            look_up(&fixture, urls[i], false, 0);
            look_up(&fixture, urls[i], true, 0);
            /* The connection fails, so another address is asked for. */
            struct target *target = take(&fixture, 0, urls[i]);
            frontier_note(fixture.frontier, target, HOST_SILENT, CAUSE);
            frontier_again(fixture.frontier, target, 0, 0, true);
        }
        look_up(&fixture, urls[i], false, 0);
        look_up(&fixture, urls[i], false, 0);
        assert_int_equal(precheck(&fixture, urls[i]), ACCEPT);
        look_up(&fixture, urls[i], false, 0);
        assert_int_equal(precheck(&fixture, urls[i]), HOST_DEAD);
        tear_down(&fixture);
    }
}

static void failed_look_ups_go_on_after_a_resume(void **state)
{
    const struct frontier_options options = {.host_tries = 3, .resolve = true};
    struct fixture before, after;

    (void)state;
    set_up(&before, &options);
    set_up(&after, &options);
    put(&before, SECURE);
    look_up(&before, SECURE, false, 0);
    look_up(&before, SECURE, false, 0);
    hand_over(&before, &after, 0);
    put(&after, SECURE);
    look_up(&after, SECURE, false, 0);
    assert_int_equal(precheck(&after, SECURE), HOST_DEAD);
    tear_down(&before);
    tear_down(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_scheme_that_is_given_up_stays_so),
        cmocka_unit_test(both_schemes_are_the_whole_host),
        cmocka_unit_test(the_reason_of_one_scheme_is_kept),
        cmocka_unit_test(ten_errors_in_a_row_make_a_host_back_off),
        cmocka_unit_test(errors_at_once_are_one_reason_to_back_off),
        cmocka_unit_test(a_host_that_backs_off_is_told_with_its_reason),
        cmocka_unit_test(an_hour_of_errors_gives_a_host_up),
        cmocka_unit_test(backing_off_goes_on_after_a_resume),
        cmocka_unit_test(a_name_that_is_found_ends_the_row_of_failed_look_ups),
        cmocka_unit_test(failed_look_ups_go_on_after_a_resume),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
