/* Leases of addresses: one that is not held is not asked, one that was taken
 * from a machine that is gone is asked after a whole pause, one that another
 * machine wants is given up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "frontier/parts.h"

enum { IP_DELAY_MS = 10, HOLD_MS = 1000, ASK_AGAIN_MS = HOLD_MS / 4 };

static const struct ip one = {{1}}, two = {{2}};

struct fixture {
    struct frontier *frontier;
    struct domains *domains;
    struct arena arena;
    uint64_t number;
};

static void begin(struct fixture *fixture, uint64_t delay_ms)
{
    *fixture = (struct fixture){.domains = domains_new()};
    const struct frontier_options options = {
        .ranking = RANKING_PRIORITY,
        .domains = fixture->domains,
        .resolve = true,
        .delay_ms = delay_ms,
        .ip_delay_ms = IP_DELAY_MS,
        .ip_hold_ms = HOLD_MS,
        .per_host = 1,
        .idle_hosts_max = 1,
    };

    arena_init(&fixture->arena);
    fixture->frontier = frontier_new(&options);
}

static void end(struct fixture *fixture)
{
    frontier_free(fixture->frontier);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

static void put(struct fixture *fixture, const char *host)
{
    char text[100];
    struct url url;

    snprintf(text, sizeof(text), "http://%s/%llu", host,
             (unsigned long long)++fixture->number);
    arena_clear(&fixture->arena);
    assert_false(url_parse(&url, &fixture->arena, str_of(text), NULL, NULL));
    const struct offer offer = {.url = &url, .fingerprint = fixture->number};
    frontier_put(fixture->frontier, &offer, 0);
}

/* The next page; hosts that begin with 'b' are at address 2, all others at
 * address 1. */
static struct target *take(struct fixture *fixture, uint64_t now_ms)
{
    struct target *target;

    while ((target = frontier_take(fixture->frontier, now_ms)) &&
           target->kind == TARGET_RESOLVE)
        frontier_resolved(fixture->frontier, target,
                          host_name(target->host).ptr[0] == 'b' ? &two : &one,
                          now_ms);
    return target;
}

/* Fetch a page, which takes no time. */
static void fetch(struct fixture *fixture, uint64_t now_ms, const char *host)
{
    struct target *target = take(fixture, now_ms);

    assert_non_null(target);
    assert_true(str_eq(host_name(target->host), str_of(host)));
    frontier_done(fixture->frontier, target, now_ms, 0);
}

/* What a commit would say: the first bytes of the addresses. */
static void expect(struct fixture *fixture, uint64_t now_ms,
                   const char *given_up, const char *wanted)
{
    struct ip ip[8];
    char text[2][9] = {{0}};
    size_t count = frontier_give_up_addresses(fixture->frontier, now_ms, ip, 8);

    for (size_t i = 0; i < count; i++)
        text[0][i] = (char)('0' + ip[i].byte[0]);
    count = frontier_wanted_addresses(fixture->frontier, now_ms, ip, 8);
    for (size_t i = 0; i < count; i++)
        text[1][i] = (char)('0' + ip[i].byte[0]);
    assert_string_equal(text[0], given_up);
    assert_string_equal(text[1], wanted);
}

static void one_that_is_not_held_is_wanted_and_not_asked(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 0);
    expect(&fixture, 0, "", "");
    assert_false(frontier_has_address_news(fixture.frontier));
    put(&fixture, "a.one.example");
    put(&fixture, "b.two.example");
    assert_null(take(&fixture, 0));
    assert_true(frontier_has_address_news(fixture.frontier));
    struct idle idle = frontier_idle(fixture.frontier, 0);
    assert_int_equal(idle.reason, IDLE_ADDRESS);
    assert_true(str_eq(idle.host, STR("a.one.example")));
    expect(&fixture, 0, "", "12");
    assert_false(frontier_has_address_news(fixture.frontier));
    assert_null(take(&fixture, 100000));
    expect(&fixture, 100000, "", "12"); /* until it is granted */
    end(&fixture);
}

static void one_that_was_taken_is_asked_after_a_whole_pause(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 0);
    put(&fixture, "a.one.example");
    put(&fixture, "a.one.example");
    put(&fixture, "b.two.example");
    assert_null(take(&fixture, 0));
    expect(&fixture, 0, "", "12");
    frontier_address_granted(fixture.frontier, &one, true, 100);
    expect(&fixture, 100, "", "2");
    /* At 100 the clock may have been nearly 101. */
    assert_null(take(&fixture, 100 + IP_DELAY_MS));
    fetch(&fixture, 101 + IP_DELAY_MS, "a.one.example");
    /* That it is ours is said again: no other pause. */
    frontier_address_granted(fixture.frontier, &one, true, 101 + IP_DELAY_MS);
    assert_null(take(&fixture, 100 + 2 * IP_DELAY_MS));
    fetch(&fixture, 101 + 2 * IP_DELAY_MS, "a.one.example");
    assert_null(take(&fixture, 200));
    end(&fixture);
}

static void one_that_was_free_is_asked_at_once(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 0);
    put(&fixture, "a.one.example");
    put(&fixture, "a.one.example");
    assert_null(take(&fixture, 0));
    frontier_address_granted(fixture.frontier, &one, false, 100);
    fetch(&fixture, 100, "a.one.example");
    assert_null(take(&fixture, 99 + IP_DELAY_MS));
    fetch(&fixture, 100 + IP_DELAY_MS, "a.one.example");
    end(&fixture);
}

