#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/frontier_fixture.h"

#include "base/hashtable.h"

void set_up(struct fixture *fixture, const struct frontier_options *options)
{
    struct frontier_options own = *options;

    arena_init(&fixture->arena);
    own.domains = fixture->domains = domains_new();
    own.per_host = own.per_host ? own.per_host : 1;
    own.report_changes = true;
    fixture->frontier = frontier_new(&own);
}

void set_up_hosts(struct fixture *fixture,
                  const struct frontier_options *options)
{
    struct frontier_options own = *options;

    own.robots = !options->resolve;
    own.delay_ms = options->resolve ? 0 : DELAY_MS;
    set_up(fixture, &own);
}

void tear_down(struct fixture *fixture)
{
    frontier_free(fixture->frontier);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

const struct url *parse(struct fixture *fixture, const char *text)
{
    struct url *url = arena_new(&fixture->arena, sizeof(*url));

    assert_int_equal(url_parse(url, &fixture->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
    return url;
}

void put(struct fixture *fixture, const char *text)
{
    const struct offer offer = {
        .url = parse(fixture, text),
        .fingerprint = hash64(str_of(text), 1),
    };

    frontier_put(fixture->frontier, &offer, 0);
}

struct target *take(struct fixture *fixture, uint64_t now_ms,
                    const char *expected)
{
    struct target *target = frontier_take(fixture->frontier, now_ms);
    const char *got = target ? target->url : "";

    if (strcmp(got, expected))
        fail_msg("at %llu: expected '%s', got '%s'", (unsigned long long)now_ms,
                 expected, got);
    return target;
}

void move(struct fixture *fixture, struct target *from, const char *to,
          uint64_t now_ms)
{
    assert_true(frontier_robots_moved(fixture->frontier, from,
                                      parse(fixture, to), now_ms));
}

void drop(struct fixture *fixture, struct target *target, enum verdict verdict,
          uint64_t now_ms)
{
    assert_int_equal(target->verdict, verdict);
    frontier_drop(fixture->frontier, target, now_ms);
}
