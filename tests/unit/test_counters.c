#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "crawler/counters.h"

struct copy {
    struct stats *to;
    size_t count;
};

static void copy_one(void *user, struct str name, uint64_t value)
{
    struct copy *copy = user;

    copy->count++;
    assert_int_not_equal(value, 0);
    if (!stats_set(copy->to, name, value))
        fail_msg("there is no counter %.*s", (int)name.len, name.ptr);
}

static struct stats *stats_new(void)
{
    return calloc(1, sizeof(struct stats));
}

/* All counters have another value, so that none can stand for another. */
static void fill(struct stats *stats)
{
    uint64_t value = 1;

    stats->saved = value++;
    stats->bytes = (uint64_t)1 << 60;
    stats->retries = value++;
    stats->robots = value++;
    stats->resolved = value++;
    stats->sitemap_urls = value++;
    stats->fetch_ms = value++;
    stats->busy_ms = value++;
    stats->pause_ms = value++;
    stats->idle_ms = value++;
    stats->elapsed_ms = value++;
    for (size_t i = 0; i < OUTCOMES; i++)
        stats->outcome[i] = value++;
    for (size_t i = 0; i < STATS_STATUS_MAX; i++)
        stats->status[i] = value++;
    for (size_t i = 0; i < STATS_DEPTHS; i++)
        stats->depth[i] = value++;
    for (size_t i = 0; i < VERDICTS; i++)
        stats->links.verdict[i] = value++;
    for (size_t i = 0; i < VERDICTS; i++)
        stats->late.verdict[i] = value++;
    for (size_t i = 0; i < STATS_MIMES; i++) {
        if (i + 1 < STATS_MIMES)
            snprintf(stats->mime[i].mime, sizeof(stats->mime[i].mime),
                     "text/x-%zu", i);
        stats->mime[i].count = value++;
    }
}

/* The order of the MIME types is not kept. */
static uint64_t mime_of(const struct stats *stats, const char *mime)
{
    for (size_t i = 0; i + 1 < STATS_MIMES; i++)
        if (!strcmp(stats->mime[i].mime, mime))
            return stats->mime[i].count;
    return 0;
}

static void all_come_back(void **state)
{
    struct stats *from = stats_new(), *to = stats_new();
    struct copy copy = {.to = to};

    (void)state;
    fill(from);
    stats_each(from, copy_one, &copy);
    assert_int_equal(copy.count, 11 + OUTCOMES + STATS_STATUS_MAX +
                                     STATS_DEPTHS + 2 * VERDICTS + STATS_MIMES);
    for (size_t i = 0; i + 1 < STATS_MIMES; i++)
        assert_int_equal(mime_of(to, from->mime[i].mime), from->mime[i].count);
    assert_int_equal(to->mime[STATS_MIMES - 1].count,
                     from->mime[STATS_MIMES - 1].count);
    memset(from->mime, 0, sizeof(from->mime));
    memset(to->mime, 0, sizeof(to->mime));
    assert_memory_equal(from, to, sizeof(*from));
    free(from);
    free(to);
}

/* Names are part of the state's format: they must not change. */
static void names(void **state)
{
    static const char *const known[] = {
        "count.saved",      "count.bytes",     "count.retries",
        "count.robots",     "count.resolved",  "count.sitemap_urls",
        "count.fetch_ms",   "count.busy_ms",   "count.pause_ms",
        "count.idle_ms",    "outcome.fetched", "status.0",
        "status.200",       "status.999",      "depth.0",
        "depth.63",         "links.accept",    "links.host-dead",
        "late.domain-cap",  "mime.text/html",  "mime.*",
        "count.elapsed_ms",
    };
    static const char *const unknown[] = {
        "",          "saved",        "count.",   "count.savedx",
        "count",     "outcome.none", "status.",  "status.1000",
        "status.01", "status.-1",    "depth.64", "links.ACCEPT",
        "state",     "options.1",    "late",     "outcome",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct stats *stats = stats_new();
        struct copy copy = {.to = stats_new()};
        if (!stats_set(stats, str_of(known[i]), 5))
            fail_msg("there is no counter %s", known[i]);
        stats_each(stats, copy_one, &copy);
        if (copy.count != 1)
            fail_msg("%s sets %zu counters", known[i], copy.count);
        free(copy.to);
        free(stats);
    }
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
        struct stats *stats = stats_new(), *empty = stats_new();
        if (stats_set(stats, str_of(unknown[i]), 5))
            fail_msg("%s is a counter", unknown[i]);
        assert_memory_equal(stats, empty, sizeof(*stats));
        free(stats);
        free(empty);
    }
}

/* More types than there is room for, and one that is too long. */
static void mime_types(void **state)
{
    struct stats *stats = stats_new();
    char name[MIME_MAX + 16];

    (void)state;
    for (size_t i = 0; i < STATS_MIMES + 5; i++) {
        int len = snprintf(name, sizeof(name), "mime.a/%zu", i);
        assert_true(stats_set(stats, (struct str){name, (size_t)len}, i + 1));
    }
    for (size_t i = 0; i + 1 < STATS_MIMES; i++)
        assert_int_equal(stats->mime[i].count, i + 1);
    memset(name, 'x', sizeof(name));
    memcpy(name, "mime.", 5);
    assert_true(stats_set(stats, (struct str){name, 5 + MIME_MAX}, 1));
    assert_false(stats_set(stats, (struct str){name, 5 + MIME_MAX + 1}, 1));
    free(stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come_back),
        cmocka_unit_test(names),
        cmocka_unit_test(mime_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
