/* The bodies in flight of one fetcher: buffers that are used again, and a
 * budget for all of them together.
 *
 * A page is small, so what counts is only what a body has beyond BODY_SMALL:
 * usual pages never wait. A large one that would pass the budget has to, until
 * others have ended. One at a time may pass it nevertheless, so that there is
 * always one that gets on and will end. Hence what is in memory is at most
 * BODY_SMALL for each, the budget, and one large page more.
 */
#ifndef PAGE_BODIES_H
#define PAGE_BODIES_H

#include "base/buf.h"

enum { BODY_SMALL = 128 * 1024, BODIES_SPARE = 8 };

struct bodies {
    size_t budget, used;
    const struct buf *leader; /* who may pass the budget; NULL if none had to */
    bool is_awaited;          /* somebody was told to wait */
    struct buf spare[BODIES_SPARE];
    size_t spares;
};

void bodies_init(struct bodies *bodies, size_t budget);
void bodies_release(struct bodies *bodies);

enum body_put { BODY_PUT, BODY_WAIT, BODY_FULL };

/* Append to a body, which begins as an empty buffer with a cap. BODY_FULL is
 * past that; with BODY_WAIT nothing was added, and it may be tried again when
 * bodies_take_call says so. */
enum body_put bodies_put(struct bodies *bodies, struct buf *body,
                         struct str bytes);

/* Its bytes are not needed any more. The buffer is empty after. */
void bodies_drop(struct bodies *bodies, struct buf *body);

/* Is it time for all who wait to try again? True once, until another waits. */
bool bodies_take_call(struct bodies *bodies);

#endif
