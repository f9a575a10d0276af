#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hashtable.h"
#include "base/str.h"
#include "support/random.h"

static void empty(void **state)
{
    struct hashtable table;
    size_t at = 0;

    (void)state;
    hashtable_init(&table);
    assert_null(hashtable_get(&table, 0));
    assert_null(hashtable_take(&table, 0));
    assert_null(hashtable_next(&table, &at));
    hashtable_release(&table);
    hashtable_release(&table);
}

/* Keys that all want the same place, the last one, so that they run round the
 * end of the table; taken out in every rotation. */
static void runs_round_the_end(void **state)
{
    static const uint64_t keys[] = {
        15, 31, 47, 0, 16, 63, 1, UINT64_MAX, UINT64_MAX - 15, 2,
    };
    char item[ARRAY_LEN(keys)];

    (void)state;
    for (size_t start = 0; start < ARRAY_LEN(keys); start++) {
        struct hashtable table;
        hashtable_init(&table);
        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
            hashtable_put(&table, keys[i], &item[i]);
        for (size_t n = 0; n < ARRAY_LEN(keys); n++) {
            size_t gone = (start + n) % ARRAY_LEN(keys);
            assert_ptr_equal(hashtable_take(&table, keys[gone]), &item[gone]);
            assert_null(hashtable_take(&table, keys[gone]));
            for (size_t m = n + 1; m < ARRAY_LEN(keys); m++) {
                size_t left = (start + m) % ARRAY_LEN(keys);
                if (hashtable_get(&table, keys[left]) != &item[left])
                    fail_msg("start %zu: %llu lost with %llu", start,
                             (unsigned long long)keys[left],
                             (unsigned long long)keys[gone]);
            }
        }
        assert_int_equal(table.count, 0);
        hashtable_release(&table);
    }
}

static void check_walk(const struct hashtable *table, void *const *model,
                       size_t keys, size_t count)
{
    size_t at = 0, walked = 0, sum = 0, expected = 0;
    void *item;

    while ((item = hashtable_next(table, &at))) {
        walked++;
        sum += (uintptr_t)item;
    }
    for (size_t i = 0; i < keys; i++)
        expected += (uintptr_t)model[i];
    assert_int_equal(walked, count);
    assert_int_equal(sum, expected);
}

/* `spread` turns a small number into a fingerprint. */
static void run_model(uint64_t seed, uint64_t (*spread)(uint64_t))
{
    enum { KEYS = 1000, OPERATIONS = 100000 };
    static char items[KEYS];
    void *model[KEYS] = {0};
    struct random random = {seed};
    struct hashtable table;
    size_t count = 0;

    hashtable_init(&table);
    for (int i = 0; i < OPERATIONS; i++) {
        /* Waves: mostly putting, then mostly taking. */
        bool puts = random_below(&random, 10) < (i / 10000 % 2 ? 2 : 8);
        uint32_t key = random_below(&random, KEYS);
        uint64_t print = spread(key);

        if (hashtable_get(&table, print) != model[key])
            fail_msg("operation %d: key %u is wrong", i, key);
        if (puts && !model[key]) {
            model[key] = &items[key];
            hashtable_put(&table, print, model[key]);
            count++;
        } else if (!puts) {
            if (hashtable_take(&table, print) != model[key])
                fail_msg("operation %d: took key %u wrongly", i, key);
            count -= model[key] != NULL;
            model[key] = NULL;
        }
        assert_int_equal(table.count, count);
        if (i % 4096 == 0)
            check_walk(&table, model, KEYS, count);
    }
    hashtable_release(&table);
}

static uint64_t as_hash(uint64_t n)
{
    struct random random = {n + 1};

    return random_u64(&random);
}

static uint64_t as_is(uint64_t n)
{
    return n;
}

/* All in one run: the worst that can happen to linear probing. */
static uint64_t same_low_bits(uint64_t n)
{
    return n << 32 | 0xfffffff0 | (n & 3);
}

static void against_a_naive_model(void **state)
{
    (void)state;
    run_model(1, as_hash);
    run_model(2, as_is);
    run_model(3, same_low_bits);
}

/* A table never grows for takes and puts that leave its count the same. */
static void no_tombstones(void **state)
{
    struct hashtable table;
    char item;

    (void)state;
    hashtable_init(&table);
    for (uint64_t i = 0; i < 10; i++)
        hashtable_put(&table, as_hash(i), &item);
    size_t room = table.room;
    for (uint64_t i = 0; i < 100000; i++) {
        assert_non_null(hashtable_take(&table, as_hash(i)));
        hashtable_put(&table, as_hash(i + 10), &item);
    }
    assert_int_equal(table.room, room);
    assert_int_equal(table.count, 10);
    hashtable_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(runs_round_the_end),
        cmocka_unit_test(against_a_naive_model),
        cmocka_unit_test(no_tombstones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
