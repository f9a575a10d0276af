/* The queue alone: where a target is, the bytes that it takes, retries. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    uint64_t number;
    size_t put_back;
};

static struct host *find_host(void *user, const struct url *url)
{
    (void)url;
    return ((struct fixture *)user)->host;
}

static struct domain *find_domain(void *user, const struct url *url)
{
    (void)url;
    return ((struct fixture *)user)->domain;
}

static void put_back(void *user, const struct disk_record *record)
{
    struct fixture *fixture = user;
    const struct offer offer = {
        .url = &record->url,
        .fingerprint = record->fingerprint,
        .depth = record->depth,
    };

    fixture->put_back++;
    queue_put(&fixture->queue, queue_new_target(&fixture->queue, fixture->host,
                                                &offer, record->number));
}

static void begin(struct fixture *fixture, enum ranking_kind ranking,
                  size_t bytes)
{
    const struct queue_callbacks callbacks = {
        .user = fixture,
        .find_host = find_host,
        .find_domain = find_domain,
        .put_back = put_back,
    };

    *fixture = (struct fixture){
        .options = {.ranking = ranking, .queue_bytes = bytes},
    };
    fixture->options.queue_dir_fd =
        open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    arena_init(&fixture->arena);
    ranking_init(&fixture->ranking, ranking);
    queue_init(&fixture->queue, &fixture->options, &fixture->ranking,
               &callbacks);
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
    close(fixture->options.queue_dir_fd);
}

/* The next URL of the host; NULL if it went to disk. */
static struct target *put(struct fixture *fixture, uint32_t depth)
{
    struct arena arena;
    struct url url;
    char text[64];
    struct target *target = NULL;

    arena_init(&arena);
    snprintf(text, sizeof(text), "http://a.example/%u",
             (unsigned)++fixture->number);
    assert_false(url_parse(&url, &arena, str_of(text), NULL, NULL));
    const struct offer offer = {
        .url = &url,
        .fingerprint = fixture->number,
        .depth = depth,
    };
    if (!queue_uses_disk(&fixture->queue, TARGET_PAGE) ||
        !queue_put_on_disk(&fixture->queue, fixture->domain, fixture->host,
                           &offer, fixture->number)) {
        target = queue_new_target(&fixture->queue, fixture->host, &offer,
                                  fixture->number);
        queue_put(&fixture->queue, target);
    }
    arena_release(&arena);
    return target;
}

static void take(struct fixture *fixture, struct target *target)
{
    queue_take(&fixture->queue, target);
    queue_close(&fixture->queue, target);
    free(target);
}

static void bytes_are_given_back(void **state)
{
    struct fixture fixture;
    struct target *target[10];

    (void)state;
    begin(&fixture, RANKING_PRIORITY, 0);
    for (size_t i = 0; i < ARRAY_LEN(target); i++)
        target[i] = put(&fixture, 1);
    assert_int_equal(queue_count(&fixture.queue), ARRAY_LEN(target));
    assert_int_equal(fixture.queue.domains, 1);
    assert_int_equal(fixture.domain->active->queue.hosts, 1);
    assert_true(fixture.queue.bytes > ARRAY_LEN(target) * sizeof(**target));
    assert_int_equal(fixture.queue.bytes, fixture.host->queue.bytes);
    for (size_t i = 0; i < ARRAY_LEN(target); i++)
        take(&fixture, target[i]);
    assert_int_equal(fixture.queue.bytes, 0);
    assert_int_equal(fixture.host->queue.bytes, 0);
    assert_int_equal(fixture.queue.domains, 0);
    assert_int_equal(fixture.queue.most, ARRAY_LEN(target));
    assert_true(queue_domain_is_unused(&fixture.domain->active->queue));
    end(&fixture);
}

static void retries_come_back_in_time(void **state)
{
    static const uint64_t due_ms[] = {50, 20, 90, 20};
    static const uint64_t order[] = {20, 20, 50, 90};
    struct fixture fixture;
    struct target *target;

    (void)state;
    begin(&fixture, RANKING_PRIORITY, 0);
    for (size_t i = 0; i < ARRAY_LEN(due_ms); i++) {
        target = put(&fixture, 1);
        queue_take(&fixture.queue, target);
        queue_put_retry(&fixture.queue, target, due_ms[i]);
    }
    assert_int_equal(fixture.host->queue.retrying, ARRAY_LEN(due_ms));
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        assert_int_equal(queue_next_retry(&fixture.queue)->due_ms, order[i]);
        assert_null(queue_release_due(&fixture.queue, order[i] - 1));
        target = queue_release_due(&fixture.queue, order[i]);
        assert_int_equal(target->state, TARGET_QUEUED);
        take(&fixture, target);
    }
    assert_null(queue_next_retry(&fixture.queue));
    assert_int_equal(fixture.host->queue.retrying, 0);
    end(&fixture);
}

/* No depth before a smaller one, be it queued, in flight or on disk. */
static void a_level_is_left_when_it_is_done(void **state)
{
    struct fixture fixture;
    struct target *deep, *flat;

    (void)state;
    begin(&fixture, RANKING_BFS, 1);
    deep = put(&fixture, 2);
    assert_true(queue_is_its_level(&fixture.queue, deep));
    assert_null(put(&fixture, 1));
    assert_int_equal(fixture.queue.on_disk, 1);
    assert_false(queue_is_its_level(&fixture.queue, deep));
    assert_true(queue_open_disk(&fixture.queue));
    assert_int_equal(fixture.put_back, 1);
    flat = hashtable_get(&fixture.queue.targets, 2);
    assert_true(queue_is_its_level(&fixture.queue, flat));
    queue_take(&fixture.queue, flat);
    assert_false(queue_is_its_level(&fixture.queue, deep));
    queue_close(&fixture.queue, flat);
    free(flat);
    assert_true(queue_is_its_level(&fixture.queue, deep));
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_given_back),
        cmocka_unit_test(retries_come_back_in_time),
        cmocka_unit_test(a_level_is_left_when_it_is_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
