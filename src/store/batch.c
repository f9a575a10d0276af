#include "store/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void store_batch_init(struct store_batch *batch)
{
    *batch = (struct store_batch){0};
    arena_init(&batch->text);
}

void store_batch_release(struct store_batch *batch)
{
    for (size_t kind = 0; kind < ROW_KINDS; kind++)
        free(batch->rows[kind].item);
    free(batch->fetched_url.item);
    arena_release(&batch->text);
    *batch = (struct store_batch){0};
}

void store_batch_clear(struct store_batch *batch)
{
    for (size_t kind = 0; kind < ROW_KINDS; kind++)
        batch->rows[kind].count = 0;
    batch->fetched_url.count = 0;
    arena_clear(&batch->text);
}

size_t store_batch_count(const struct store_batch *batch)
{
    size_t count = 0;

    for (size_t kind = 0; kind < ROW_KINDS; kind++)
        count += batch->rows[kind].count;
    return count;
}

size_t store_batch_bytes(const struct store_batch *batch)
{
    size_t bytes = batch->text.used +
                   batch->fetched_url.count * sizeof(struct store_fetched_url);

    for (size_t kind = 0; kind < ROW_KINDS; kind++)
        bytes += batch->rows[kind].count * row_description[kind].size;
    return bytes;
}

void store_add(struct store_batch *batch, enum row_kind kind, const void *row)
{
    struct store_rows *rows = &batch->rows[kind];
    size_t size = row_description[kind].size;

    rows->item = mem_grow(rows->item, rows->count, &rows->room, size);
    void *kept = (char *)rows->item + size * rows->count++;
    memcpy(kept, row, size);
    row_copy_texts(kind, kept, &batch->text);
}

void store_add_fetched_url(struct store_batch *batch, struct str url,
                           uint32_t depth)
{
    struct store_rows *rows = &batch->fetched_url;

    rows->item = mem_grow(rows->item, rows->count, &rows->room,
                          sizeof(struct store_fetched_url));
    ((struct store_fetched_url *)rows->item)[rows->count++] =
        (struct store_fetched_url){
            .fetch = batch->rows[ROW_fetch].count - 1,
            .url = arena_copy(&batch->text, url),
            .depth = depth,
        };
}
