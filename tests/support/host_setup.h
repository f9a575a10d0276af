/* A frontier whose hosts are set up before their first page: name, robots.txt.
 * Made for these cases, with short names. */
#ifndef TESTS_SUPPORT_HOST_SETUP_H
#define TESTS_SUPPORT_HOST_SETUP_H

#include "frontier/frontier.h"

enum { DELAY_MS = 100, CAUSE = 7 };

struct fixture {
    struct frontier *frontier;
    struct domains *domains;
    struct arena arena;
    uint64_t fingerprint;
};

void set_up(struct fixture *fixture, const struct frontier_options *options);
void tear_down(struct fixture *fixture);

struct url parse(struct fixture *fixture, const char *text);
void put(struct fixture *fixture, const char *text);

/* What is taken at this time: its URL, or "" for nothing. */
struct target *take(struct fixture *fixture, uint64_t now_ms,
                    const char *expected);

/* Its robots.txt is there. */
void move(struct fixture *fixture, struct target *from, const char *to,
          uint64_t now_ms);

/* It is refused so. */
void drop(struct fixture *fixture, struct target *target, enum verdict verdict,
          uint64_t now_ms);

#endif
