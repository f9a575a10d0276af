/* Orders by hand: pauses, dropped hosts, patterns. */
#include "frontier/by_hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/hash.h"
#include "frontier/listing.h"

static struct domains *domains;

struct stage {
    struct arena arena;
    struct frontier *frontier;
};

static void begin(struct stage *stage)
{
    const struct frontier_options options = {
        .delay_ms = 1000,
        .per_host = 1,
        .host_tries = 2,
        .idle_hosts_max = 1,
        .hash_seed = 1,
        .domains = domains,
    };

    *stage = (struct stage){.frontier = frontier_new(&options)};
    arena_init(&stage->arena);
}

static void end(struct stage *stage)
{
    frontier_free(stage->frontier);
    arena_release(&stage->arena);
}

static struct url parsed(struct stage *stage, const char *text)
{
    struct url url;

    assert_int_equal(url_parse(&url, &stage->arena, str_of(text), NULL, NULL),
                     0);
    return url;
}

static void put(struct stage *stage, const char *text)
{
    struct url url = parsed(stage, text);
    const struct offer offer = {
        .url = &url,
        .fingerprint = hash64(str_of(text), 1),
    };

    frontier_put(stage->frontier, &offer, 0);
}

static enum verdict precheck(struct stage *stage, const char *text)
{
    struct url url = parsed(stage, text);
    unsigned line;

    return frontier_precheck(stage->frontier, TARGET_PAGE, &url, &line);
}

/* Take the next target, which must have this verdict, and be done with it. */
static void take(struct stage *stage, const char *text, enum verdict verdict,
                 uint64_t now_ms)
{
    struct target *target = frontier_take(stage->frontier, now_ms);

    assert_non_null(target);
    assert_string_equal(target->url, text);
    assert_int_equal(target->verdict, verdict);
    if (verdict == ACCEPT)
        frontier_done(stage->frontier, target, now_ms, 0);
    else
        frontier_drop(stage->frontier, target, now_ms);
}

static void test_a_delay_counts_at_once(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    struct url host = parsed(&stage, "http://a.example/");
    put(&stage, "http://a.example/1");
    put(&stage, "http://a.example/2");
    put(&stage, "http://a.example/3");
    put(&stage, "http://a.example/4");
    take(&stage, "http://a.example/1", ACCEPT, 100);
    assert_null(frontier_take(stage.frontier, 200));
    assert_true(frontier_set_delay(stage.frontier, &host, 50, 200));
    assert_null(frontier_take(stage.frontier, 249));
    take(&stage, "http://a.example/2", ACCEPT, 250);
    take(&stage, "http://a.example/3", ACCEPT, 300);
    assert_true(
        frontier_set_delay(stage.frontier, &host, BY_HAND_NO_DELAY, 300));
    take(&stage, "http://a.example/4", ACCEPT, 350);
    put(&stage, "http://a.example/5");
    assert_null(frontier_take(stage.frontier, 1349));
    take(&stage, "http://a.example/5", ACCEPT, 1350);
    end(&stage);
}

static void test_a_dropped_host_is_refused_without_a_pause(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    struct url host = parsed(&stage, "http://a.example/");
    put(&stage, "http://a.example/1");
    put(&stage, "http://a.example/2");
    put(&stage, "http://b.example/1");
    take(&stage, "http://a.example/1", ACCEPT, 100);
    assert_true(frontier_set_dropped(stage.frontier, &host, true, 100));
    take(&stage, "http://a.example/2", BY_HAND, 100);
    take(&stage, "http://b.example/1", ACCEPT, 100);
    assert_int_equal(precheck(&stage, "http://a.example/3"), BY_HAND);
    assert_int_equal(precheck(&stage, "https://a.example/3"), BY_HAND);
    assert_int_equal(precheck(&stage, "http://a.example:81/3"), ACCEPT);

    /* Many other hosts later it is still dropped, and can be taken back. */
    put(&stage, "http://c.example/1");
    put(&stage, "http://d.example/1");
    put(&stage, "http://e.example/1");
    for (const char **text =
             (const char *[]){"http://c.example/1", "http://d.example/1",
                              "http://e.example/1", NULL};
         *text; text++)
        take(&stage, *text, ACCEPT, 5000);
    put(&stage, "http://a.example/4");
    take(&stage, "http://a.example/4", BY_HAND, 9000);
    assert_true(frontier_set_dropped(stage.frontier, &host, false, 9000));
    put(&stage, "http://a.example/5");
    take(&stage, "http://a.example/5", ACCEPT, 9000);
    end(&stage);
}

