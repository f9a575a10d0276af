/* The captures of a URL, nearest first, against a search through all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/capture_index.h"
#include "support/random.h"

enum { CAPTURES_MAX = 60, KEYS = 4, DATES = 8 };

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_better(const struct capture_index *index, size_t a, size_t b,
                      uint64_t near_ms)
{
    const struct capture *one = &index->capture[a], *other = &index->capture[b];
    uint64_t far = distance(one->date_ms, near_ms);
    uint64_t other_far = distance(other->date_ms, near_ms);

    if (one->is_cut != other->is_cut)
        return other->is_cut;
    return far != other_far ? far < other_far : a > b;
}

static size_t next_by_search(const struct capture_index *index, uint64_t key,
                             uint64_t near_ms, bool only_responses, bool *taken)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < index->count; i++)
        if (index->capture[i].key == key && !taken[i] &&
            !(only_responses && index->capture[i].is_revisit) &&
            (best == SIZE_MAX || is_better(index, i, best, near_ms)))
            best = i;
    if (best != SIZE_MAX)
        taken[best] = true;
    return best;
}

static void check_near(struct capture_index *index, uint64_t key,
                       uint64_t near_ms, bool only_responses)
{
    bool taken[CAPTURES_MAX] = {false};
    struct nearest_captures nearest;
    size_t wanted;

    capture_index_near(index, key, near_ms, only_responses, &nearest);
    do {
        wanted = next_by_search(index, key, near_ms, only_responses, taken);
        assert_int_equal(nearest_captures_next(&nearest), wanted);
    } while (wanted != SIZE_MAX);
    assert_int_equal(nearest_captures_next(&nearest), SIZE_MAX);
}

static void check_replaced(const struct capture_index *index)
{
    for (size_t i = 0; i < index->count; i++) {
        const struct capture *one = &index->capture[i];
        bool is_replaced = false;
        for (size_t k = 0; k < index->count; k++) {
            const struct capture *other = &index->capture[k];
            is_replaced |= one->is_page && other->is_page &&
                           one->key == other->key &&
                           (other->date_ms > one->date_ms ||
                            (other->date_ms == one->date_ms && k > i));
        }
        assert_int_equal(one->is_replaced, is_replaced);
    }
}

static void nearest_first_as_by_search(void **state)
{
    static const uint64_t dates[DATES] = {
        0, 5, 5000, 5001, 7000, 9000, UINT64_MAX - 1, UINT64_MAX};
    struct random random = {.state = 7};

    (void)state;
    for (int run = 0; run < 300; run++) {
        struct capture_index index = {0};
        size_t count = random_below(&random, CAPTURES_MAX + 1);

        for (size_t i = 0; i < count; i++) {
            bool is_revisit = random_below(&random, 3) == 0;
            capture_index_add(
                &index,
                &(struct capture){
                    .key = random_below(&random, KEYS),
                    .date_ms = dates[random_below(&random, DATES)],
                    .is_revisit = is_revisit,
                    .is_page = random_below(&random, 2) > 0,
                    .is_cut = !is_revisit && random_below(&random, 4) == 0,
                });
            /* Questions may come between. */
            if (random_below(&random, 20) == 0)
                check_near(&index, 0, 5000, false);
        }
        for (uint64_t key = 0; key <= KEYS; key++)
            for (size_t i = 0; i < DATES; i++) {
                check_near(&index, key, dates[i], false);
                check_near(&index, key, dates[i] + 1, true);
            }
        capture_index_sort(&index);
        check_replaced(&index);
        capture_index_release(&index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_first_as_by_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
