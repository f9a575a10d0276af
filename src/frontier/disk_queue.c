#include "frontier/disk_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t disk_queue_depth(const struct disk_queue *queue)
{
    return queue->levels ? queue->levels->depth : UINT32_MAX;
}

uint32_t disk_queue_last_depth(const struct disk_queue *queue)
{
    uint32_t depth = 0;

    for (const struct disk_level *level = queue->levels; level;
         level = level->next)
        depth = level->depth;
    return depth;
}

/* Where the level of this depth is, or belongs. */
static struct disk_level **find_level(struct disk_queue *queue, uint32_t depth)
{
    struct disk_level **at = &queue->levels;

    while (*at && (*at)->depth < depth)
        at = &(*at)->next;
    return at;
}

static struct disk_level *level_for(struct disk_queue *queue, uint32_t depth)
{
    struct disk_level **at = find_level(queue, depth);

    if (!*at || (*at)->depth != depth) {
        struct disk_level *level = NEW(struct disk_level);
        level->next = *at;
        level->depth = depth;
        *at = level;
    }
    return *at;
}

static void remove_if_empty(struct disk_queue *queue, struct disk_level *level)
{
    if (level->queue.count)
        return;
    *find_level(queue, level->depth) = level->next;
    free(level);
}

bool disk_queue_add(struct disk_queue *queue, struct spill *spill,
                    uint32_t depth, const struct disk_record *record)
{
    char bytes[sizeof(*record) + URL_LEN_MAX];
    struct str text = record->url.href;

    if (text.len > URL_LEN_MAX)
        return false;
    struct disk_level *level = level_for(queue, depth);
    memcpy(bytes, record, sizeof(*record));
    memcpy(bytes + sizeof(*record), text.ptr, text.len);
    bool good = spill_put(spill, &level->queue,
                          (struct str){bytes, sizeof(*record) + text.len});
    remove_if_empty(queue, level);
    return good;
}

bool disk_queue_take(struct disk_queue *queue, struct spill *spill,
                     uint32_t depth, struct disk_record *record,
                     struct buf *buf)
{
    struct disk_level *level = *find_level(queue, depth);

    assert(level && level->depth == depth);
    if (!spill_take(spill, &level->queue, buf))
        return false;
    memcpy(record, buf->ptr, sizeof(*record));
    record->url.href.ptr = buf->ptr + sizeof(*record);
    remove_if_empty(queue, level);
    return true;
}

void disk_queue_release(struct disk_queue *queue)
{
    while (queue->levels) {
        struct disk_level *level = queue->levels;
        queue->levels = level->next;
        free(level);
    }
    *queue = (struct disk_queue){0};
}

bool disk_queue_is_opened_before(const struct heap_node *a,
                                 const struct heap_node *b)
{
    const struct disk_queue *first = container_of(a, struct disk_queue, node);
    const struct disk_queue *second = container_of(b, struct disk_queue, node);

    if (disk_queue_depth(first) != disk_queue_depth(second))
        return disk_queue_depth(first) < disk_queue_depth(second);
    return first->turn < second->turn;
}
