/* Turns at an address: hosts that share one are asked one after the other, none
 * is forgotten, and none that cannot use its turn keeps it from the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "frontier/parts.h"

enum { IP_DELAY_MS = 10 };

struct fixture {
    struct frontier *frontier;
    struct domains *domains;
    struct arena arena;
    uint64_t number;
};

static void begin(struct fixture *fixture, const struct frontier_options *like)
{
    struct frontier_options options = *like;

    *fixture = (struct fixture){.domains = domains_new()};
    arena_init(&fixture->arena);
    options.domains = fixture->domains;
    options.resolve = true;
    options.ip_delay_ms = IP_DELAY_MS;
    options.per_host = options.per_host ? options.per_host : 1;
    fixture->frontier = frontier_new(&options);
}

static void end(struct fixture *fixture)
{
    frontier_free(fixture->frontier);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

static void put(struct fixture *fixture, const char *host, uint32_t depth,
                uint32_t found)
{
    char text[100];
    struct url url;

    snprintf(text, sizeof(text), "http://%s/%llu", host,
             (unsigned long long)++fixture->number);
    arena_clear(&fixture->arena);
    assert_false(url_parse(&url, &fixture->arena, str_of(text), NULL, NULL));
    const struct offer offer = {
        .url = &url,
        .fingerprint = fixture->number,
        .depth = depth,
        .found = found,
    };
    frontier_put(fixture->frontier, &offer, 0);
}

/* The next page; names are looked up on the way: those that begin with 'b' are
 * at an address of their own, all others share one. */
static struct target *take(struct fixture *fixture, uint64_t now_ms)
{
    struct target *target;

    while ((target = frontier_take(fixture->frontier, now_ms)) &&
           target->kind == TARGET_RESOLVE) {
        bool apart = host_name(target->host).ptr[0] == 'b';
        frontier_resolved(fixture->frontier, target,
                          &(struct ip){{apart ? 2 : 1}}, now_ms);
    }
    return target;
}

/* The host of the next page, or "". */
static struct target *expect(struct fixture *fixture, uint64_t now_ms,
                             const char *host)
{
    struct target *target = take(fixture, now_ms);
    struct str got = target ? host_name(target->host) : STR("");

    if (!str_eq(got, str_of(host)))
        fail_msg("at %llu: expected '%s', got '%.*s'",
                 (unsigned long long)now_ms, host, (int)got.len, got.ptr);
    return target;
}

static void done(struct fixture *fixture, struct target *target,
                 uint64_t now_ms)
{
    frontier_done(fixture->frontier, target, now_ms, 0);
}

/* All hosts once before any of them twice, whatever their scores. */
static void all_hosts_take_turns(void **state)
{
    static const char *const hosts[] = {"a.one.example", "c.two.example",
                                        "d.three.example", "e.four.example"};
    struct fixture fixture;
    uint64_t now_ms = 0;

    (void)state;
    begin(&fixture, &(struct frontier_options){.ranking = RANKING_PRIORITY});
    for (uint32_t i = 0; i < 4 * ARRAY_LEN(hosts); i++)
        put(&fixture, hosts[i % ARRAY_LEN(hosts)], 0, i == 0 ? 99 : i % 4);
    for (int round = 0; round < 4; round++) {
        bool asked[ARRAY_LEN(hosts)] = {false};
        for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
            struct target *target = take(&fixture, now_ms);
            assert_non_null(target);
            assert_null(take(&fixture, now_ms));
            for (size_t k = 0; k < ARRAY_LEN(hosts); k++)
                if (str_eq(host_name(target->host), str_of(hosts[k]))) {
                    assert_false(asked[k]);
                    asked[k] = true;
                }
            done(&fixture, target, now_ms);
            assert_null(take(&fixture, now_ms + IP_DELAY_MS - 1));
            now_ms += IP_DELAY_MS;
        }
    }
    assert_int_equal(frontier_counts(fixture.frontier).queued, 0);
    end(&fixture);
}

/* A host of a deeper level is the first in the queue; behind it comes one of
 * the current level, which must not wait for it. */
static void a_deeper_level_does_not_block(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    begin(&fixture, &(struct frontier_options){.ranking = RANKING_BFS});
    put(&fixture, "a.one.example", 2, 0);
    put(&fixture, "c.two.example", 2, 0);
    put(&fixture, "d.three.example", 2, 0);
    target = expect(&fixture, 0, "a.one.example");
    expect(&fixture, 0, ""); /* the others wait for the address */
    put(&fixture, "e.four.example", 1, 0);
    done(&fixture, target, 0);
    target = expect(&fixture, IP_DELAY_MS, "e.four.example");
    put(&fixture, "d.three.example", 1, 0); /* it moves up in the queue */
    done(&fixture, target, IP_DELAY_MS);
    done(&fixture, expect(&fixture, 20, "d.three.example"), 20);
    done(&fixture, expect(&fixture, 30, "c.two.example"), 30);
    done(&fixture, expect(&fixture, 40, "d.three.example"), 40);
    end(&fixture);
}