static void test_what_is_to_be_retried_is_dropped_at_once(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    struct url host = parsed(&stage, "http://a.example/");
    put(&stage, "http://a.example/1");
    struct target *target = frontier_take(stage.frontier, 100);
    frontier_again(stage.frontier, target, 100, 3600000, false);
    assert_null(frontier_take(stage.frontier, 2000));
    frontier_set_dropped(stage.frontier, &host, true, 2000);
    take(&stage, "http://a.example/1", BY_HAND, 2000);
    end(&stage);
}

static void test_a_host_that_was_given_up_is_asked_again(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    struct url host = parsed(&stage, "http://a.example/");
    put(&stage, "http://a.example/1");
    put(&stage, "http://a.example/2");
    struct target *target = frontier_take(stage.frontier, 100);
    frontier_note(stage.frontier, target, HOST_SILENT, 3);
    frontier_note(stage.frontier, target, HOST_SILENT, 3);
    frontier_again(stage.frontier, target, 100, 60000, true);
    assert_int_equal(precheck(&stage, "http://a.example/3"), HOST_DEAD);
    assert_int_equal(frontier_counts(stage.frontier).hosts_dead, 1);
    frontier_forget_trouble(stage.frontier, &host, 200);
    assert_int_equal(frontier_counts(stage.frontier).hosts_dead, 0);
    assert_int_equal(precheck(&stage, "http://a.example/3"), ACCEPT);
    assert_non_null((target = frontier_take(stage.frontier, 1200)));
    assert_int_equal(target->verdict, ACCEPT);
    frontier_done(stage.frontier, target, 1200, 0);
    end(&stage);
}

static void test_the_latest_pattern_counts(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    put(&stage, "http://a.example/cal/1");
    assert_true(frontier_add_pattern(stage.frontier, STR("**/cal/**"), false));
    assert_int_equal(precheck(&stage, "http://b.example/cal/2"), BY_HAND);
    assert_int_equal(precheck(&stage, "http://b.example/other"), ACCEPT);
    take(&stage, "http://a.example/cal/1", BY_HAND, 100);

    assert_true(
        frontier_add_pattern(stage.frontier, STR("http://b.example/**"), true));
    assert_int_equal(precheck(&stage, "http://b.example/cal/2"), ACCEPT);
    assert_int_equal(precheck(&stage, "http://a.example/cal/2"), BY_HAND);
    /* The same pattern takes it back. */
    assert_true(frontier_add_pattern(stage.frontier, STR("**/cal/**"), true));
    assert_int_equal(precheck(&stage, "http://a.example/cal/2"), ACCEPT);
    end(&stage);
}

static void test_orders_have_a_bound(void **state)
{
    struct stage stage;
    char text[64];
    (void)state;

    begin(&stage);
    for (int i = 0; i <= BY_HAND_MAX; i++) {
        snprintf(text, sizeof(text), "http://h%d.example/", i);
        struct url url = parsed(&stage, text);
        assert_int_equal(frontier_set_dropped(stage.frontier, &url, true, 1),
                         i < BY_HAND_MAX);
        assert_int_equal(
            frontier_add_pattern(stage.frontier, str_of(text), false),
            i < BY_HAND_MAX);
    }
    end(&stage);
}

static void test_the_listing_tells_of_orders(void **state)
{
    struct host_shown shown[LISTING_HOSTS];
    struct host_listing listing = {0};
    struct stage stage;
    (void)state;

    begin(&stage);
    struct url a = parsed(&stage, "http://a.example/");
    struct url b = parsed(&stage, "http://b.example/");
    put(&stage, "http://a.example/1");
    put(&stage, "http://b.example/1");
    frontier_set_dropped(stage.frontier, &a, true, 1);
    frontier_set_delay(stage.frontier, &b, 70, 1);
    assert_int_equal(frontier_list_hosts(stage.frontier, &listing, shown), 2);
    for (int i = 0; i < 2; i++) {
        bool is_a = str_eq(shown[i].name, STR("a.example"));
        assert_int_equal(shown[i].wait == WAIT_DROPPED, is_a);
        assert_int_equal(shown[i].delay_by_hand, !is_a);
        assert_int_equal(shown[i].delay_ms, is_a ? 1000 : 70);
    }
    end(&stage);
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

    domains = domains_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    domains_free(domains);
    return failed;
}
