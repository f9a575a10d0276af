/* The bodies in flight of one fetcher: buffers that are used again, and a
 * budget for all of them together, and those of other fetchers.
 *
 * A page is small, so what counts is only what a body has beyond BODY_SMALL:
 * usual pages never wait. A large one that would pass the budget has to, until
 * others have ended. One at a time may pass it nevertheless, so that there is
 * always one that gets on and will end. Hence what is in memory is at most
 * BODY_SMALL for each, the budget, and one large page more.
 */
#ifndef PAGE_BODIES_H
#define PAGE_BODIES_H

#include <pthread.h>

#include "base/buf.h"

enum {
    BODY_SMALL = 128 * 1024,
    /* What nobody reads goes to a file from here on, or where it would have to
     * wait. */
    BODY_LARGE = 4 << 20,
    BODIES_SPARE = 8,
    /* One that waited goes on when it can get at least this. It must be more
     * than libcurl has read of it meanwhile, or libcurl reads on for nothing.
     */
    BODY_GO_ON = 512 * 1024,
};

/* Shared by the fetchers of all threads. */
struct body_budget {
    pthread_mutex_t lock;
    size_t bytes, used;
    const struct buf *leader; /* who may pass it; NULL if none had to */
    unsigned waiting;         /* fetchers with a body that waits */
};

void body_budget_init(struct body_budget *budget, size_t bytes);
void body_budget_release(struct body_budget *budget);

/* Count memory that was made of a body and outlives it, and stop counting it.
 * It never waits; bodies wait for it. */
void body_budget_hold(struct body_budget *budget, size_t bytes);
void body_budget_drop(struct body_budget *budget, size_t bytes);

struct bodies {
    struct body_budget *budget;
    size_t used;     /* of it, by these */
    bool is_awaited; /* one of these was told to wait */
    struct buf spare[BODIES_SPARE];
    size_t spares;
};

void bodies_init(struct bodies *bodies, struct body_budget *budget);
void bodies_release(struct bodies *bodies); /* when all are dropped */

enum body_put { BODY_PUT, BODY_WAIT, BODY_FULL };

/* Append to a body, which begins as an empty buffer with a cap. BODY_FULL is
 * past that; with BODY_WAIT nothing was added, and it may be tried again when
 * bodies_have_room says so. */
enum body_put bodies_put(struct bodies *bodies, struct buf *body,
                         struct str bytes);

/* Its bytes are not needed any more. The buffer is empty after. */
void bodies_drop(struct bodies *bodies, struct buf *body);

/* Is it time for one that waits to try again? To be asked before each of them,
 * and now and then, since others may have made room. */
bool bodies_have_room(const struct bodies *bodies);

/* One of these waits, as after BODY_WAIT. */
void bodies_await(struct bodies *bodies);

/* None of these waits any more, for what reason ever. */
void bodies_stop_waiting(struct bodies *bodies);

/* Does one of these have memory that somebody, here or elsewhere, waits for? */
bool bodies_hold_up(const struct bodies *bodies);

#endif
