/* The hosts that are shown to people: which, in which order, with which reason;
 * and the bound on how many are looked at. */
#include "frontier/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "frontier/by_hand.h"

static struct domains *domains;

struct stage {
    struct arena arena;
    struct frontier *frontier;
    struct host_listing listing;
    struct host_shown shown[LISTING_HOSTS];
    size_t count;
};

static void begin(struct stage *stage, const struct frontier_options *options)
{
    struct frontier_options all = *options;

    all.hash_seed = 1;
    all.domains = domains;
    if (!all.per_host)
        all.per_host = 1;
    *stage = (struct stage){.frontier = frontier_new(&all)};
    arena_init(&stage->arena);
}

static void end(struct stage *stage)
{
    frontier_free(stage->frontier);
    arena_release(&stage->arena);
}

static void put(struct stage *stage, const char *text)
{
    struct url url;

    assert_int_equal(url_parse(&url, &stage->arena, str_of(text), NULL, NULL),
                     0);
    const struct offer offer = {
        .url = &url,
        .fingerprint = hash64(str_of(text), 1),
    };
    frontier_put(stage->frontier, &offer, 0);
}

static void list(struct stage *stage)
{
    stage->count =
        frontier_list_hosts(stage->frontier, &stage->listing, stage->shown);
}

static const struct host_shown *find(struct stage *stage, const char *name)
{
    list(stage);
    for (size_t i = 0; i < stage->count; i++)
        if (str_eq(stage->shown[i].name, str_of(name)))
            return &stage->shown[i];
    fail_msg("%s is not listed", name);
    return NULL;
}

static void test_tells_pause_backoff_and_fetching(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, &(struct frontier_options){.delay_ms = 1000});
    put(&stage, "http://a.example/1");
    put(&stage, "http://a.example/2");
    put(&stage, "http://b.example/1");
    put(&stage, "http://b.example/2");

    struct target *a = frontier_take(stage.frontier, 10);
    struct target *b = frontier_take(stage.frontier, 10);
    assert_int_equal(find(&stage, "a.example")->wait, WAIT_FETCHING);
    assert_int_equal(find(&stage, "a.example")->in_flight, 1);
    assert_int_equal(find(&stage, "a.example")->queued, 1);

    frontier_done(stage.frontier, a, 100, 0);
    frontier_done(stage.frontier, b, 100, 60000);
    assert_int_equal(find(&stage, "a.example")->wait, WAIT_PAUSE);
    assert_int_equal(find(&stage, "a.example")->until_ms, 1100);
    assert_int_equal(find(&stage, "a.example")->delay_ms, 1000);
    assert_int_equal(find(&stage, "b.example")->wait, WAIT_BACKOFF);
    assert_int_equal(find(&stage, "b.example")->until_ms, 60100);
    /* Trouble goes first. */
    assert_true(str_eq(stage.shown[0].name, STR("b.example")));

    struct host_counts counts = frontier_host_counts(stage.frontier);
    assert_int_equal(counts.pause, 1);
    assert_int_equal(counts.backoff, 1);
    assert_int_equal(counts.fetching, 0);
    end(&stage);
}

static void test_tells_retry_idle_and_given_up(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, &(struct frontier_options){.delay_ms = 10, .host_tries = 1});
    put(&stage, "http://a.example/1");
    put(&stage, "http://b.example/1");
    put(&stage, "http://c.example/1");
    struct target *a = frontier_take(stage.frontier, 10);
    struct target *b = frontier_take(stage.frontier, 10);
    struct target *c = frontier_take(stage.frontier, 10);

    frontier_again(stage.frontier, a, 20, 5000, false);
    frontier_done(stage.frontier, b, 20, 0);
    frontier_note(stage.frontier, c, HOST_SILENT, 3);
    frontier_done(stage.frontier, c, 20, 0);
    assert_int_equal(find(&stage, "a.example")->wait, WAIT_RETRY);
    assert_int_equal(find(&stage, "a.example")->until_ms, 5020);
    assert_int_equal(find(&stage, "b.example")->wait, WAIT_NOTHING);
    assert_int_equal(find(&stage, "c.example")->wait, WAIT_GIVEN_UP);
    assert_true(find(&stage, "c.example")->has_trouble);
    assert_int_equal(find(&stage, "c.example")->last_outcome, 3);
    assert_int_equal(frontier_host_counts(stage.frontier).idle, 2);
    end(&stage);
}

static void test_tells_limits_of_a_domain(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, &(struct frontier_options){.delay_ms = 10});
    put(&stage, "http://a.x.example/1");
    put(&stage, "http://b.x.example/1");
    struct target *a = frontier_take(stage.frontier, 10);
    assert_null(frontier_take(stage.frontier, 10));
    assert_int_equal(find(&stage, "b.x.example")->wait, WAIT_DOMAIN);
    frontier_done(stage.frontier, a, 20, 0);
    end(&stage);

    begin(&stage, &(struct frontier_options){.max_per_domain = 1});
    put(&stage, "http://a.x.example/1");
    put(&stage, "http://a.x.example/2");
    a = frontier_take(stage.frontier, 10);
    frontier_done(stage.frontier, a, 20, 0);
    assert_int_equal(find(&stage, "a.x.example")->wait, WAIT_DOMAIN_CAP);
    end(&stage);
}

