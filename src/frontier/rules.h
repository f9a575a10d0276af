/* The robots.txt rules of all hosts, which may take only so much memory
 * together. Private to src/frontier/.
 *
 * Invariant: `bytes` is the size of all large rules, and these are in the list,
 * the oldest first. If they take too much the oldest go; their hosts are asked
 * for them again when they are needed. */
#ifndef FRONTIER_RULES_H
#define FRONTIER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/robots.h"

/* The robots.txt of a host, for http or for https. */
struct host_robots {
    struct robots *rules;              /* NULL while known: all is allowed */
    uint64_t until_ms;                 /* ask again then; 0: not known */
    bool slow_rules;                   /* an answer may take milliseconds */
    size_t precheck_work;              /* for links, since the last page */
    struct host_robots *older, *newer; /* in the list */
};

struct rules {
    size_t bytes;
    struct host_robots *oldest, *newest;
};

/* `robots->rules` is freed and replaced; `set` is taken. */
void rules_set(struct rules *rules, struct host_robots *robots,
               struct robots *set);
void rules_drop(struct rules *rules, struct host_robots *robots);

#endif
