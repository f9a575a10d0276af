/* Queues of records that need no memory: all of them share one file without a
 * name, which is gone with the program, however it ends.
 *
 *     struct spill *spill = spill_new(dir_fd);
 *     struct spill_queue queue = {0};
 *     if (spill_put(spill, &queue, record))
 *         ...
 *     spill_take(spill, &queue, &buf);
 *
 * First in, first out. The file is one of blocks: a queue is a chain of them,
 * and what was taken is used again. A few records in a row for the same queue
 * cost one system call.
 */
#ifndef FRONTIER_SPILL_H
#define FRONTIER_SPILL_H

#include "base/buf.h"

struct spill;

enum { SPILL_RECORD_MAX = 12 * 1024 };

/* All 0: empty. It must not move while it holds records. */
struct spill_queue {
    uint32_t head, tail; /* blocks, from 1 on */
    uint16_t head_at, tail_at;
    uint32_t count; /* of records */
};

/* The file is made below `dir_fd` when the first record is put. */
struct spill *spill_new(int dir_fd);
void spill_free(struct spill *spill);

/* False with errno: there is no place for it, and nothing has changed. */
bool spill_put(struct spill *spill, struct spill_queue *queue,
               struct str record);

/* The oldest record of a queue that has one replaces what is in `record`.
 * False with errno: the file cannot be read any more. */
bool spill_take(struct spill *spill, struct spill_queue *queue,
                struct buf *record);

#endif