/* The first in the queue belongs to a domain that has its fetch in flight at
 * another address: the next one goes. */
static void a_busy_domain_does_not_block(void **state)
{
    struct fixture fixture;
    struct target *first, *other;

    (void)state;
    begin(&fixture, &(struct frontier_options){.ranking = RANKING_PRIORITY});
    put(&fixture, "a.one.example", 0, 9);
    put(&fixture, "c.two.example", 0, 8);
    put(&fixture, "d.three.example", 0, 7);
    put(&fixture, "b.two.example", 0, 1);
    first = expect(&fixture, 0, "a.one.example");
    other = expect(&fixture, 0, "b.two.example");
    expect(&fixture, 0, "");
    done(&fixture, first, 0);
    first = expect(&fixture, IP_DELAY_MS, "d.three.example");
    done(&fixture, other, IP_DELAY_MS);
    done(&fixture, first, IP_DELAY_MS);
    done(&fixture, expect(&fixture, 2 * IP_DELAY_MS, "c.two.example"),
         2 * IP_DELAY_MS);
    end(&fixture);
}

/* Hosts in the queue whose domain is capped, or which are given up, come out
 * refused at once; the others keep their turns. */
static void refused_hosts_leave_the_queue(void **state)
{
    struct fixture fixture;
    struct target *target, *refused;

    (void)state;
    begin(&fixture, &(struct frontier_options){
                        .ranking = RANKING_PRIORITY,
                        .max_per_domain = 1,
                        .host_tries = 1,
                        .per_host = 1,
                    });
    put(&fixture, "a.one.example", 0, 9);
    put(&fixture, "c.two.example", 0, 8);
    put(&fixture, "b.two.example", 0, 1);
    put(&fixture, "d.three.example", 0, 0);
    target = expect(&fixture, 0, "a.one.example");
    /* The domain of c, which is in the queue, has its only fetch elsewhere. */
    struct target *last = expect(&fixture, 0, "b.two.example");
    refused = expect(&fixture, 0, "c.two.example");
    assert_int_equal(refused->verdict, DOMAIN_CAP);
    frontier_drop(fixture.frontier, refused, 0);
    expect(&fixture, 0, "");
    done(&fixture, last, 0);
    done(&fixture, target, 0);
    done(&fixture, expect(&fixture, IP_DELAY_MS, "d.three.example"),
         IP_DELAY_MS);
    end(&fixture);
}

/* A domain with any number of hosts takes at most so many places in the queue,
 * so others at the address do not wait for all of them. */
static void a_large_domain_leaves_room(void **state)
{
    struct fixture fixture;
    struct target *target;
    uint64_t now_ms = 0;
    char host[32];
    int fetches = 0;

    (void)state;
    begin(&fixture, &(struct frontier_options){.ranking = RANKING_PRIORITY});
    for (int i = 0; i < 5000; i++) {
        snprintf(host, sizeof(host), "h%d.large.example", i);
        put(&fixture, host, 0, 5);
    }
    target = take(&fixture, now_ms);
    assert_null(take(&fixture, now_ms));
    put(&fixture, "z.small.example", 0, 5);
    while (strcmp(target->url, "http://z.small.example/5001") != 0) {
        done(&fixture, target, now_ms);
        now_ms += IP_DELAY_MS;
        target = take(&fixture, now_ms);
        fetches++;
    }
    assert_in_range(fetches, 1, ADDRESS_QUEUE_MAX + 1);
    done(&fixture, target, now_ms);
    end(&fixture);
}

/* All places of a domain in the queue are taken by hosts of a deeper level. A
 * host of the same domain with a URL of the current level, as a sitemap may
 * bring it late, must not wait for them: they would wait for it. */
static void a_full_queue_of_a_deeper_level_does_not_block(void **state)
{
    struct fixture fixture;
    struct target *target;
    char host[32];

    (void)state;
    begin(&fixture, &(struct frontier_options){.ranking = RANKING_BFS});
    put(&fixture, "a.one.example", 2, 0);
    for (int i = 0; i < ADDRESS_QUEUE_MAX; i++) {
        snprintf(host, sizeof(host), "h%d.large.example", i);
        put(&fixture, host, 2, 0);
    }
    target = expect(&fixture, 0, "a.one.example");
    expect(&fixture, 0, ""); /* the others are in the queue of the address */
    put(&fixture, "late.large.example", 1, 0);
    done(&fixture, target, 0);
    done(&fixture, expect(&fixture, IP_DELAY_MS, "late.large.example"),
         IP_DELAY_MS);
    done(&fixture, expect(&fixture, 2 * IP_DELAY_MS, "h0.large.example"),
         2 * IP_DELAY_MS);
    end(&fixture);
}

/* --- places of workers -----------------------------------------------------
 */

enum { TARPITS = 5, PLACES = 3, TIMEOUT_MS = 60000 };

