/* The frontier, told and restored: what has to be known of it so that another
 * one goes on in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hashtable.h"
#include "support/frontier_fixture.h"

static struct offer offer_of(struct fixture *fixture, const char *text,
                             uint32_t depth)
{
    return (struct offer){
        .url = parse(fixture, text),
        .fingerprint = hash64(str_of(text), 1),
        .depth = depth,
        .referrer_id = depth + 10,
        .referrer_machine = (uint16_t)(depth + 1),
        .found = 1,
    };
}

static void put_at(struct fixture *fixture, const char *text, uint32_t depth)
{
    struct offer offer = offer_of(fixture, text, depth);

    frontier_put(fixture->frontier, &offer, 0);
}

static void find_again(struct fixture *fixture, const char *text,
                       uint32_t depth)
{
    struct offer offer = offer_of(fixture, text, depth);

    frontier_found_again(fixture->frontier, &offer);
}

static void restore(struct fixture *fixture, const char *text, uint64_t number,
                    uint64_t due_ms)
{
    struct offer offer = offer_of(fixture, text, 0);
    const struct target_history past = {
        .number = number,
        .tries = due_ms ? 2 : 0,
        .due_ms = due_ms,
    };

    offer.redirects = 3;
    frontier_restore(fixture->frontier, &offer, &past, 0);
}

static void fetch(struct fixture *fixture, uint64_t now_ms, const char *url)
{
    struct target *target = take(fixture, now_ms, url);

    assert_int_equal(target->verdict, ACCEPT);
    frontier_done(fixture->frontier, target, now_ms, 0);
}

static void refused(struct fixture *fixture, uint64_t now_ms, const char *url,
                    enum verdict verdict)
{
    struct target *target = take(fixture, now_ms, url);

    assert_int_equal(target->verdict, verdict);
    frontier_drop(fixture->frontier, target, now_ms);
}

/* --- told ----------------------------------------------------------------- */

#define A "http://a.example/"
#define B "http://b.test/"

/* All that has changed, as "path depth/machine.referrer/found", last first. */
static void changed(struct fixture *fixture, const char *expected)
{
    const struct target *target;
    char got[400] = "";
    size_t used = 0;

    while ((target = frontier_next_changed(fixture->frontier)))
        used += (size_t)snprintf(got + used, sizeof(got) - used,
                                 "%s %u/%u.%u/%u ", target->url + strlen(A),
                                 target->depth, target->referrer_machine,
                                 target->referrer_id, target->found);
    if (strcmp(got, expected))
        fail_msg("expected '%s', got '%s'", expected, got);
}

static void found_again(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    put_at(&fixture, A "1", 3);
    put_at(&fixture, A "2", 3);
    put_at(&fixture, A "3", 3);
    changed(&fixture, "");
    find_again(&fixture, A "2", 5);
    changed(&fixture, "2 3/4.13/2 ");
    changed(&fixture, "");
    /* More than once is told once; the smallest depth and its referrer. */
    find_again(&fixture, A "1", 2);
    find_again(&fixture, A "3", 3);
    find_again(&fixture, A "1", 1);
    find_again(&fixture, A "1", 4);
    changed(&fixture, "3 3/4.13/2 1 1/2.11/4 ");
    find_again(&fixture, A "unknown", 1);
    changed(&fixture, "");
    tear_down(&fixture);
}

/* What has ended is not told any more, wherever in the list it was. */
static void ended_before_it_was_told(void **state)
{
    static const char *const urls[] = {A "1", A "2", A "3"};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        const struct target *target;
        struct fixture fixture;
        size_t count = 0;
        set_up(&fixture, &(struct frontier_options){0});
        for (size_t j = 0; j < ARRAY_LEN(urls); j++) {
            put_at(&fixture, urls[j], 0);
            find_again(&fixture, urls[j], 0);
        }
        for (size_t j = 0; j < i; j++)
            frontier_again(fixture.frontier, take(&fixture, 0, urls[j]), 0, 1,
                           false);
        fetch(&fixture, 0, urls[i]);
        while ((target = frontier_next_changed(fixture.frontier))) {
            assert_string_not_equal(target->url, urls[i]);
            count++;
        }
        assert_int_equal(count, ARRAY_LEN(urls) - 1);
        tear_down(&fixture);
    }
}

