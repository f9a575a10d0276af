#include "report/pauses.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/container.h"
#include "base/hash.h"
#include "base/mem.h"
#include "ds/heap.h"

/* Times are whole milliseconds, of two clocks where a crawl was resumed. */
enum { ROUNDING_MS = 2 };

void pauses_init(struct pauses *pauses, uint64_t seed)
{
    *pauses = (struct pauses){.seed = seed};
    hashtable_init(&pauses->hosts);
    arena_init(&pauses->arena);
}

void pauses_release(struct pauses *pauses)
{
    hashtable_release(&pauses->hosts);
    arena_release(&pauses->arena);
    free(pauses->fetch);
    free(pauses->name);
}

uint32_t pauses_host(struct pauses *pauses, struct str name)
{
    uint64_t key = hash64(name, pauses->seed);
    uint32_t *host = hashtable_get(&pauses->hosts, key);

    if (host)
        return *host;
    host = arena_new(&pauses->arena, sizeof(*host));
    hashtable_put(&pauses->hosts, key, host);
    *host = (uint32_t)pauses->hosts.count;
    pauses->name = mem_grow(pauses->name, *host, &pauses->hosts_room,
                            sizeof(*pauses->name));
    pauses->name[*host] = arena_copy(&pauses->arena, name);
    return *host;
}

void pauses_add(struct pauses *pauses, const struct pause_fetch *fetch)
{
    pauses->fetch = mem_grow(pauses->fetch, pauses->count, &pauses->room,
                             sizeof(*pauses->fetch));
    pauses->fetch[pauses->count++] = *fetch;
}

/* --- the check ---------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct pause_fetch *one = a, *other = b;

    if (one->host != other->host)
        return one->host < other->host ? -1 : 1;
    if (one->start_ms != other->start_ms)
        return one->start_ms < other->start_ms ? -1 : 1;
    return 0;
}

struct pause_end {
    struct heap_node node;
    uint64_t ms;
};

/* The times at which pauses end, of them the `room` latest: a heap with the
 * earliest of those on top. It is full where so many fetches were before. */
struct latest {
    struct heap heap;
    struct pause_end *end;
    size_t room;
};

static struct pause_end *end_of(const struct heap_node *node)
{
    return container_of(node, struct pause_end, node);
}

static bool ends_before(const struct heap_node *a, const struct heap_node *b)
{
    return end_of(a)->ms < end_of(b)->ms;
}

static void add_end(struct latest *latest, uint64_t ms)
{
    struct heap *heap = &latest->heap;

    if (heap->count < latest->room) {
        latest->end[heap->count].ms = ms;
        heap_put(heap, &latest->end[heap->count].node);
    } else if (ms > end_of(heap_first(heap))->ms) {
        end_of(heap_first(heap))->ms = ms;
        heap_moved(heap, heap_first(heap));
    }
}

static void forget_ends(struct latest *latest)
{
    while (latest->heap.count)
        heap_remove(&latest->heap, heap_first(&latest->heap));
}

static void check_start(const struct pauses *pauses,
                        const struct pause_fetch *fetch,
                        const struct latest *latest, struct findings *findings)
{
    struct str name = pauses->name[fetch->host];
    char at[CLOCK_ISO_LEN + 1];

    if (latest->heap.count < latest->room)
        return;
    uint64_t end_ms = end_of(heap_first(&latest->heap))->ms;
    if (fetch->start_ms + ROUNDING_MS >= end_ms)
        return;
    clock_format_iso(fetch->start_ms, at);
    findings_add(findings, FINDING_PAUSE,
                 "%.*s: asked at %s, %llu ms before its pause was over",
                 (int)name.len, name.ptr, at,
                 (unsigned long long)(end_ms - fetch->start_ms));
}

void pauses_check(struct pauses *pauses, uint32_t per_host,
                  struct findings *findings)
{
    struct latest latest = {
        .end = mem_array(per_host, sizeof(*latest.end)),
        .room = per_host,
    };
    uint32_t host = 0;

    heap_init(&latest.heap, ends_before);
    if (pauses->count)
        qsort(pauses->fetch, pauses->count, sizeof(*pauses->fetch), compare);
    for (size_t i = 0; i < pauses->count; i++) {
        const struct pause_fetch *fetch = &pauses->fetch[i];
        if (!fetch->host)
            continue;
        if (fetch->host != host)
            forget_ends(&latest);
        host = fetch->host;
        check_start(pauses, fetch, &latest, findings);
        /* Without a pause there is nothing to wait for. */
        if (fetch->pause_ms)
            add_end(&latest, fetch->start_ms + fetch->ms + fetch->pause_ms);
    }
    heap_release(&latest.heap);
    free(latest.end);
}
