/* The cache of names: how long an answer is good, and how many are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "names/name_cache.h"

static const struct in6_addr one = {.s6_addr = {0x20, 0x01, [15] = 1}};
static const struct in6_addr two = {.s6_addr = {0x20, 0x01, [15] = 2}};

static struct name_answer found(uint32_t ttl_s)
{
    struct name_answer answer = {.result = NAME_FOUND, .ttl_s = ttl_s};

    name_answer_add(&answer, &one);
    name_answer_add(&answer, &two);
    return answer;
}

static void an_answer_is_good_for_its_time(void **state)
{
    static const struct {
        const char *label;
        enum name_result result;
        uint32_t ttl_s;
        uint64_t good_s;
    } rows[] = {
        {"as the server says", NAME_FOUND, 300, 300},
        {"at least a minute", NAME_FOUND, 0, NAME_TTL_MIN_S},
        {"at least a minute", NAME_FOUND, 59, NAME_TTL_MIN_S},
        {"just a minute", NAME_FOUND, 60, 60},
        {"just a day", NAME_FOUND, 86400, 86400},
        {"at most a day", NAME_FOUND, 86401, NAME_TTL_MAX_S},
        {"at most a day", NAME_FOUND, UINT32_MAX, NAME_TTL_MAX_S},
        {"no such name", NAME_UNKNOWN, 7200, NAME_TTL_UNKNOWN_S},
        {"no answer", NAME_FAILED, 7200, NAME_TTL_FAILED_S},
    };
    const uint64_t start_ms = 12345;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct name_cache cache;
        struct name_answer answer = {.result = rows[i].result}, got;
        uint64_t end_ms = start_ms + rows[i].good_s * 1000;

        if (rows[i].result == NAME_FOUND)
            answer = found(rows[i].ttl_s);
        else
            answer.ttl_s = rows[i].ttl_s;
        name_cache_init(&cache, 10);
        assert_false(name_cache_get(&cache, 7, start_ms, &got));
        name_cache_put(&cache, 7, &answer, start_ms);
        if (!name_cache_get(&cache, 7, start_ms, &got) ||
            !name_cache_get(&cache, 7, end_ms - 1, &got))
            fail_msg("%s: forgotten too early", rows[i].label);
        assert_int_equal(got.result, answer.result);
        assert_int_equal(got.count, answer.count);
        assert_memory_equal(got.address, answer.address,
                            answer.count * sizeof(one));
        if (name_cache_get(&cache, 7, end_ms, &got))
            fail_msg("%s: good for too long", rows[i].label);
        assert_false(name_cache_get(&cache, 8, start_ms, &got));
        name_cache_release(&cache);
    }
}

static void a_newer_answer_replaces_an_older_one(void **state)
{
    struct name_cache cache;
    struct name_answer answer = found(300), got;

    (void)state;
    name_cache_init(&cache, 10);
    name_cache_put(&cache, 7, &answer, 0);
    answer = (struct name_answer){.result = NAME_FAILED};
    name_cache_put(&cache, 7, &answer, 1000);
    assert_true(name_cache_get(&cache, 7, 1000, &got));
    assert_int_equal(got.result, NAME_FAILED);
    assert_int_equal(got.count, 0);
    assert_int_equal(cache.entries.count, 1);
    /* Nor does the older one come back. */
    assert_false(name_cache_get(&cache, 7, 12 * 1000, &got));
    name_cache_release(&cache);
}

/* The number of entries is bounded; the next to end goes first. */
static void a_full_cache_forgets_what_would_end_first(void **state)
{
    enum { MAX = 100 };
    struct name_cache cache;
    struct name_answer got;

    (void)state;
    name_cache_init(&cache, MAX);
    for (uint64_t i = 0; i < MAX; i++) {
        struct name_answer answer = found((uint32_t)(1000 + i * 37 % MAX));
        name_cache_put(&cache, i, &answer, 0);
    }
    assert_int_equal(cache.entries.count, MAX);
    for (uint64_t i = 0; i < MAX / 2; i++) {
        struct name_answer answer = found(5000);
        name_cache_put(&cache, MAX + i, &answer, 0);
        assert_int_equal(cache.entries.count, MAX);
    }
    for (uint64_t i = 0; i < MAX; i++)
        assert_int_equal(name_cache_get(&cache, i, 0, &got),
                         i * 37 % MAX >= MAX / 2);
    name_cache_release(&cache);
}

static void what_has_ended_leaves_when_more_comes(void **state)
{
    struct name_cache cache;
    struct name_answer answer = found(60);

    (void)state;
    name_cache_init(&cache, 1000);
    for (uint64_t i = 0; i < 500; i++)
        name_cache_put(&cache, i, &answer, 0);
    name_cache_put(&cache, 1000, &answer, 60 * 1000);
    assert_int_equal(cache.entries.count, 1);
    name_cache_release(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_good_for_its_time),
        cmocka_unit_test(a_newer_answer_replaces_an_older_one),
        cmocka_unit_test(a_full_cache_forgets_what_would_end_first),
        cmocka_unit_test(what_has_ended_leaves_when_more_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