static void mentioned(void **state)
{
    const struct frontier_options options = {.ranking = RANKING_PRIORITY};
    struct fixture fixture;
    struct str name;
    uint32_t found;

    (void)state;
    set_up(&fixture, &options);
    assert_false(frontier_next_mentioned(fixture.frontier, &name, &found));
    frontier_count_found(fixture.frontier, parse(&fixture, A), 1);
    frontier_count_found(fixture.frontier,
                         parse(&fixture, "http://www.a.example/x"), 1);
    assert_true(frontier_next_mentioned(fixture.frontier, &name, &found));
    assert_true(str_eq(name, STR("a.example")));
    assert_int_equal(found, 2);
    assert_false(frontier_next_mentioned(fixture.frontier, &name, &found));
    frontier_count_found(fixture.frontier, parse(&fixture, A), 1);
    frontier_count_found(fixture.frontier, parse(&fixture, B), 1);
    for (int i = 0; i < 2; i++) {
        assert_true(frontier_next_mentioned(fixture.frontier, &name, &found));
        assert_int_equal(found, str_eq(name, STR("a.example")) ? 3 : 1);
    }
    assert_false(frontier_next_mentioned(fixture.frontier, &name, &found));
    tear_down(&fixture);
}

/* A host after a fetch that went so; "" where there is nothing to tell. */
static void after(struct fixture *fixture, enum host_health health,
                  const char *expected)
{
    struct host_state host;
    char got[80] = "";

    put_at(fixture, A, 0);
    struct target *target = take(fixture, 0, A);
    frontier_note(fixture->frontier, target, health, CAUSE);
    frontier_done(fixture->frontier, target, 0, 0);
    if (frontier_next_troubled(fixture->frontier, &host))
        snprintf(got, sizeof(got), "%.*s %u/%u/%u/%u", (int)host.name.len,
                 host.name.ptr, host.failures, host.no_reply_count,
                 host.given_up, host.last_outcome);
    if (strcmp(got, expected))
        fail_msg("expected '%s', got '%s'", expected, got);
    assert_false(frontier_next_troubled(fixture->frontier, &host));
}

static void troubled(void **state)
{
    const struct frontier_options options = {.host_tries = 2};
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &options);
    after(&fixture, HOST_ANSWERED, "");
    after(&fixture, HOST_SILENT, "a.example 1/0/0/7");
    after(&fixture, HOST_ANSWERED, "a.example 0/0/0/7");
    after(&fixture, HOST_ANSWERED, "");
    after(&fixture, HOST_NO_REPLY, "a.example 0/1/0/7");
    after(&fixture, HOST_SILENT, "a.example 1/1/0/7");
    after(&fixture, HOST_SILENT, "a.example 2/1/1/7");
    tear_down(&fixture);
}

/* Hosts that are forgotten before they are told. */
static void forgotten(void **state)
{
    const struct frontier_options options = {.idle_hosts_max = 1};
    struct fixture fixture;
    struct host_state host;
    size_t count = 0;

    (void)state;
    set_up(&fixture, &options);
    for (int i = 0; i < 40; i++) {
        char url[40];
        snprintf(url, sizeof(url), "http://h%d.example/", i);
        put_at(&fixture, url, 0);
        struct target *target = take(&fixture, 0, url);
        frontier_note(fixture.frontier, target, HOST_SILENT, CAUSE);
        frontier_done(fixture.frontier, target, 0, 0);
    }
    while (frontier_next_troubled(fixture.frontier, &host)) {
        assert_true(str_starts(host.name, STR("h")));
        count++;
    }
    assert_in_range(count, 1, 2);
    tear_down(&fixture);
}

/* Who does not ask for it keeps no lists. */
static void not_told(void **state)
{
    const struct frontier_options options = {.ranking = RANKING_PRIORITY,
                                             .per_host = 1};
    struct fixture fixture = {.domains = domains_new()};
    struct frontier_options own = options;
    struct host_state host;
    struct str name;
    uint32_t found;

    (void)state;
    arena_init(&fixture.arena);
    own.domains = fixture.domains;
    fixture.frontier = frontier_new(&own);
    put_at(&fixture, A, 1);
    find_again(&fixture, A, 0);
    assert_null(frontier_next_changed(fixture.frontier));
    frontier_count_found(fixture.frontier, parse(&fixture, A), 1);
    struct target *target = take(&fixture, 0, A);
    frontier_note(fixture.frontier, target, HOST_SILENT, CAUSE);
    frontier_done(fixture.frontier, target, 0, 0);
    assert_false(frontier_next_mentioned(fixture.frontier, &name, &found));
    assert_false(frontier_next_troubled(fixture.frontier, &host));
    tear_down(&fixture);
}

/* --- restored ------------------------------------------------------------- */

