#include "view/history.h"

enum {
    RECENT_MS = 600 * 1000,
    STEP_MS = 900, /* points that are closer than this are left out */
    /* The end is estimated once there are points over JUDGED_AFTER_MS, and from
       those of the last JUDGED_MS. */
    JUDGED_AFTER_MS = 5000,
    JUDGED_MS = 60 * 1000,
};

const struct history_point *history_recent(const struct history *history,
                                           size_t i)
{
    return &history->recent[(history->recent_first + i) % HISTORY_POINTS];
}

static const struct history_point *last(const struct history *history)
{
    return history->recent_count
               ? history_recent(history, history->recent_count - 1)
               : NULL;
}

static void drop_oldest(struct history *history)
{
    history->recent_first = (history->recent_first + 1) % HISTORY_POINTS;
    history->recent_count--;
}

static void add_recent(struct history *history,
                       const struct history_point *point)
{
    while (history->recent_count &&
           (history->recent_count == HISTORY_POINTS ||
            history_recent(history, 0)->mono_ms + RECENT_MS < point->mono_ms))
        drop_oldest(history);
    history->recent[(history->recent_first + history->recent_count++) %
                    HISTORY_POINTS] = *point;
}

/* Every other point goes. */
static void thin_out(struct history *history)
{
    size_t kept = 0;

    for (size_t i = 0; i < history->whole_count; i += 2)
        history->whole[kept++] = history->whole[i];
    history->whole_count = kept;
    history->whole_step_ms *= 2;
}

static void add_whole(struct history *history,
                      const struct history_point *point)
{
    if (!history->whole_step_ms)
        history->whole_step_ms = STEP_MS;
    if (history->whole_count &&
        point->mono_ms - history->whole[history->whole_count - 1].mono_ms <
            history->whole_step_ms)
        return;
    if (history->whole_count == HISTORY_POINTS)
        thin_out(history);
    history->whole[history->whole_count++] = *point;
}

void history_add(struct history *history, const struct history_point *point)
{
    const struct history_point *before = last(history);

    if (before && point->mono_ms - before->mono_ms < STEP_MS)
        return;
    add_recent(history, point);
    add_whole(history, point);
}

/* The first point of the last `ms`, or the last one before if nobody looked in
 * that time; NULL if there is only one point. */
static const struct history_point *since(const struct history *history,
                                         uint64_t ms)
{
    const struct history_point *now = last(history), *first = NULL;
    size_t low = 0, high = history->recent_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (history_recent(history, middle)->mono_ms + ms < now->mono_ms)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && low == history->recent_count - 1)
        low--;
    if (low < history->recent_count)
        first = history_recent(history, low);
    return first && first->mono_ms < now->mono_ms ? first : NULL;
}

static double rate(uint64_t now, uint64_t before, uint64_t ms)
{
    return now > before ? (double)(now - before) * 1000 / (double)ms : 0;
}

struct history_rates history_rates(const struct history *history, uint64_t ms)
{
    const struct history_point *now = last(history),
                               *first = since(history, ms);

    if (!first)
        return (struct history_rates){0};
    uint64_t passed_ms = now->mono_ms - first->mono_ms;
    return (struct history_rates){
        .pages = rate(now->pages, first->pages, passed_ms),
        .failures = rate(now->failures, first->failures, passed_ms),
    };
}

static uint64_t time_for(uint64_t left, double a_second)
{
    double ms = (double)left * 1000 / a_second;

    return ms < (double)(UINT64_MAX / 2) ? (uint64_t)ms : UINT64_MAX / 2;
}

/* The point from `first` on with the longest queue; of equal ones the latest.
 */
static const struct history_point *peak(const struct history *history,
                                        const struct history_point *first)
{
    const struct history_point *most = last(history);

    for (size_t i = history->recent_count; i--;) {
        const struct history_point *point = history_recent(history, i);
        if (point->queued > most->queued)
            most = point;
        if (point == first)
            break;
    }
    return most;
}

enum history_end history_expected(const struct history *history,
                                  uint64_t queued, uint64_t pages_left,
                                  uint64_t slowest_ms, uint64_t *left_ms)
{
    const struct history_point *now = last(history),
                               *first = since(history, JUDGED_MS);
    uint64_t by_pages_ms = UINT64_MAX, by_queue_ms = UINT64_MAX;

    if (!first || now->mono_ms - first->mono_ms < JUDGED_AFTER_MS)
        return HISTORY_UNKNOWN;
    const struct history_point *most = peak(history, first);
    uint64_t falling_ms = now->mono_ms - most->mono_ms;
    double pages =
        rate(now->pages, first->pages, now->mono_ms - first->mono_ms);
    if (pages_left != UINT64_MAX && pages > 0)
        by_pages_ms = time_for(pages_left, pages);
    if (falling_ms >= JUDGED_AFTER_MS)
        by_queue_ms =
            time_for(queued, rate(most->queued, now->queued, falling_ms));
    if (by_queue_ms < slowest_ms)
        by_queue_ms = slowest_ms;
    *left_ms = by_pages_ms < by_queue_ms ? by_pages_ms : by_queue_ms;
    if (*left_ms != UINT64_MAX)
        return HISTORY_EXPECTED;
    return now->queued > first->queued ? HISTORY_GROWS : HISTORY_UNKNOWN;
}
