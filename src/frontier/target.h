/* A target: a URL that was judged worth fetching and is not done yet.
 *
 * States: QUEUED in its host's queue, RETRYING until its time has come,
 * IN_FLIGHT with a hand. While it is in flight the frontier changes none of
 * its fields, so a hand may read it without a lock. When it is done it is
 * freed; that it was seen is remembered by its fingerprint alone.
 */
#ifndef FRONTIER_TARGET_H
#define FRONTIER_TARGET_H

#include "base/str.h"
#include "ds/heap.h"

struct host;

enum target_state { TARGET_QUEUED, TARGET_RETRYING, TARGET_IN_FLIGHT };

struct target {
    struct heap_node node; /* in its host's queue or among the retries */
    uint32_t depth;
    struct host *host;
    uint64_t fingerprint;
    uint64_t age;         /* smaller is older */
    uint64_t due_ms;      /* RETRYING: when it goes back to its queue */
    uint32_t referrer_id; /* page where it was found, 0 for a seed */
    uint16_t url_len;
    uint8_t tries;     /* fetches that ended in a retry */
    uint8_t redirects; /* hops that led here */
    uint8_t state;
    char url[]; /* NUL-terminated */
};

static inline struct str target_url(const struct target *target)
{
    return (struct str){target->url, target->url_len};
}

#endif