static void numbers(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    uint64_t first = frontier_next_number(fixture.frontier, 0);
    assert_int_equal(frontier_next_number(fixture.frontier, 0), first + 1);
    frontier_restore_number(fixture.frontier, 90);
    frontier_restore_number(fixture.frontier, 20);
    /* The older ones first, in whatever order they come back. */
    restore(&fixture, A "7", 7, 0);
    restore(&fixture, A "5", 5, 0);
    restore(&fixture, B "6", 6, 0);
    put_at(&fixture, A "91", 0);
    assert_int_equal(frontier_next_number(fixture.frontier, 0), 92);
    fetch(&fixture, 0, A "5");
    fetch(&fixture, 0, B "6");
    fetch(&fixture, 0, A "7");
    fetch(&fixture, 0, A "91");
    take(&fixture, 0, "");
    tear_down(&fixture);
}

static void retries(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    restore(&fixture, A "later", 1, 500);
    restore(&fixture, A "now", 2, 0);
    restore(&fixture, B "sooner", 3, 400);
    assert_int_equal(frontier_counts(fixture.frontier).queued, 3);
    const struct target *found =
        frontier_find(fixture.frontier, hash64(STR(A "later"), 1));
    assert_non_null(found);
    assert_int_equal(frontier_due_ms(found), 500);
    fetch(&fixture, 0, A "now");
    take(&fixture, 399, "");
    assert_int_equal(frontier_idle(fixture.frontier, 399).reason, IDLE_RETRY);
    fetch(&fixture, 400, B "sooner");
    take(&fixture, 499, "");
    struct target *target = take(&fixture, 500, A "later");
    assert_int_equal(target->tries, 2);
    assert_int_equal(target->redirects, 3);
    frontier_done(fixture.frontier, target, 500, 0);
    assert_null(frontier_find(fixture.frontier, hash64(STR(A "later"), 1)));
    tear_down(&fixture);
}

static void clocks(void **state)
{
    const struct frontier_options options = {.delay_ms = DELAY_MS};
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &options);
    frontier_restore_clock(fixture.frontier, parse(&fixture, A), 300, 0);
    /* The latest counts. */
    frontier_restore_clock(fixture.frontier, parse(&fixture, A), 200, 0);
    restore(&fixture, A, 1, 0);
    restore(&fixture, B, 2, 0);
    frontier_restore_clock(fixture.frontier, parse(&fixture, B), 250, 0);
    take(&fixture, 249, "");
    fetch(&fixture, 250, B);
    take(&fixture, 299, "");
    fetch(&fixture, 300, A);
    tear_down(&fixture);
}

static void hosts(void **state)
{
    static const struct {
        uint8_t given_up;
        enum verdict verdict;
    } cases[] = {{0, ACCEPT}, {1, HOST_DEAD}, {2, ROBOTS_UNKNOWN}};
    const struct frontier_options options = {.host_tries = 3};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct host_state host = {
            .failures = 2,
            .given_up = cases[i].given_up,
            .last_outcome = CAUSE,
            .next_ms = 50,
        };
        struct fixture fixture;
        set_up(&fixture, &options);
        const struct url *url = parse(&fixture, A);
        /* The latest counts, and a host is counted once. */
        frontier_restore_host(fixture.frontier, url,
                              &(struct host_state){.given_up = 1}, 0);
        frontier_restore_host(fixture.frontier, url, &host, 0);
        frontier_restore_host(fixture.frontier, url, &host, 0);
        assert_int_equal(frontier_counts(fixture.frontier).hosts_dead,
                         cases[i].given_up > 0);
        assert_int_equal(
            frontier_precheck(fixture.frontier, TARGET_PAGE, url, NULL),
            cases[i].verdict);
        restore(&fixture, A, 1, 0);
        /* What is refused has nothing to wait for. */
        if (!cases[i].given_up) {
            assert_int_equal(frontier_idle(fixture.frontier, 0).reason,
                             IDLE_BACKOFF);
            take(&fixture, 49, "");
        }
        struct target *target = take(&fixture, cases[i].given_up ? 0 : 50, A);
        assert_int_equal(target->verdict, cases[i].verdict);
        if (cases[i].given_up) {
            assert_int_equal(target->last_outcome, CAUSE);
            frontier_drop(fixture.frontier, target, 0);
        } else {
            /* Its third silence in a row. */
            frontier_note(fixture.frontier, target, HOST_SILENT, CAUSE);
            frontier_done(fixture.frontier, target, 50, 0);
            assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 1);
        }
        tear_down(&fixture);
    }
}

