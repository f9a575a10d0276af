#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "page/bodies.h"
#include "support/random.h"

enum { CAP = 16 << 20, MB = 1 << 20 };

/* `n` more bytes, whatever they are. */
static enum body_put put(struct bodies *bodies, struct buf *body, size_t n)
{
    char *bytes = mem_array(1, n);
    enum body_put result = bodies_put(bodies, body, (struct str){bytes, n});

    free(bytes);
    return result;
}

static void begin(struct body_budget *budget, struct bodies *bodies,
                  size_t bytes)
{
    body_budget_init(budget, bytes);
    bodies_init(bodies, budget);
}

/* All were dropped. */
static void end(struct body_budget *budget, struct bodies *bodies)
{
    assert_int_equal(bodies->used, 0);
    bodies_release(bodies);
    assert_int_equal(budget->used, 0);
    assert_int_equal(budget->waiting, 0);
    assert_null(budget->leader);
    body_budget_release(budget);
}

static void bytes_are_kept(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf body;

    (void)state;
    begin(&budget, &bodies, MB);
    buf_init(&body, 8);
    assert_int_equal(bodies_put(&bodies, &body, STR("hello")), BODY_PUT);
    assert_int_equal(bodies_put(&bodies, &body, STR("4444")), BODY_FULL);
    assert_int_equal(bodies_put(&bodies, &body, STR("123")), BODY_PUT);
    assert_true(str_eq(buf_str(&body), STR("hello123")));
    bodies_drop(&bodies, &body);
    assert_int_equal(body.len, 0);
    assert_int_equal(body.cap, 8);
    end(&budget, &bodies);
}

static void buffers_are_used_again(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf first, second;

    (void)state;
    begin(&budget, &bodies, MB);
    buf_init(&first, CAP);
    buf_init(&second, 100 * 1024);
    put(&bodies, &first, 50 * 1024);
    char *bytes = first.ptr;
    bodies_drop(&bodies, &first);
    put(&bodies, &second, 10);
    assert_ptr_equal(second.ptr, bytes);
    assert_int_equal(second.len, 10);
    assert_int_equal(second.cap, 100 * 1024);
    assert_null(first.ptr);
    bodies_drop(&bodies, &second);
    end(&budget, &bodies);
}

/* What is kept of pages that are gone is little. */
static void few_are_kept(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf body[3 * BODIES_SPARE];

    (void)state;
    begin(&budget, &bodies, 100 * MB);
    for (size_t i = 0; i < ARRAY_LEN(body); i++) {
        buf_init(&body[i], CAP);
        put(&bodies, &body[i], i % 3 ? 1000 : MB);
    }
    for (size_t i = 0; i < ARRAY_LEN(body); i++)
        bodies_drop(&bodies, &body[i]);
    assert_int_equal(bodies.spares, BODIES_SPARE);
    for (size_t i = 0; i < bodies.spares; i++)
        assert_in_range(bodies.spare[i].room, 1, MB / 4);
    end(&budget, &bodies);
}

static void small_ones_never_wait(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf large, other, small;

    (void)state;
    begin(&budget, &bodies, 2 * MB);
    buf_init(&large, CAP);
    buf_init(&other, CAP);
    buf_init(&small, CAP);
    assert_int_equal(put(&bodies, &large, 4 * MB), BODY_PUT);
    assert_int_equal(put(&bodies, &small, BODY_SMALL), BODY_PUT);
    assert_int_equal(put(&bodies, &other, BODY_SMALL + 1), BODY_WAIT);
    assert_int_equal(other.len, 0);
    assert_int_equal(put(&bodies, &small, 1), BODY_WAIT);
    assert_int_equal(small.len, BODY_SMALL);
    bodies_drop(&bodies, &large);
    bodies_drop(&bodies, &other);
    bodies_drop(&bodies, &small);
    end(&budget, &bodies);
}

static void who_waits_goes_on_when_there_is_room(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf a, b, c;

    (void)state;
    begin(&budget, &bodies, 2 * MB);
    buf_init(&a, CAP);
    buf_init(&b, CAP);
    buf_init(&c, CAP);
    assert_true(bodies_have_room(&bodies));
    put(&bodies, &c, MB);
    assert_true(bodies_have_room(&bodies));
    put(&bodies, &a, 2 * MB); /* leads */
    assert_false(bodies_have_room(&bodies));
    assert_int_equal(put(&bodies, &b, MB), BODY_WAIT);
    assert_false(bodies_have_room(&bodies)); /* nothing has changed */

    /* The leader goes on, however much there is, up to its cap. */
    assert_int_equal(put(&bodies, &a, 14 * MB), BODY_PUT);
    assert_int_equal(put(&bodies, &a, 1), BODY_FULL);
    assert_false(bodies_have_room(&bodies));

    bodies_drop(&bodies, &a);
    assert_true(bodies_have_room(&bodies));
    bodies_stop_waiting(&bodies);
    assert_int_equal(put(&bodies, &b, MB), BODY_PUT);
    bodies_drop(&bodies, &b);
    bodies_drop(&bodies, &c);
    end(&budget, &bodies);
}

