#include "fleet/ledger.h"

#include "web/partition.h"

static struct str outcome_name(const struct store_codes *codes, uint8_t outcome)
{
    return outcome < codes->outcomes ? str_of(codes->outcome[outcome].name)
                                     : STR("?");
}

static struct fleet_fetched row_of(const struct store_fetch *fetch,
                                   const struct store_fetched_url *about,
                                   const struct store_codes *codes)
{
    uint32_t part = partition_of_number(fetch->number);

    return (struct fleet_fetched){
        .part = part,
        .number = fetch->number - partition_number(part, 0),
        .page = fetch->page,
        .at_ms = fetch->end_ms,
        .ms = fetch->end_ms - fetch->start_ms,
        .status = fetch->status,
        .depth = about->depth,
        .size = fetch->size,
        .digest = fetch->digest,
        .outcome = outcome_name(codes, fetch->outcome),
        .mime = fetch->mime,
        .url = about->url,
        .target = fetch->target,
    };
}

const struct fleet_fetched *ledger_rows(const struct store_batch *const *batch,
                                        size_t batches,
                                        const struct store_codes *codes,
                                        struct arena *arena, size_t *count)
{
    size_t room = 0;

    *count = 0;
    for (size_t i = 0; i < batches; i++)
        room += batch[i]->fetched_url.count;
    if (!room)
        return NULL;
    struct fleet_fetched *rows = arena_new(arena, room * sizeof(*rows));
    for (size_t i = 0; i < batches; i++) {
        const struct store_fetch *fetch = batch[i]->rows[ROW_fetch].item;
        const struct store_fetched_url *about = batch[i]->fetched_url.item;

        for (size_t at = 0; at < batch[i]->fetched_url.count; at++)
            rows[(*count)++] =
                row_of(&fetch[about[at].fetch], &about[at], codes);
    }
    return rows;
}
