/* Orders by hand: pauses, dropped hosts, patterns. */
#include "frontier/by_hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "frontier/listing.h"
#include "support/frontier_fixture.h"

static const struct frontier_options options = {
    .delay_ms = 1000,
    .host_tries = 2,
    .idle_hosts_max = 1,
    .hash_seed = 1,
};

static enum verdict precheck(struct fixture *fixture, const char *text)
{
    struct url url = *parse(fixture, text);
    unsigned line;

    return frontier_precheck(fixture->frontier, TARGET_PAGE, &url, &line);
}

/* Take the next target, which must have this verdict, and be done with it. */
static void take_with(struct fixture *fixture, const char *text,
                      enum verdict verdict, uint64_t now_ms)
{
    struct target *target = frontier_take(fixture->frontier, now_ms);

    assert_non_null(target);
    assert_string_equal(target->url, text);
    assert_int_equal(target->verdict, verdict);
    if (verdict == ACCEPT)
        frontier_done(fixture->frontier, target, now_ms, 0);
    else
        frontier_drop(fixture->frontier, target, now_ms);
}

static void test_a_delay_counts_at_once(void **state)
{
    struct fixture fixture;
    (void)state;

    set_up(&fixture, &options);
    struct url host = *parse(&fixture, "http://a.example/");
    put(&fixture, "http://a.example/1");
    put(&fixture, "http://a.example/2");
    put(&fixture, "http://a.example/3");
    put(&fixture, "http://a.example/4");
    take_with(&fixture, "http://a.example/1", ACCEPT, 100);
    assert_null(frontier_take(fixture.frontier, 200));
    assert_true(frontier_set_delay(fixture.frontier, &host, 50, 200));
    assert_null(frontier_take(fixture.frontier, 249));
    take_with(&fixture, "http://a.example/2", ACCEPT, 250);
    take_with(&fixture, "http://a.example/3", ACCEPT, 300);
    assert_true(
        frontier_set_delay(fixture.frontier, &host, BY_HAND_NO_DELAY, 300));
    take_with(&fixture, "http://a.example/4", ACCEPT, 350);
    put(&fixture, "http://a.example/5");
    assert_null(frontier_take(fixture.frontier, 1349));
    take_with(&fixture, "http://a.example/5", ACCEPT, 1350);
    tear_down(&fixture);
}

static void test_a_dropped_host_is_refused_without_a_pause(void **state)
{
    struct fixture fixture;
    (void)state;

    set_up(&fixture, &options);
    struct url host = *parse(&fixture, "http://a.example/");
    put(&fixture, "http://a.example/1");
    put(&fixture, "http://a.example/2");
    put(&fixture, "http://b.example/1");
    take_with(&fixture, "http://a.example/1", ACCEPT, 100);
    assert_true(frontier_set_dropped(fixture.frontier, &host, true, 100));
    take_with(&fixture, "http://a.example/2", BY_HAND, 100);
    take_with(&fixture, "http://b.example/1", ACCEPT, 100);
    assert_int_equal(precheck(&fixture, "http://a.example/3"), BY_HAND);
    assert_int_equal(precheck(&fixture, "https://a.example/3"), BY_HAND);
    assert_int_equal(precheck(&fixture, "http://a.example:81/3"), ACCEPT);

    /* Many other hosts later it is still dropped, and can be taken back. */
    put(&fixture, "http://c.example/1");
    put(&fixture, "http://d.example/1");
    put(&fixture, "http://e.example/1");
    for (const char **text =
             (const char *[]){"http://c.example/1", "http://d.example/1",
                              "http://e.example/1", NULL};
         *text; text++)
        take_with(&fixture, *text, ACCEPT, 5000);
    put(&fixture, "http://a.example/4");
    take_with(&fixture, "http://a.example/4", BY_HAND, 9000);
    assert_true(frontier_set_dropped(fixture.frontier, &host, false, 9000));
    put(&fixture, "http://a.example/5");
    take_with(&fixture, "http://a.example/5", ACCEPT, 9000);
    tear_down(&fixture);
}

static void test_what_is_to_be_retried_is_dropped_at_once(void **state)
{
    struct fixture fixture;
    (void)state;

    set_up(&fixture, &options);
    struct url host = *parse(&fixture, "http://a.example/");
    put(&fixture, "http://a.example/1");
    struct target *target = frontier_take(fixture.frontier, 100);
    frontier_again(fixture.frontier, target, 100, 3600000, false);
    assert_null(frontier_take(fixture.frontier, 2000));
    frontier_set_dropped(fixture.frontier, &host, true, 2000);
    take_with(&fixture, "http://a.example/1", BY_HAND, 2000);
    tear_down(&fixture);
}

