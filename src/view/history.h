/* The counters of a crawl over time: for plots, for rates, and for the time at
 * which it is expected to end.
 *
 * Two rings of at most HISTORY_POINTS points: one a second of the last ten
 * minutes, and the whole run at equal distances, which double each time that
 * the ring is full. Pure: time comes with the points.
 */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include <stddef.h>
#include <stdint.h>

enum { HISTORY_POINTS = 600 };

struct history_point {
    uint64_t at_ms, mono_ms;
    uint64_t pages, failures, found, fetched, queued;
};

struct history {
    struct history_point recent[HISTORY_POINTS];
    size_t recent_count, recent_first;
    struct history_point whole[HISTORY_POINTS];
    size_t whole_count;
    uint64_t whole_step_ms;
};

void history_add(struct history *history, const struct history_point *point);

/* From the oldest, 0, on. */
const struct history_point *history_recent(const struct history *history,
                                           size_t i);

struct history_rates {
    double pages, failures; /* a second */
};
/* Over the last `ms`; longer if there is no older point in that time, shorter
 * if there is none at all. */
struct history_rates history_rates(const struct history *history, uint64_t ms);

/* When will it be over? */
enum history_end {
    HISTORY_UNKNOWN,  /* too early to tell */
    HISTORY_GROWS,    /* the queue grows, or has just grown */
    HISTORY_EXPECTED, /* in `*left_ms` */
};
/* `queued` URLs are left, and `pages_left` pages until a limit (UINT64_MAX:
 * none). The queue is compared with the most of the last minute, because the
 * first pages of a crawl fill it in a moment. It does not end before
 * `slowest_ms`, which one host needs for its own pauses. */
enum history_end history_expected(const struct history *history,
                                  uint64_t queued, uint64_t pages_left,
                                  uint64_t slowest_ms, uint64_t *left_ms);

#endif