/* A little room is none: what is left with libcurl would not fit. */
static void little_room_is_none(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf leader, a, b;

    (void)state;
    begin(&budget, &bodies, 4 * MB);
    buf_init(&leader, CAP);
    buf_init(&a, CAP);
    buf_init(&b, CAP);
    put(&bodies, &a, BODY_SMALL + MB);
    put(&bodies, &b, BODY_SMALL + 1);
    put(&bodies, &leader, BODY_SMALL + 3 * MB);
    assert_ptr_equal(budget.leader, &leader);
    bodies_drop(&bodies, &b);
    assert_int_equal(budget.used, 4 * MB);
    assert_false(bodies_have_room(&bodies));
    bodies_drop(&bodies, &a);
    put(&bodies, &a, BODY_SMALL + MB - BODY_GO_ON + 1);
    assert_false(bodies_have_room(&bodies));
    bodies_drop(&bodies, &a);
    put(&bodies, &a, BODY_SMALL + MB - BODY_GO_ON);
    assert_true(bodies_have_room(&bodies));
    bodies_drop(&bodies, &a);
    bodies_drop(&bodies, &leader);
    end(&budget, &bodies);
}

/* Many large ones in any order: memory has its bound, all get to their end. */
static void all_end(void **state)
{
    enum { COUNT = 40, PIECE = 64 * 1024, PIECES = 60, BUDGET = 8 * MB };
    struct random random = {1};
    struct buf body[COUNT];
    bool waits[COUNT] = {false};
    size_t want[COUNT], ended = 0;
    struct body_budget budget;
    struct bodies bodies;

    (void)state;
    begin(&budget, &bodies, BUDGET);
    for (size_t i = 0; i < COUNT; i++) {
        buf_init(&body[i], CAP);
        want[i] = PIECE * (1 + random_below(&random, PIECES));
    }
    for (size_t round = 0; ended < COUNT; round++) {
        size_t i = random_below(&random, COUNT), total = 0;
        if (!want[i] || waits[i])
            continue;
        waits[i] = put(&bodies, &body[i], PIECE) == BODY_WAIT;
        for (size_t j = 0; j < COUNT; j++)
            total += body[j].len;
        assert_in_range(total, 0, COUNT * BODY_SMALL + BUDGET + PIECES * PIECE);
        if (body[i].len < want[i])
            continue;
        bodies_drop(&bodies, &body[i]);
        want[i] = 0;
        waits[i] = false;
        ended++;
        for (size_t j = 0; j < COUNT && bodies_have_room(&bodies); j++)
            if (waits[j])
                waits[j] = put(&bodies, &body[j], PIECE) == BODY_WAIT;
        assert_in_range(round, 0, 10000000);
    }
    end(&budget, &bodies);
}

/* Two fetchers: what one has, the other cannot have, and there is one leader.
 */
static void two_share_it(void **state)
{
    struct body_budget budget;
    struct bodies here, there;
    struct buf a, b, c;

    (void)state;
    begin(&budget, &here, 2 * MB);
    bodies_init(&there, &budget);
    buf_init(&a, CAP);
    buf_init(&b, CAP);
    buf_init(&c, CAP);
    assert_int_equal(put(&here, &a, MB), BODY_PUT);
    assert_int_equal(put(&there, &b, 2 * MB), BODY_PUT); /* leads */
    assert_false(bodies_hold_up(&here) || bodies_hold_up(&there));
    assert_int_equal(put(&here, &c, 2 * MB), BODY_WAIT);
    assert_int_equal(put(&here, &a, 2 * MB), BODY_WAIT);
    assert_true(bodies_hold_up(&here) && bodies_hold_up(&there));
    assert_false(bodies_have_room(&here));

    /* Whoever waited was cut off, or has got what it wanted. */
    bodies_stop_waiting(&here);
    assert_false(bodies_hold_up(&here) || bodies_hold_up(&there));
    assert_int_equal(put(&here, &a, 2 * MB), BODY_WAIT);
    bodies_drop(&there, &b);
    assert_false(bodies_hold_up(&there));
    assert_true(bodies_have_room(&here));
    assert_int_equal(put(&here, &a, 2 * MB), BODY_PUT);
    assert_int_equal(put(&there, &b, MB), BODY_WAIT);
    bodies_drop(&here, &a);
    assert_true(bodies_have_room(&there));
    bodies_drop(&here, &c);
    bodies_stop_waiting(&here);
    bodies_release(&there);
    end(&budget, &here);
}

/* Memory that outlives a body makes other bodies wait, and only them. */
static void held_memory_counts(void **state)
{
    struct body_budget budget;
    struct bodies bodies;
    struct buf first, second, small;

    (void)state;
    begin(&budget, &bodies, MB);
    buf_init(&first, CAP);
    buf_init(&second, CAP);
    buf_init(&small, CAP);
    body_budget_hold(&budget, MB);
    assert_int_equal(put(&bodies, &small, BODY_SMALL), BODY_PUT);
    /* One may always go on. */
    assert_int_equal(put(&bodies, &first, MB), BODY_PUT);
    assert_int_equal(put(&bodies, &second, MB), BODY_WAIT);
    bodies_drop(&bodies, &first);
    body_budget_drop(&budget, MB);
    assert_true(bodies_have_room(&bodies));
    bodies_stop_waiting(&bodies);
    assert_int_equal(put(&bodies, &second, MB), BODY_PUT);
    bodies_drop(&bodies, &second);
    bodies_drop(&bodies, &small);
    end(&budget, &bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_kept),
        cmocka_unit_test(buffers_are_used_again),
        cmocka_unit_test(few_are_kept),
        cmocka_unit_test(small_ones_never_wait),
        cmocka_unit_test(who_waits_goes_on_when_there_is_room),
        cmocka_unit_test(little_room_is_none),
        cmocka_unit_test(all_end),
        cmocka_unit_test(two_share_it),
        cmocka_unit_test(held_memory_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
