/* The queue alone, what no model sees: the memory that it takes, its figures,
 * and numbers beyond those of a small crawl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/frontier.h"
#include "frontier/host.h"
#include "frontier/queue.h"

struct fixture {
    struct frontier_options options;
    struct ranking ranking;
    struct queue queue;
    struct arena arena;
    struct domain *domain;
    struct host *host;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    arena_init(&fixture->arena);
    ranking_init(&fixture->ranking, RANKING_PRIORITY);
    queue_init(&fixture->queue, &fixture->options, &fixture->ranking,
               &(struct queue_callbacks){0});
    fixture->domain = domain_new(&fixture->arena, STR("a.example"));
    fixture->host =
        host_new(STR("a.example"), fixture->domain, &fixture->ranking);
    domain_active(fixture->domain, &fixture->ranking);
}

static void end(struct fixture *fixture)
{
    host_free(fixture->host);
    domain_free_active(fixture->domain);
    queue_release(&fixture->queue);
    arena_release(&fixture->arena);
}

static struct target *put(struct fixture *fixture, uint64_t number)
{
    struct url url;

    assert_false(
        url_parse(&url, &fixture->arena, STR("http://a.example/"), NULL, NULL));
    const struct offer offer = {
        .url = &url,
        .fingerprint = number,
        .depth = 1,
    };
    struct target *target =
        queue_new_target(&fixture->queue, fixture->host, &offer, number);
    queue_put(&fixture->queue, target);
    return target;
}

static void bytes_are_given_back(void **state)
{
    enum { COUNT = 10 };
    struct fixture fixture;
    struct target *target[COUNT];

    (void)state;
    begin(&fixture);
    for (size_t i = 0; i < COUNT; i++)
        target[i] = put(&fixture, i + 1);
    assert_int_equal(queue_count(&fixture.queue), COUNT);
    assert_int_equal(fixture.queue.most, COUNT);
    assert_int_equal(fixture.queue.domains, 1);
    assert_int_equal(fixture.domain->active->queue.hosts, 1);
    assert_true(fixture.queue.bytes > COUNT * sizeof(**target));
    assert_int_equal(fixture.queue.bytes, fixture.host->queue.bytes);
    for (size_t i = 0; i < COUNT; i++) {
        queue_take(&fixture.queue, target[i]);
        queue_put_retry(&fixture.queue, target[i], 20);
    }
    assert_int_equal(fixture.host->queue.retrying, COUNT);
    assert_int_equal(fixture.queue.bytes, 0);
    for (size_t i = 0; i < COUNT; i++) {
        struct target *due = queue_release_due(&fixture.queue, 20);
        queue_take(&fixture.queue, due);
        queue_close(&fixture.queue, due);
        free(due);
    }
    assert_int_equal(fixture.host->queue.retrying, 0);
    assert_int_equal(fixture.queue.bytes, 0);
    assert_int_equal(fixture.host->queue.bytes, 0);
    assert_int_equal(fixture.queue.domains, 0);
    assert_true(queue_domain_is_unused(&fixture.domain->active->queue));
    end(&fixture);
}

/* One depth is open, now another one. */
static void go(struct levels *levels, uint32_t from, uint32_t to)
{
    levels_add(levels, to);
    levels_remove(levels, from);
    assert_int_equal(levels_lowest(levels), to);
    assert_in_range(levels->room, 1, 32);
}

/* Whichever way a crawl goes it keeps nothing of what it has left behind. */
static void the_window_of_levels_stays_short(void **state)
{
    static const uint32_t far = 4000000000;
    struct levels levels;
    uint32_t depth;

    (void)state;
    levels_init(&levels);
    levels_add(&levels, 0);
    for (depth = 0; depth < 1000000; depth++)
        go(&levels, depth, depth + 1);
    for (int i = 0; i < 1000; i++) {
        go(&levels, depth, depth - 9);
        go(&levels, depth - 9, depth);
    }
    levels_remove(&levels, depth);
    levels_add(&levels, far);
    go(&levels, far, far + 1);
    levels_remove(&levels, far + 1);
    assert_int_equal(levels_lowest(&levels), UINT32_MAX);
    levels_release(&levels);
}

static void scores_of_large_numbers(void **state)
{
    static const struct {
        struct domain_score domain;
        uint32_t found;
        uint64_t score;
    } cases[] = {
        {{UINT32_MAX / 10 + 1, 7}, 0, 7},
        {{UINT32_MAX, 7}, 0, 7},
        {{0, UINT32_MAX}, 0, UINT64_C(1000) + UINT32_MAX},
        {{100, 0}, UINT32_MAX, UINT64_C(100) * UINT32_MAX},
    };
    struct ranking ranking;

    (void)state;
    ranking_init(&ranking, RANKING_PRIORITY);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct domain domain = {.score = cases[i].domain};
        struct host host = {.domain = &domain};
        const struct target target = {.host = &host, .found = cases[i].found};
        assert_int_equal(ranking_score(&ranking, &target), cases[i].score);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_given_back),
        cmocka_unit_test(the_window_of_levels_stays_short),
        cmocka_unit_test(scores_of_large_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