/* Two hosts at one address: the second waits for its turn there. */
static void test_tells_a_shared_address(void **state)
{
    const struct ip ip = {{127, 0, 0, 1}};
    struct stage stage;
    (void)state;

    begin(&stage, &(struct frontier_options){.resolve = true});
    put(&stage, "http://a.example/1");
    put(&stage, "http://b.example/1");
    struct target *a = frontier_take(stage.frontier, 10);
    assert_int_equal(find(&stage, "a.example")->wait, WAIT_LOOKUP);
    struct target *b = frontier_take(stage.frontier, 10);
    frontier_resolved(stage.frontier, a, &ip, 10);
    frontier_resolved(stage.frontier, b, &ip, 10);
    a = frontier_take(stage.frontier, 10);
    assert_null(frontier_take(stage.frontier, 10));

    const struct host_shown *waits = find(&stage, "b.example");
    assert_int_equal(waits->wait, WAIT_ADDRESS);
    assert_int_equal(waits->shared_with, 1);
    assert_int_equal(frontier_host_counts(stage.frontier).address, 1);
    frontier_done(stage.frontier, a, 20, 0);
    end(&stage);
}

/* More hosts than are looked at in a call: the one with the longest queue is
 * found after a few calls, and stays. */
static void test_finds_the_longest_queue_of_many(void **state)
{
    enum { HOSTS = 3 * LISTING_LOOKED_AT, CALLS = 16 };
    struct stage stage;
    char text[64];
    (void)state;

    begin(&stage, &(struct frontier_options){.delay_ms = 10});
    for (int i = 0; i < HOSTS; i++) {
        snprintf(text, sizeof(text), "http://h%d.example/", i);
        put(&stage, text);
    }
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof(text), "http://h77.example/%d", i);
        put(&stage, text);
    }
    for (int i = 0; i < CALLS; i++) {
        size_t at = stage.listing.at;
        list(&stage);
        assert_true(stage.listing.at - at <= LISTING_LOOKED_AT);
        assert_int_equal(stage.count, LISTING_HOSTS);
    }
    assert_true(str_eq(stage.shown[0].name, STR("h77.example")));
    assert_int_equal(stage.shown[0].queued, 6);
    list(&stage);
    assert_true(str_eq(stage.shown[0].name, STR("h77.example")));
    end(&stage);
}

static void test_lists_nothing_of_nothing(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, &(struct frontier_options){.delay_ms = 10});
    list(&stage);
    assert_int_equal(stage.count, 0);
    end(&stage);
}

/* The host with the longest way to go, which need not have the most URLs. */
static void test_tells_how_long_the_slowest_needs(void **state)
{
    struct slowest_host slowest = {0};
    struct stage stage;
    struct url url;
    char text[64];
    (void)state;

    begin(&stage, &(struct frontier_options){.delay_ms = 1000});
    assert_int_equal(frontier_slowest_ms(stage.frontier, &slowest), 0);
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof(text), "http://a.example/%d", i);
        put(&stage, text);
    }
    put(&stage, "http://b.example/1");
    put(&stage, "http://b.example/2");
    assert_int_equal(frontier_slowest_ms(stage.frontier, &slowest), 5000);
    assert_int_equal(
        url_parse(&url, &stage.arena, STR("http://b.example/"), NULL, NULL), 0);
    frontier_set_delay(stage.frontier, &url, 7000, 0);
    assert_int_equal(frontier_slowest_ms(stage.frontier, &slowest), 14000);
    frontier_set_dropped(stage.frontier, &url, true, 0);
    assert_int_equal(frontier_slowest_ms(stage.frontier, &slowest), 5000);
    end(&stage);

    begin(&stage, &(struct frontier_options){.delay_ms = 1000, .per_host = 2});
    put(&stage, "http://a.example/1");
    put(&stage, "http://a.example/2");
    assert_int_equal(frontier_slowest_ms(stage.frontier, &slowest), 1000);
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tells_pause_backoff_and_fetching),
        cmocka_unit_test(test_tells_retry_idle_and_given_up),
        cmocka_unit_test(test_tells_limits_of_a_domain),
        cmocka_unit_test(test_tells_a_shared_address),
        cmocka_unit_test(test_finds_the_longest_queue_of_many),
        cmocka_unit_test(test_lists_nothing_of_nothing),
        cmocka_unit_test(test_tells_how_long_the_slowest_needs),
    };

    domains = domains_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    domains_free(domains);
    return failed;
}