static void one_that_is_idle_and_wanted_is_given_up_at_once(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 500);
    put(&fixture, "a.one.example");
    put(&fixture, "a.one.example");
    assert_null(take(&fixture, 0));
    frontier_address_granted(fixture.frontier, &one, false, 0);
    fetch(&fixture, 50, "a.one.example");
    expect(&fixture, 50, "", "");
    assert_false(frontier_has_address_news(fixture.frontier));
    frontier_address_wanted(fixture.frontier, &one, 55);
    /* The host has its own pause to wait for: nothing is to be asked now. But
     * the pause of the address must be over. */
    expect(&fixture, 49 + IP_DELAY_MS, "", "");
    assert_false(frontier_has_address_news(fixture.frontier));
    assert_null(take(&fixture, 50 + IP_DELAY_MS));
    assert_true(frontier_has_address_news(fixture.frontier));
    expect(&fixture, 50 + IP_DELAY_MS, "1", "");
    assert_null(take(&fixture, 1000));
    expect(&fixture, 1000, "", "1");
    end(&fixture);
}

static void one_in_use_is_kept_for_a_while_and_then_closed(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    begin(&fixture, 0);
    for (int i = 0; i < 4; i++)
        put(&fixture, "a.one.example");
    assert_null(take(&fixture, 0));
    frontier_address_granted(fixture.frontier, &one, false, 0);
    fetch(&fixture, 100, "a.one.example");
    assert_null(take(&fixture, 100)); /* it waits for the address */
    frontier_address_wanted(fixture.frontier, &one, 100);
    frontier_address_wanted(fixture.frontier, &one, 800); /* said again */
    expect(&fixture, 99 + HOLD_MS, "", "");
    assert_non_null(target = take(&fixture, 99 + HOLD_MS));
    expect(&fixture, 100 + HOLD_MS, "", ""); /* in flight, but the last one */
    frontier_done(fixture.frontier, target, 150 + HOLD_MS, 0);
    expect(&fixture, 149 + HOLD_MS + IP_DELAY_MS, "", "");
    assert_null(take(&fixture, 200 + HOLD_MS));
    assert_true(frontier_has_address_news(fixture.frontier));
    /* The other machine shall be the next. */
    expect(&fixture, 200 + HOLD_MS, "1", "");
    expect(&fixture, 199 + HOLD_MS + ASK_AGAIN_MS, "", "");
    assert_false(frontier_has_address_news(fixture.frontier));
    expect(&fixture, 200 + HOLD_MS + ASK_AGAIN_MS, "", "1");
    frontier_address_granted(fixture.frontier, &one, false, 5000);
    expect(&fixture, 5000, "", "");
    fetch(&fixture, 5000, "a.one.example");
    end(&fixture);
}

static void one_that_no_host_is_at_any_more_is_given_back(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 0);
    put(&fixture, "a.one.example");
    assert_null(take(&fixture, 0));
    frontier_address_granted(fixture.frontier, &one, false, 0);
    fetch(&fixture, 100, "a.one.example");
    put(&fixture, "b.two.example");
    assert_null(take(&fixture, 200));
    expect(&fixture, 200, "", "2"); /* its host is remembered */
    frontier_address_granted(fixture.frontier, &two, false, 200);
    fetch(&fixture, 300, "b.two.example"); /* one host is remembered */
    expect(&fixture, 300, "1", "");
    end(&fixture);
}

static void one_that_is_granted_too_late_is_given_back(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, 0);
    frontier_address_granted(fixture.frontier, &one, false, 0);
    frontier_address_wanted(fixture.frontier, &two, 0); /* unknown */
    expect(&fixture, 0, "1", "");
    expect(&fixture, 0, "", "");
    /* One that rests is not given to others before. */
    frontier_address_granted(fixture.frontier, &one, true, 0);
    expect(&fixture, IP_DELAY_MS, "", "");
    expect(&fixture, 1 + IP_DELAY_MS, "1", "");
    /* Known again before it was given back: it is kept. */
    frontier_address_granted(fixture.frontier, &one, false, 0);
    put(&fixture, "a.one.example");
    assert_null(take(&fixture, 0));
    frontier_address_granted(fixture.frontier, &one, false, 0);
    expect(&fixture, 0, "", "");
    fetch(&fixture, 100, "a.one.example");
    end(&fixture);
}

static void more_than_fit_take_turns(void **state)
{
    struct fixture fixture;
    struct ip ip;

    (void)state;
    begin(&fixture, 0);
    put(&fixture, "a.one.example");
    put(&fixture, "b.two.example");
    assert_null(take(&fixture, 0));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(frontier_wanted_addresses(fixture.frontier, 0, &ip, 1),
                         1);
        assert_int_equal(ip.byte[0], 1 + i % 2);
    }
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_not_held_is_wanted_and_not_asked),
        cmocka_unit_test(one_that_was_taken_is_asked_after_a_whole_pause),
        cmocka_unit_test(one_that_was_free_is_asked_at_once),
        cmocka_unit_test(one_that_is_idle_and_wanted_is_given_up_at_once),
        cmocka_unit_test(one_in_use_is_kept_for_a_while_and_then_closed),
        cmocka_unit_test(one_that_no_host_is_at_any_more_is_given_back),
        cmocka_unit_test(one_that_is_granted_too_late_is_given_back),
        cmocka_unit_test(more_than_fit_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
