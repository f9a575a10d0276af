/* How many questions may be with the name servers at a time, and how long their
 * answers may take.
 *
 * A name server that gets more than it can hold loses questions, and a lost
 * question costs seconds. How many it can hold nobody says: dnsmasq takes 150
 * and refuses the rest, others take what fits into their socket's buffer. So,
 * as with TCP, the window begins small, grows with the answers, and is halved
 * when questions are lost.
 *
 *     while (there is a question && window_has_room(&window))
 *         ... ask it; window_asked(&window);
 *
 * Each of them leaves the window once, by window_left: when it has ended, or is
 * older than window_time_out_ms. Then tell what there is to learn from it:
 *
 * - answered: the window grows. It grows by one until WINDOW_SURE, then by an
 *   eighth; after it was halved by 1/size, so by one a round trip.
 * - refused: the server is too busy. The window is halved, but not twice within
 *   WINDOW_HALVE_MS, in which there are only the losses of before.
 * - lost: no answer in time, or one that says "failed". The server may be too
 *   busy, or the domain may be dead. Of a hundred names that pages mention some
 *   are dead, whatever the window is. So it is halved only if more than one in
 *   WINDOW_LOST_SHARE has been lost lately.
 */
#ifndef NAMES_WINDOW_H
#define NAMES_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WINDOW_BEGIN = 32,
    WINDOW_MIN = 8,
    /* The buffer of a socket holds twice as many where nobody has set another
     * size (Linux: 212,992 bytes, 277 questions), and dnsmasq takes them. */
    WINDOW_SURE = 128,
    /* 5,000 names a second, two questions each, where an answer takes 50 ms.
     * unbound takes 512. */
    WINDOW_MAX = 640,
    WINDOW_HALVE_MS = 250,
    WINDOW_LOST_SHARE = 8,
    WINDOW_TIME_OUT_MIN_MS = 300,
    WINDOW_TIME_OUT_MAX_MS = 2000, /* also before the first answer */
};

struct window {
    double size;        /* questions that may be in flight */
    unsigned in_flight; /* more than `size` for a while after a halving */
    bool was_halved;
    uint64_t quiet_until_ms; /* losses before that count for nothing */
    unsigned answered, lost; /* lately: older ones count less and less */
    double round_trip_ms;    /* on average; 0: no answer yet */
};

void window_init(struct window *window);

bool window_has_room(const struct window *window);
void window_asked(struct window *window);
void window_left(struct window *window);

void window_answered(struct window *window);
void window_refused(struct window *window, uint64_t now_ms);
void window_lost(struct window *window, uint64_t now_ms);

/* An answer has taken so long. It may have left the window before. */
void window_measured(struct window *window, uint64_t took_ms);

/* Three times the average. */
unsigned window_time_out_ms(const struct window *window);

#endif
