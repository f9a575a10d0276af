/* A target: something to fetch that was judged worth it and is not done yet.
 * What is queued beyond the memory for that is no target yet, but a record in
 * a file (frontier/overflow.c).
 *
 * States: QUEUED in its host's queue, RETRYING until its time has come,
 * IN_FLIGHT with a worker. While it is in flight the frontier changes none of
 * its fields, so a worker may read it without a lock. When it is done it is
 * freed; that it was seen is remembered by its fingerprint alone.
 *
 * A host's own errands, the look-up of its name and its robots.txt, are
 * targets too: made when the first page of the host has its turn, given back
 * with frontier_resolved and frontier_robots. Only a robots.txt that moved is
 * ever queued, at the host where it is now.
 */
#ifndef FRONTIER_TARGET_H
#define FRONTIER_TARGET_H

#include "base/str.h"
#include "ds/heap.h"
#include "frontier/verdict.h"

struct host;

enum target_state { TARGET_QUEUED, TARGET_RETRYING, TARGET_IN_FLIGHT };

enum target_kind {
    TARGET_PAGE,
    TARGET_SITEMAP,
    TARGET_RESOLVE, /* look the host's name up */
    TARGET_ROBOTS,  /* fetch its robots.txt */
};

struct target {
    struct heap_node node; /* in its host's queue or among the retries */
    uint32_t depth;
    struct host *host;
    uint64_t fingerprint;
    uint64_t age; /* smaller is older */
    union {
        uint64_t due_ms;    /* RETRYING: when it goes back to its queue */
        struct host *asker; /* TARGET_ROBOTS: the host whose rules these are */
    };
    uint32_t referrer_id; /* page where it was found, 0 for a seed */
    uint32_t found;       /* how often in pages */
    uint32_t priority;    /* in hundredths, when its turn came */
    uint16_t url_len;
    uint8_t tries;        /* fetches that ended in a retry */
    uint8_t redirects;    /* hops that led here */
    uint8_t state;        /* enum target_state */
    uint8_t kind;         /* enum target_kind */
    uint8_t verdict;      /* enum verdict; not ACCEPT: refused at its turn */
    uint8_t last_outcome; /* of HOST_DEAD, ROBOTS_UNKNOWN: see frontier_note */
    uint32_t robots_line; /* that refused it */
    uint32_t changed_at;  /* place in the list of the changed, + 1; 0: not */
    char url[];           /* NUL-terminated */
};

static inline struct str target_url(const struct target *target)
{
    return (struct str){target->url, target->url_len};
}

static inline bool target_is_https(const struct target *target)
{
    return target->url_len > 4 && target->url[4] == 's';
}

#endif