static void ended(struct fixture *fixture, struct target *target,
                  uint64_t now_ms, bool is_prompt)
{
    frontier_note_prompt(fixture->frontier, target, is_prompt);
    done(fixture, target, now_ms);
}

/* Tarpits in front of a host, all at addresses of their own or all at one. */
static void begin_tarpits(struct fixture *fixture, enum ranking_kind ranking,
                          const char *healthy)
{
    char host[32];

    begin(fixture, &(struct frontier_options){
                       .ranking = ranking,
                       .per_host = 1 + TARPITS,
                       .doubtful_max = PLACES,
                   });
    put(fixture, healthy, 0, 9);
    ended(fixture, expect(fixture, 0, healthy), 0, true);
    for (int i = 0; i < TARPITS; i++) {
        snprintf(host, sizeof(host), "tar.pit%d.example", i);
        put(fixture, host, 0, 5);
        put(fixture, host, 0, 5);
    }
    put(fixture, healthy, 0, 0);
    put(fixture, healthy, 0, 0);
}

/* The host of the next page is a tarpit. */
static struct target *expect_tarpit(struct fixture *fixture, uint64_t now_ms)
{
    struct target *target = take(fixture, now_ms);

    assert_non_null(target);
    assert_true(str_starts(host_name(target->host), STR("tar.")));
    return target;
}

static void tarpits_leave_places_for_prompt_domains(void **state)
{
    static const enum ranking_kind rankings[] = {RANKING_BFS, RANKING_PRIORITY};
    static const char *const healthy[] = {"b.healthy.example",
                                          "a.healthy.example"};
    struct target *held[PLACES];
    struct fixture fixture;
    uint64_t now_ms = IP_DELAY_MS;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        begin_tarpits(&fixture, rankings[i / 2], healthy[i % 2]);
        for (size_t k = 0; k < PLACES; k++)
            held[k] = expect_tarpit(&fixture, now_ms);
        struct target *page = expect(&fixture, now_ms, healthy[i % 2]);
        ended(&fixture, page, now_ms, true);
        /* Its last fetch ran into its time-out: it has no place any more. */
        page = expect(&fixture, now_ms + IP_DELAY_MS, healthy[i % 2]);
        ended(&fixture, page, now_ms + IP_DELAY_MS, false);
        put(&fixture, healthy[i % 2], 0, 99);
        expect(&fixture, now_ms + TIMEOUT_MS, "");
        assert_int_equal(
            frontier_idle(fixture.frontier, now_ms + TIMEOUT_MS).reason,
            IDLE_FLIGHT);
        for (size_t k = 0; k < PLACES; k++)
            ended(&fixture, held[k], now_ms + TIMEOUT_MS, false);
        for (size_t k = 0; k < PLACES; k++)
            held[k] = take(&fixture, now_ms + 2 * TIMEOUT_MS);
        assert_null(take(&fixture, now_ms + 2 * TIMEOUT_MS));
        for (size_t k = 0; k < PLACES; k++)
            ended(&fixture, held[k], now_ms + 2 * TIMEOUT_MS, false);
        end(&fixture);
    }
}

/* A page that came makes its domain prompt: its other fetches in flight do not
 * count any more. Targets that are to be refused need no place. */
static void a_domain_that_becomes_prompt_frees_its_places(void **state)
{
    struct target *held[PLACES], *refused;
    struct fixture fixture;

    (void)state;
    begin(&fixture, &(struct frontier_options){
                        .ranking = RANKING_BFS,
                        .per_host = PLACES,
                        .max_per_domain = PLACES,
                        .doubtful_max = PLACES,
                    });
    for (size_t i = 0; i < PLACES + 2; i++)
        put(&fixture, "b.one.example", 0, 0);
    put(&fixture, "a.two.example", 0, 0);
    for (size_t i = 0; i < PLACES; i++)
        held[i] = expect(&fixture, 0, "b.one.example");
    refused = expect(&fixture, 0, "b.one.example");
    assert_int_equal(refused->verdict, DOMAIN_CAP);
    frontier_drop(fixture.frontier, refused, 0);
    refused = expect(&fixture, 0, "b.one.example");
    frontier_drop(fixture.frontier, refused, 0);
    expect(&fixture, 0, "");
    frontier_note_prompt(fixture.frontier, held[0], true);
    done(&fixture, expect(&fixture, 0, "a.two.example"), 0);
    for (size_t i = 0; i < PLACES; i++)
        done(&fixture, held[i], 0);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_hosts_take_turns),
        cmocka_unit_test(a_deeper_level_does_not_block),
        cmocka_unit_test(a_full_queue_of_a_deeper_level_does_not_block),
        cmocka_unit_test(a_busy_domain_does_not_block),
        cmocka_unit_test(refused_hosts_leave_the_queue),
        cmocka_unit_test(a_large_domain_leaves_room),
        cmocka_unit_test(tarpits_leave_places_for_prompt_domains),
        cmocka_unit_test(a_domain_that_becomes_prompt_frees_its_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