static void robots(void **state)
{
    const struct frontier_options options = {.robots = true};
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &options);
    frontier_restore_robots(
        fixture.frontier, parse(&fixture, A),
        robots_new(STR("User-agent: *\nDisallow: /no\nCrawl-delay: 2\n"),
                   STR("crawler")),
        1000, 0);
    /* Nothing in it: all is allowed. */
    frontier_restore_robots(fixture.frontier, parse(&fixture, B), NULL, 1000,
                            0);
    restore(&fixture, A "no", 1, 0);
    restore(&fixture, A "yes", 2, 0);
    restore(&fixture, A "late", 3, 0);
    restore(&fixture, B, 4, 0);
    struct target *target = take(&fixture, 0, A "no");
    assert_int_equal(target->verdict, ROBOTS_REFUSED);
    assert_int_equal(target->robots_line, 2);
    frontier_drop(fixture.frontier, target, 0);
    target = take(&fixture, 0, A "yes");
    assert_int_equal(frontier_delay_ms(fixture.frontier, target), 2000);
    frontier_done(fixture.frontier, target, 0, 0);
    fetch(&fixture, 0, B);
    /* Its time is over: it is asked for again. */
    take(&fixture, 1999, "");
    target = take(&fixture, 2000, A "robots.txt");
    assert_int_equal(target->kind, TARGET_ROBOTS);
    frontier_robots(fixture.frontier, target, NULL, 2000);
    tear_down(&fixture);
}

/* What a domain has had counts, and what it may not have any more is refused
 * at once: neither a pause nor the time of a retry holds it back. */
static void fetches(void **state)
{
    const struct frontier_options options = {
        .ranking = RANKING_PRIORITY,
        .max_per_domain = 3,
    };
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &options);
    restore(&fixture, A "retry", 1, 5000);
    frontier_restore_clock(fixture.frontier, parse(&fixture, A), 4000, 0);
    restore(&fixture, A "queued", 2, 0);
    frontier_restore_fetches(fixture.frontier, STR("a.example"), 0, 0);
    assert_int_equal(frontier_counts(fixture.frontier).domains_crawled, 0);
    frontier_restore_fetches(fixture.frontier, STR("a.example"), 2, 0);
    assert_int_equal(frontier_counts(fixture.frontier).domains_crawled, 1);
    assert_int_equal(frontier_counts(fixture.frontier).domains_capped, 0);
    take(&fixture, 0, "");
    frontier_restore_fetches(fixture.frontier, STR("a.example"), 1, 0);
    frontier_restore_fetches(fixture.frontier, STR("a.example"), 1, 0);
    assert_int_equal(frontier_counts(fixture.frontier).domains_crawled, 1);
    assert_int_equal(frontier_counts(fixture.frontier).domains_capped, 1);
    restore(&fixture, A "another", 3, 5000);
    refused(&fixture, 0, A "retry", DOMAIN_CAP);
    refused(&fixture, 0, A "queued", DOMAIN_CAP);
    refused(&fixture, 0, A "another", DOMAIN_CAP);
    take(&fixture, 0, "");
    tear_down(&fixture);
}

static void scores(void **state)
{
    const struct frontier_options options = {.ranking = RANKING_PRIORITY};
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &options);
    restore(&fixture, A, 1, 0);
    restore(&fixture, B, 2, 0);
    frontier_restore_fetches(fixture.frontier, STR("a.example"), 4, 0);
    frontier_restore_found(fixture.frontier, parse(&fixture, A), 30);
    const struct target *target =
        frontier_find(fixture.frontier, hash64(STR(A), 1));
    /* 10 - 0.4 + 1 + 0.3 */
    assert_int_equal(frontier_score(fixture.frontier, target), 1090);
    fetch(&fixture, 0, B);
    fetch(&fixture, 0, A);
    tear_down(&fixture);
}

static void rest(void **state)
{
    const struct frontier_options options = {.delay_ms = DELAY_MS};
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &options);
    restore(&fixture, A, 1, 0);
    restore(&fixture, B, 2, 0);
    frontier_restore_clock(fixture.frontier, parse(&fixture, B), 500, 0);
    /* The clock says 10 up to just before 11: the pause is whole only then. */
    frontier_rest_all(fixture.frontier, 10);
    take(&fixture, 10 + DELAY_MS, "");
    fetch(&fixture, 11 + DELAY_MS, A);
    take(&fixture, 499, "");
    fetch(&fixture, 500, B);
    tear_down(&fixture);

    /* Who is not to be given pauses is not given this one. */
    set_up(&fixture, &(struct frontier_options){0});
    restore(&fixture, A, 1, 0);
    frontier_rest_all(fixture.frontier, 10);
    fetch(&fixture, 10, A);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_again),
        cmocka_unit_test(ended_before_it_was_told),
        cmocka_unit_test(mentioned),
        cmocka_unit_test(troubled),
        cmocka_unit_test(forgotten),
        cmocka_unit_test(not_told),
        cmocka_unit_test(numbers),
        cmocka_unit_test(retries),
        cmocka_unit_test(clocks),
        cmocka_unit_test(hosts),
        cmocka_unit_test(robots),
        cmocka_unit_test(fetches),
        cmocka_unit_test(scores),
        cmocka_unit_test(rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