static void test_a_host_that_was_given_up_is_asked_again(void **state)
{
    struct fixture fixture;
    (void)state;

    set_up(&fixture, &options);
    struct url host = *parse(&fixture, "http://a.example/");
    put(&fixture, "http://a.example/1");
    put(&fixture, "http://a.example/2");
    struct target *target = frontier_take(fixture.frontier, 100);
    frontier_note(fixture.frontier, target, HOST_SILENT, 3);
    frontier_note(fixture.frontier, target, HOST_SILENT, 3);
    frontier_again(fixture.frontier, target, 100, 60000, true);
    assert_int_equal(precheck(&fixture, "http://a.example/3"), HOST_DEAD);
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 1);
    frontier_forget_trouble(fixture.frontier, &host, 200);
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 0);
    assert_int_equal(precheck(&fixture, "http://a.example/3"), ACCEPT);
    assert_non_null((target = frontier_take(fixture.frontier, 1200)));
    assert_int_equal(target->verdict, ACCEPT);
    frontier_done(fixture.frontier, target, 1200, 0);
    tear_down(&fixture);
}

static void test_the_latest_pattern_counts(void **state)
{
    struct fixture fixture;
    (void)state;

    set_up(&fixture, &options);
    put(&fixture, "http://a.example/cal/1");
    assert_true(
        frontier_add_pattern(fixture.frontier, STR("**/cal/**"), false));
    assert_int_equal(precheck(&fixture, "http://b.example/cal/2"), BY_HAND);
    assert_int_equal(precheck(&fixture, "http://b.example/other"), ACCEPT);
    take_with(&fixture, "http://a.example/cal/1", BY_HAND, 100);

    assert_true(frontier_add_pattern(fixture.frontier,
                                     STR("http://b.example/**"), true));
    assert_int_equal(precheck(&fixture, "http://b.example/cal/2"), ACCEPT);
    assert_int_equal(precheck(&fixture, "http://a.example/cal/2"), BY_HAND);
    /* The same pattern takes it back. */
    assert_true(frontier_add_pattern(fixture.frontier, STR("**/cal/**"), true));
    assert_int_equal(precheck(&fixture, "http://a.example/cal/2"), ACCEPT);
    tear_down(&fixture);
}

static void test_orders_have_a_bound(void **state)
{
    struct fixture fixture;
    char text[64];
    (void)state;

    set_up(&fixture, &options);
    for (int i = 0; i <= BY_HAND_MAX; i++) {
        snprintf(text, sizeof(text), "http://h%d.example/", i);
        struct url url = *parse(&fixture, text);
        assert_int_equal(frontier_set_dropped(fixture.frontier, &url, true, 1),
                         i < BY_HAND_MAX);
        assert_int_equal(
            frontier_add_pattern(fixture.frontier, str_of(text), false),
            i < BY_HAND_MAX);
    }
    tear_down(&fixture);
}

static void test_the_listing_tells_of_orders(void **state)
{
    struct host_shown shown[LISTING_HOSTS];
    struct host_listing listing = {0};
    struct fixture fixture;
    (void)state;

    set_up(&fixture, &options);
    struct url a = *parse(&fixture, "http://a.example/");
    struct url b = *parse(&fixture, "http://b.example/");
    put(&fixture, "http://a.example/1");
    put(&fixture, "http://b.example/1");
    frontier_set_dropped(fixture.frontier, &a, true, 1);
    frontier_set_delay(fixture.frontier, &b, 70, 1);
    assert_int_equal(frontier_list_hosts(fixture.frontier, &listing, shown), 2);
    for (int i = 0; i < 2; i++) {
        bool is_a = str_eq(shown[i].name, STR("a.example"));
        assert_int_equal(shown[i].wait == WAIT_DROPPED, is_a);
        assert_int_equal(shown[i].delay_by_hand, !is_a);
        assert_int_equal(shown[i].delay_ms, is_a ? 1000 : 70);
    }
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_delay_counts_at_once),
        cmocka_unit_test(test_a_dropped_host_is_refused_without_a_pause),
        cmocka_unit_test(test_what_is_to_be_retried_is_dropped_at_once),
        cmocka_unit_test(test_a_host_that_was_given_up_is_asked_again),
        cmocka_unit_test(test_the_latest_pattern_counts),
        cmocka_unit_test(test_orders_have_a_bound),
        cmocka_unit_test(test_the_listing_tells_of_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
