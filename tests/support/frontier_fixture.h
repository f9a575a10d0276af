/* A frontier for cases that are told step by step, with short names. */
#ifndef TESTS_SUPPORT_FRONTIER_FIXTURE_H
#define TESTS_SUPPORT_FRONTIER_FIXTURE_H

#include "frontier/frontier.h"

enum { DELAY_MS = 100, CAUSE = 7 };

struct fixture {
    struct frontier *frontier;
    struct domains *domains;
    struct arena arena;
};

/* With these options, but for the domains; one fetch per host unless they say
 * otherwise; changes are reported. */
void set_up(struct fixture *fixture, const struct frontier_options *options);
void tear_down(struct fixture *fixture);

/* The same with one step of the setup of hosts: with `resolve` their names are
 * looked up, else robots.txt is asked for, with pauses of DELAY_MS. */
void set_up_hosts(struct fixture *fixture,
                  const struct frontier_options *options);

/* Valid until the end. */
const struct url *parse(struct fixture *fixture, const char *text);
void put(struct fixture *fixture, const char *text);

/* The target that is taken at this time has this URL; "": there is none. */
struct target *take(struct fixture *fixture, uint64_t now_ms,
                    const char *expected);

/* The robots.txt `from` redirects to `to`. */
void move(struct fixture *fixture, struct target *from, const char *to,
          uint64_t now_ms);

/* The target is refused so. */
void drop(struct fixture *fixture, struct target *target, enum verdict verdict,
          uint64_t now_ms);

#endif
