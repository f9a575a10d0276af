#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/heap.h"
#include "base/mem.h"
#include "support/random.h"

struct job {
    uint32_t due;
    struct heap_node node; /* not the first member on purpose */
    uint32_t age;
};

static struct job *job_of(const struct heap_node *node)
{
    return container_of(node, struct job, node);
}

static bool goes_before(const struct job *a, const struct job *b)
{
    return a->due != b->due ? a->due < b->due : a->age < b->age;
}

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
    return goes_before(job_of(a), job_of(b));
}

/* Every node knows its place and none stands before its parent. */
static void check_shape(const struct heap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++) {
        if (heap->node[i]->position != i + 1)
            fail_msg("node at %u believes to be at %u", i,
                     heap->node[i]->position - 1);
        if (i && is_before(heap->node[i], heap->node[(i - 1) / 2]))
            fail_msg("node at %u stands after its parent", i);
    }
}

static const struct job *naive_first(const struct job *jobs, size_t count)
{
    const struct job *first = NULL;

    for (size_t i = 0; i < count; i++)
        if (heap_has(&jobs[i].node) && (!first || goes_before(&jobs[i], first)))
            first = &jobs[i];
    return first;
}

static void empty(void **state)
{
    struct heap heap;
    struct job job = {0};

    (void)state;
    heap_init(&heap, is_before);
    assert_null(heap_first(&heap));
    assert_false(heap_has(&job.node));
    heap_put(&heap, &job.node);
    assert_ptr_equal(heap_first(&heap), &job.node);
    heap_moved(&heap, &job.node);
    heap_remove(&heap, &job.node);
    assert_null(heap_first(&heap));
    assert_false(heap_has(&job.node));
    heap_put(&heap, &job.node);
    heap_release(&heap);
    assert_null(heap_first(&heap));
    heap_release(&heap);
}

/* The comparison has the age, so equal keys come out as they came in. */
static void equal_keys_by_age(void **state)
{
    enum { JOBS = 1000 };
    static struct job jobs[JOBS];
    struct heap heap;

    (void)state;
    heap_init(&heap, is_before);
    for (uint32_t i = 0; i < JOBS; i++) {
        jobs[i] = (struct job){.due = i % 3, .age = i};
        heap_put(&heap, &jobs[i].node);
    }
    const struct job *last = NULL;
    while (heap_first(&heap)) {
        struct job *job = job_of(heap_first(&heap));
        if (last && !goes_before(last, job))
            fail_msg("%u of age %u after %u of age %u", job->due, job->age,
                     last->due, last->age);
        heap_remove(&heap, &job->node);
        last = job;
    }
    assert_int_equal(last->age, JOBS - 2);
    heap_release(&heap);
}

/* Out of the middle: every position of heaps of every small size. */
static void remove_at_every_place(void **state)
{
    enum { JOBS = 33 };
    struct random random = {5};

    (void)state;
    for (uint32_t count = 1; count <= JOBS; count++)
        for (uint32_t at = 0; at < count; at++) {
            struct job jobs[JOBS] = {0};
            struct heap heap;
            heap_init(&heap, is_before);
            for (uint32_t i = 0; i < count; i++) {
                jobs[i] =
                    (struct job){.due = random_below(&random, 8), .age = i};
                heap_put(&heap, &jobs[i].node);
            }
            struct heap_node *node = heap.node[at];
            heap_remove(&heap, node);
            assert_false(heap_has(node));
            assert_int_equal(heap.count, count - 1);
            check_shape(&heap);
            heap_release(&heap);
        }
}

static void against_a_naive_model(void **state)
{
    enum { JOBS = 200, OPERATIONS = 100000 };
    static struct job jobs[JOBS];
    struct random random = {2024};
    struct heap heap;
    uint32_t age = 0, inside = 0;

    (void)state;
    heap_init(&heap, is_before);
    for (int i = 0; i < OPERATIONS; i++) {
        struct job *job = &jobs[random_below(&random, JOBS)];
        /* Few keys make many ties, many make few. */
        uint32_t due = random_below(&random, i % 2000 < 1000 ? 4 : 1000000);
        bool was_inside = heap_has(&job->node);

        if (!was_inside) {
            job->due = due;
            job->age = age++;
            heap_put(&heap, &job->node);
            inside++;
        } else if (random_below(&random, 2)) {
            job->due = due;
            heap_moved(&heap, &job->node);
        } else {
            heap_remove(&heap, &job->node);
            inside--;
        }
        assert_int_equal(heap.count, inside);
        const struct job *first = naive_first(jobs, JOBS);
        const struct heap_node *got = heap_first(&heap);
        if (got != (first ? &first->node : NULL))
            fail_msg("operation %d: expected age %u, got age %u", i,
                     first ? first->age : 0, got ? job_of(got)->age : 0);
        if (i % 64 == 0)
            check_shape(&heap);
    }
    heap_release(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(equal_keys_by_age),
        cmocka_unit_test(remove_at_every_place),
        cmocka_unit_test(against_a_naive_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
