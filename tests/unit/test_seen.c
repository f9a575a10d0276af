#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "frontier/seen.h"
#include "support/random.h"

static size_t slots(const struct seen *seen)
{
    return seen->room + seen->spare;
}

/* What the table has allocated, for each URL in it. */
static double bytes_each(const struct seen *seen)
{
    return (double)(slots(seen) * sizeof(*seen->slot)) / (double)seen->count;
}

static void empty(void **state)
{
    struct seen seen;

    (void)state;
    seen_init(&seen);
    assert_false(seen_has(&seen, 0));
    assert_false(seen_has(&seen, UINT64_MAX));
    seen_prefetch(&seen, 1);
    seen_release(&seen);
    seen_release(&seen);
}

/* The byte of each fingerprint stays with it, however the table moves. */
static void depths(void **state)
{
    struct random random = {.state = 4};
    enum { COUNT = 5000, KEPT_FROM = 1000 };
    uint64_t value[COUNT];
    struct seen seen;

    (void)state;
    seen_init(&seen);
    seen_keep_depths(&seen);
    seen_release(&seen);
    seen_init(&seen);
    seen_set_depth(&seen, 8, 1);
    assert_false(seen_lower_depth(&seen, 8, 0));
    for (size_t i = 0; i < COUNT; i++) {
        value[i] = random_u64(&random);
        if (i == KEPT_FROM)
            seen_keep_depths(&seen);
        seen_add(&seen, value[i]);
        seen_set_depth(&seen, value[i], (uint32_t)i % 300);
    }
    /* It is not in the set. */
    assert_false(seen_lower_depth(&seen, 8, 0));
    assert_int_equal(seen_depth(&seen, 8), UINT32_MAX);
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t depth = (uint32_t)i % 300;
        bool is_known = i >= KEPT_FROM;
        if (depth > SEEN_DEPTH_MAX)
            depth = SEEN_DEPTH_MAX;
        assert_int_equal(seen_depth(&seen, value[i]),
                         is_known ? depth : UINT32_MAX);
        assert_false(seen_lower_depth(&seen, value[i], depth));
        assert_int_equal(seen_lower_depth(&seen, value[i], depth / 2),
                         is_known && depth);
        assert_int_equal(seen_depth(&seen, value[i]),
                         is_known ? depth / 2 : UINT32_MAX);
        seen_set_depth(&seen, value[i], depth);
        /* The smallest counts. */
        assert_int_equal(seen_depth(&seen, value[i]),
                         is_known ? depth / 2 : depth);
    }
    seen_release(&seen);
}

static void flags(void **state)
{
    struct random random = {.state = 3};
    enum { COUNT = 5000 };
    uint64_t value[COUNT];
    struct seen seen;

    (void)state;
    seen_init(&seen);
    seen_set_flag(&seen, 8, true);
    assert_false(seen_has_flag(&seen, 8));
    for (size_t i = 0; i < COUNT; i++) {
        value[i] = random_u64(&random);
        assert_true(seen_add(&seen, value[i]));
        assert_false(seen_has_flag(&seen, value[i]));
        seen_set_flag(&seen, value[i], i % 3);
    }
    seen_set_flag(&seen, 8, true);
    assert_false(seen_has(&seen, 8) || seen_has_flag(&seen, 8));
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(seen_has_flag(&seen, value[i]), i % 3 > 0);
        assert_false(seen_add(&seen, value[i]));
        seen_set_flag(&seen, value[i], false);
        assert_true(seen_has(&seen, value[i]));
        assert_false(seen_has_flag(&seen, value[i]));
    }
    seen_release(&seen);
}

/* A fingerprint at the border of two slots is found where it belongs, marked or
 * not, also when the table grows. */
static void marks_move_nothing(void **state)
{
    enum { ROOM = 1536 }; /* after the first time that it grows */
    __extension__ typedef unsigned __int128 uint128;
    struct seen seen;
    size_t borders = 0;

    (void)state;
    for (uint64_t slot = 1; slot < ROOM; slot++) {
        uint64_t value = (uint64_t)(((uint128)slot << 64) / ROOM);
        if (value & 1 || (uint64_t)(((uint128)value * ROOM) >> 64) == slot)
            continue;
        borders++;
        seen_init(&seen);
        seen_add(&seen, value);
        seen_set_flag(&seen, value, true);
        for (uint64_t n = 1; seen.room < ROOM; n++)
            seen_add(&seen, n * UINT64_C(0x9e3779b97f4a7c15));
        assert_true(seen_has(&seen, value) && seen_has_flag(&seen, value));
        seen_release(&seen);
    }
    assert_true(borders > 0);
}

