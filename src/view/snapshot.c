#include "view/snapshot.h"

#include <stdlib.h>

#include "base/mem.h"

const uint64_t view_bucket_ms[SNAPSHOT_BUCKETS] = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000,
};

void view_histogram_add(struct view_histogram *histogram, uint64_t ms)
{
    size_t i = 0;

    while (i < SNAPSHOT_BUCKETS && ms > view_bucket_ms[i])
        i++;
    histogram->count[i]++;
    histogram->sum_ms += ms;
}

struct view_snapshot *view_snapshot_new(void)
{
    struct view_snapshot *snapshot = NEW(struct view_snapshot);

    arena_init(&snapshot->arena);
    return snapshot;
}

void view_snapshot_clear(struct view_snapshot *snapshot)
{
    struct arena arena = snapshot->arena;

    arena_clear(&arena);
    memset(snapshot, 0, sizeof(*snapshot));
    snapshot->arena = arena;
}

void view_snapshot_free(struct view_snapshot *snapshot)
{
    if (!snapshot)
        return;
    arena_release(&snapshot->arena);
    free(snapshot);
}

void view_count_all(struct view_counts *counts, const char *name,
                    uint64_t count)
{
    if (counts->count < SNAPSHOT_NAMED)
        counts->of[counts->count++] = (struct view_named){name, count};
}

void view_count(struct view_counts *counts, const char *name, uint64_t count)
{
    if (count)
        view_count_all(counts, name, count);
}

uint64_t view_counted(const struct view_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->count; i++)
        if (!strcmp(counts->of[i].name, name))
            return counts->of[i].count;
    return 0;
}
