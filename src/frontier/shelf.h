/* A shelf: what waits in the file, the smallest depth first, and of one depth
 * the oldest. Private to src/frontier/.
 *
 * A rung for every depth, each a queue in the file; a crawl has two or three
 * depths at a time. Where depths do not count everything is on one rung. */
#ifndef FRONTIER_SHELF_H
#define FRONTIER_SHELF_H

#include "frontier/spill.h"
#include "ds/heap.h"
#include "url/url.h"

/* What is written there, before the text of the URL. */
struct shelved {
    struct url url; /* its text is elsewhere */
    uint64_t fingerprint, number;
    uint32_t depth, referrer_id, found;
    uint8_t kind, redirects;
    bool lowered; /* its depth is smaller than that it was found with */
};

struct rung {
    struct rung *next; /* deeper */
    uint32_t depth;
    struct spill_queue queue;
};

struct shelf {
    struct heap_node node; /* among all shelves: the order of opening */
    struct rung *rungs;    /* none is empty */
    uint64_t turn;         /* when it was last opened */
    struct shelf *lowered_next;
    bool lowered; /* on the list of those that have something nearer */
};

static inline bool shelf_is_empty(const struct shelf *shelf)
{
    return !shelf->rungs;
}

/* Of the first one there, and of the last; UINT32_MAX and 0 where it is
 * empty. */
uint32_t shelf_depth(const struct shelf *shelf);
uint32_t shelf_last_depth(const struct shelf *shelf);

/* At the end of rung `depth`; false where there is no place for it. */
bool shelf_add(struct shelf *shelf, struct spill *spill, uint32_t depth,
               const struct shelved *shelved, struct str text);

/* The first of rung `depth`, which there is; its text is in `record`, as long
 * as that is not used again. False with errno where it cannot be read. */
bool shelf_take(struct shelf *shelf, struct spill *spill, uint32_t depth,
                struct shelved *shelved, struct buf *record);

/* Without a look at what is there. */
void shelf_release(struct shelf *shelf);

/* The smaller depth first, then who was not opened for longer. */
heap_before_fn shelf_is_opened_before;

#endif