/* The two ends of the range; neighbours count as one (see seen.c). */
static void extremes(void **state)
{
    static const uint64_t values[] = {
        0,
        4,
        UINT64_MAX,
        UINT64_MAX - 2,
        (uint64_t)1 << 63,
        ((uint64_t)1 << 63) - 1,
    };
    struct seen seen;

    (void)state;
    seen_init(&seen);
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        assert_false(seen_has(&seen, values[i]));
        assert_true(seen_add(&seen, values[i]));
        assert_false(seen_add(&seen, values[i]));
        seen_prefetch(&seen, values[i]);
        for (size_t j = 0; j < ARRAY_LEN(values); j++)
            assert_int_equal(seen_has(&seen, values[j]), j <= i);
    }
    for (uint64_t same = 1; same <= 3; same++)
        assert_false(seen_add(&seen, same));
    assert_false(seen_add(&seen, UINT64_MAX - 1));
    assert_int_equal(seen.count, ARRAY_LEN(values));
    seen_release(&seen);
}

/* A sorted array of what was added is model enough: nothing is ever taken
 * out. Every value is looked up before, some after, and so are neighbours. All
 * are even: the lowest bit does not count. */
static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void check_all(const struct seen *seen, uint64_t *added, size_t count)
{
    qsort(added, count, sizeof(*added), by_value);
    size_t unique = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && added[i] == added[i - 1])
            continue;
        unique++;
        bool next_is_there = i + 1 < count && added[i + 1] == added[i] + 2;
        if (!seen_has(seen, added[i]))
            fail_msg("%llx is lost", (unsigned long long)added[i]);
        if (!next_is_there && added[i] != UINT64_MAX - 1 &&
            (i + 1 == count || added[i + 1] != added[i]) &&
            seen_has(seen, added[i] + 2))
            fail_msg("%llx was never added", (unsigned long long)added[i] + 2);
    }
    assert_int_equal(seen->count, unique);

    /* Sorted, as the header says, and nothing there twice. */
    uint64_t last = 0;
    size_t full = 0;
    for (size_t i = 0; i < slots(seen); i++) {
        if (!seen->slot[i])
            continue;
        assert_true(seen->slot[i] > last);
        last = seen->slot[i];
        full++;
    }
    assert_int_equal(full, unique);
}

static void against_a_naive_set(void **state)
{
    enum { COUNT = 1000000 };
    uint64_t *added = mem_array(COUNT, sizeof(*added));
    struct random random = {99};
    struct seen seen;
    size_t again = 0;

    (void)state;
    seen_init(&seen);
    for (size_t i = 0; i < COUNT; i++) {
        /* One in eight has been there before. */
        bool repeat = i && random_below(&random, 8) == 0;
        added[i] = repeat ? added[random_below(&random, (uint32_t)i)]
                          : random_u64(&random) & ~(uint64_t)1;
        if (seen_has(&seen, added[i]) != repeat ||
            seen_add(&seen, added[i]) == repeat)
            fail_msg("%llx, number %zu, %s", (unsigned long long)added[i], i,
                     repeat ? "was not seen before" : "was seen before");
        again += repeat;
        if (seen.count > 4000 && bytes_each(&seen) > 16)
            fail_msg("%zu entries: %.2f bytes each", seen.count,
                     bytes_each(&seen));
    }
    assert_int_equal(seen.count, COUNT - again);
    check_all(&seen, added, COUNT);
    seen_release(&seen);
    free(added);
}

/* Fingerprints as nobody draws them. What may suffer is the time; what must
 * not is the answer, nor the memory. */
static uint64_t last_values(uint64_t n)
{
    return UINT64_MAX - 1 - 2 * n;
}

static uint64_t first_values(uint64_t n)
{
    return 2 * n + 2;
}

static uint64_t equal_upper_bits(uint64_t n)
{
    return (uint64_t)0xfedcba98 << 32 | (n * 2654435761u & 0x7fffffff) << 1;
}

static uint64_t near_the_end(uint64_t n)
{
    struct random random = {n + 1};

    return (random_u64(&random) | (uint64_t)0xff << 56) & ~(uint64_t)1;
}

static uint64_t two_clusters(uint64_t n)
{
    return n & 1 ? last_values(n) : ((uint64_t)1 << 63) + 2 * n;
}

static void adversarial(void **state)
{
    enum { COUNT = 8000 };
    static const struct {
        const char *name;
        uint64_t (*value)(uint64_t n);
    } cases[] = {
        {"first values", first_values},         {"last values", last_values},
        {"equal upper bits", equal_upper_bits}, {"near the end", near_the_end},
        {"two clusters", two_clusters},
    };
    uint64_t *added = mem_array(COUNT, sizeof(*added));

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct seen seen;
        seen_init(&seen);
        for (uint64_t n = 0; n < COUNT; n++) {
            added[n] = cases[i].value(n);
            if (!seen_add(&seen, added[n]))
                fail_msg("%s: number %llu was seen before", cases[i].name,
                         (unsigned long long)n);
            if (seen.count > 4000 && bytes_each(&seen) > 40)
                fail_msg("%s: %zu entries, %.0f bytes each", cases[i].name,
                         seen.count, bytes_each(&seen));
        }
        check_all(&seen, added, COUNT);
        seen_release(&seen);
    }
    free(added);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),       cmocka_unit_test(flags),
        cmocka_unit_test(depths),      cmocka_unit_test(marks_move_nothing),
        cmocka_unit_test(extremes),    cmocka_unit_test(against_a_naive_set),
        cmocka_unit_test(adversarial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
