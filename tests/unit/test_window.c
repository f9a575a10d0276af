/* The window of questions in flight: what answers and losses make of it, and
 * how long an answer may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "names/window.h"

/* --- the size ----------------------------------------------------------- */

enum what { ANSWERED, REFUSED, LOST };

/* `count` questions of a full window end so, all at this time. */
struct step {
    enum what what;
    unsigned count;
    uint64_t at_ms;
    unsigned size; /* after it */
};

static void take_step(struct window *window, const struct step *step)
{
    for (unsigned i = 0; i < step->count; i++) {
        while (window_has_room(window))
            window_asked(window);
        window_left(window);
        if (step->what == ANSWERED)
            window_answered(window);
        else if (step->what == REFUSED)
            window_refused(window, step->at_ms);
        else
            window_lost(window, step->at_ms);
    }
}

static void grows_and_is_halved(void **state)
{
    static const struct {
        const char *label;
        struct step step[8];
    } rows[] = {
        {"it grows by one until what every server holds, then slower",
         {{ANSWERED, 1, 0, 33},
          {ANSWERED, 31, 50, 64},
          {ANSWERED, 64, 100, 128},
          {ANSWERED, 128, 150, 144},
          {ANSWERED, 144, 200, 162}}},
        {"a refusal halves it, and then it grows by one a round trip",
         {{ANSWERED, 68, 0, 100},
          {REFUSED, 1, 10, 50},
          {ANSWERED, 51, 60, 51},
          {ANSWERED, 52, 110, 52}}},
        {"the refusals of one moment halve it once",
         {{ANSWERED, 68, 0, 100},
          {REFUSED, 20, 10, 50},
          {REFUSED, 20, 259, 50},
          {REFUSED, 20, 260, 25}}},
        {"it is never below eight",
         {{REFUSED, 1, 0, 16},
          {REFUSED, 1, 1000, 8},
          {REFUSED, 1, 2000, 8},
          {LOST, 1, 3000, 8}}},
        {"a name in ten is dead: that is nothing",
         {{ANSWERED, 68, 0, 100},
          {LOST, 1, 300, 100},
          {ANSWERED, 9, 350, 109},
          {LOST, 1, 650, 109},
          {ANSWERED, 9, 700, 118}}},
        {"one in eight is lost: it is halved",
         {{ANSWERED, 68, 0, 100}, {LOST, 9, 300, 100}, {LOST, 1, 300, 50}}},
        {"nothing is answered at all",
         {{LOST, 1, 2000, 16},
          {LOST, 15, 2249, 16},
          {LOST, 1, 2250, 8},
          {LOST, 99, 9000, 8}}},
        {"losses of long ago are forgotten",
         {{ANSWERED, 68, 0, 100},
          {LOST, 9, 300, 100},
          {ANSWERED, 2048, 9000, 380},
          {LOST, 9, 9300, 380}}},
        {"so are answers",
         {{ANSWERED, 100, 0, 128},
          {ANSWERED, 1000, 300, 253},
          {LOST, 37, 300, 126}}},
        {"there is an end to it", {{ANSWERED, 100000, 0, 640}}},
    };

    (void)state;
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        struct window window;
        const struct step *step = rows[row].step;

        window_init(&window);
        assert_int_equal(window.size, 32);
        for (; step < rows[row].step + 8 && step->count; step++) {
            take_step(&window, step);
            if ((unsigned)window.size != step->size)
                fail_msg("%s, step %d: %f", rows[row].label,
                         (int)(step - rows[row].step) + 1, window.size);
        }
    }
}

/* Questions leave as they came: as many fit as the size says. */
static void so_many_fit(void **state)
{
    struct window window;
    unsigned count = 0;

    (void)state;
    window_init(&window);
    for (; window_has_room(&window); count++)
        window_asked(&window);
    assert_int_equal(count, 32);
    window_left(&window);
    assert_true(window_has_room(&window));
    window_refused(&window, 0);
    for (count = 31; !window_has_room(&window); count--)
        window_left(&window);
    assert_int_equal(count, 15);
}

/* A name now and then for days, and then a thousand at once: the first are as
 * few as ever. */
static void a_window_that_is_not_used_does_not_grow(void **state)
{
    struct window window;

    (void)state;
    window_init(&window);
    for (int i = 0; i < 100000; i++) {
        for (int k = 0; k < 8; k++)
            window_asked(&window);
        for (int k = 0; k < 8; k++) {
            window_left(&window);
            window_answered(&window);
        }
    }
    assert_int_equal(window.size, 32);
}

/* --- the time ----------------------------------------------------------- */

static void three_times_what_answers_take(void **state)
{
    static const struct {
        const char *label;
        uint64_t took_ms[4];
        unsigned time_out_ms;
    } rows[] = {
        {"nothing is known", {0}, 2000},
        {"a fast server", {1}, 300},
        {"as fast as can be measured", {100, 100}, 300},
        {"three times", {200}, 600},
        {"a slow server", {700}, 2000},
        {"an eighth of what is new", {200, 280}, 630},
        {"and again", {200, 280, 210}, 630},
    };

    (void)state;
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        struct window window;

        window_init(&window);
        for (int i = 0; rows[row].took_ms[i]; i++)
            window_measured(&window, rows[row].took_ms[i]);
        if (window_time_out_ms(&window) != rows[row].time_out_ms)
            fail_msg("%s: %u ms", rows[row].label, window_time_out_ms(&window));
    }
}

static void a_server_that_answers_at_once(void **state)
{
    struct window window;

    (void)state;
    window_init(&window);
    window_measured(&window, 0);
    assert_int_equal(window_time_out_ms(&window), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_is_halved),
        cmocka_unit_test(so_many_fit),
        cmocka_unit_test(a_window_that_is_not_used_does_not_grow),
        cmocka_unit_test(three_times_what_answers_take),
        cmocka_unit_test(a_server_that_answers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
