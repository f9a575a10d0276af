#include "names/window.h"

enum { LATELY = 256 }; /* questions */

void window_init(struct window *window)
{
    *window = (struct window){.size = WINDOW_BEGIN};
}

bool window_has_room(const struct window *window)
{
    return window->in_flight < (unsigned)window->size;
}

void window_asked(struct window *window)
{
    window->in_flight++;
}

void window_left(struct window *window)
{
    window->in_flight--;
}

static void forget_some(struct window *window)
{
    if (window->answered + window->lost < LATELY)
        return;
    window->answered /= 2;
    window->lost /= 2;
}

void window_answered(struct window *window)
{
    window->answered++;
    forget_some(window);
    /* A window that is not used does not show what the server can hold. */
    if (window->in_flight < (unsigned)window->size / 2)
        return;
    if (window->was_halved)
        window->size += 1 / window->size;
    else
        window->size += window->size < WINDOW_SURE ? 1 : 1.0 / 8;
    if (window->size > WINDOW_MAX)
        window->size = WINDOW_MAX;
}

static void halve(struct window *window, uint64_t now_ms)
{
    window->was_halved = true;
    window->size /= 2;
    if (window->size < WINDOW_MIN)
        window->size = WINDOW_MIN;
    window->answered = window->lost = 0;
    window->quiet_until_ms = now_ms + WINDOW_HALVE_MS;
}

void window_refused(struct window *window, uint64_t now_ms)
{
    if (now_ms >= window->quiet_until_ms)
        halve(window, now_ms);
}

void window_lost(struct window *window, uint64_t now_ms)
{
    if (now_ms < window->quiet_until_ms)
        return;
    window->lost++;
    forget_some(window);
    if (window->lost * WINDOW_LOST_SHARE > window->answered + window->lost)
        halve(window, now_ms);
}

void window_measured(struct window *window, uint64_t took_ms)
{
    double ms = took_ms ? (double)took_ms : 1;

    if (window->round_trip_ms > 0)
        ms = window->round_trip_ms + (ms - window->round_trip_ms) / 8;
    window->round_trip_ms = ms;
}

unsigned window_time_out_ms(const struct window *window)
{
    double ms = 3 * window->round_trip_ms;

    if (ms <= 0 || ms > WINDOW_TIME_OUT_MAX_MS)
        return WINDOW_TIME_OUT_MAX_MS;
    return ms < WINDOW_TIME_OUT_MIN_MS ? WINDOW_TIME_OUT_MIN_MS : (unsigned)ms;
}
