/* A queue in a file: the smallest depth first, and of one depth the oldest.
 * Private to src/frontier/.
 *
 * Invariant: one level for every depth, none of them empty, in ascending
 * order; each is first in, first out. A crawl has two or three depths at a
 * time. Where depths do not count everything is on one level. */
#ifndef FRONTIER_DISK_QUEUE_H
#define FRONTIER_DISK_QUEUE_H

#include <assert.h>

#include "base/heap.h"
#include "frontier/spill.h"
#include "web/url.h"

/* A queued URL, as it is written before its text. */
struct disk_record {
    struct url url; /* its text is elsewhere */
    uint64_t fingerprint, number;
    uint32_t depth, referrer_id, found;
    uint16_t referrer_machine;
    uint8_t redirects;
    unsigned kind : 4, nesting : 3;
    bool shortened : 1; /* its depth is smaller than that it was found with */
};
static_assert(sizeof(struct disk_record) == 64, "there may be many on disk");
enum { DISK_RECORD_KINDS = 15 };

struct disk_level {
    struct disk_level *next; /* deeper */
    uint32_t depth;
    struct spill_queue queue;
};

struct disk_queue {
    struct heap_node node; /* among all disk queues: the order of opening */
    struct disk_level *levels;
    uint64_t turn; /* when it was last opened */
    struct disk_queue *shortened_next;
    bool is_apart;  /* it is not among those that are opened for a depth */
    bool shortened; /* in the list of those with a URL to move up */
};

static inline bool disk_queue_is_empty(const struct disk_queue *queue)
{
    return !queue->levels;
}

/* The depth of its first URL, UINT32_MAX if it is empty; the depth of its last
 * one, 0 if it is empty. */
uint32_t disk_queue_depth(const struct disk_queue *queue);
uint32_t disk_queue_last_depth(const struct disk_queue *queue);

/* At the end of level `depth`; false if the file cannot be written. */
bool disk_queue_add(struct disk_queue *queue, struct spill *spill,
                    uint32_t depth, const struct disk_record *record);

/* The first of level `depth`, which exists; its text is in `buf` until that is
 * used again. False with errno if it cannot be read. */
bool disk_queue_take(struct disk_queue *queue, struct spill *spill,
                     uint32_t depth, struct disk_record *record,
                     struct buf *buf);

/* The records are left in the file. */
void disk_queue_release(struct disk_queue *queue);

/* The smaller depth first, then the one that was not opened for longer. */
heap_before_fn disk_queue_is_opened_before;

#endif
