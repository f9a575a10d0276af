/* A queue that does not fit into memory. Two frontiers are told the same: one
 * has room for all, the other for next to nothing. */
#ifndef TESTS_SUPPORT_TWINS_H
#define TESTS_SUPPORT_TWINS_H

#include "frontier/frontier.h"
#include "support/random.h"

enum { ROOM = 0, DISK = 1, BOTH = 2, SMALL = 16 * 1024 };

struct twins {
    struct frontier *frontier[BOTH];
    struct domains *domains;
    int dir_fd;
    struct arena arena;
    struct seen seen; /* of the one with a disk queue */
    uint64_t now_ms, urls;
    size_t most_in_memory;
};

/* Like these options, with SMALL for the queue of the one with disk queues, or
 * what they say. */
void twins_begin(struct twins *twins, const struct frontier_options *like);
void twins_end(struct twins *twins);

/* URL `number` of an origin; `url` and the offer are good until the next. */
struct offer twins_offer_of(struct twins *twins, const char *origin,
                            uint64_t number, uint32_t depth, struct url *url);

/* Both are told of a new URL of the origin, or of "http://h%u.example" with
 * this number. */
void twins_put(struct twins *twins, const char *origin, uint32_t depth);
void twins_put_numbered(struct twins *twins, const char *origin,
                        unsigned number, uint32_t depth);

/* Both give the same target, or neither has one. */
bool twins_take(struct twins *twins, struct target *target[BOTH]);
void twins_done_both(struct twins *twins, struct target *target[BOTH]);

/* However it ends; some are tried again, none where the state is 0. */
void twins_finish(struct twins *twins, struct target *target[BOTH],
                  struct random *random);

/* Of the one with disk queues alone. */
struct target *twins_next(struct twins *twins);
void twins_done(struct twins *twins, struct target *target);

#endif
