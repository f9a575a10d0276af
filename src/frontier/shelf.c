#include "frontier/shelf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/container.h"
#include "base/mem.h"

uint32_t shelf_depth(const struct shelf *shelf)
{
    return shelf->rungs ? shelf->rungs->depth : UINT32_MAX;
}

uint32_t shelf_last_depth(const struct shelf *shelf)
{
    uint32_t depth = 0;

    for (const struct rung *rung = shelf->rungs; rung; rung = rung->next)
        depth = rung->depth;
    return depth;
}

/* Where the rung of this depth is, or belongs. */
static struct rung **place_of(struct shelf *shelf, uint32_t depth)
{
    struct rung **at = &shelf->rungs;

    while (*at && (*at)->depth < depth)
        at = &(*at)->next;
    return at;
}

static struct rung *rung_for(struct shelf *shelf, uint32_t depth)
{
    struct rung **at = place_of(shelf, depth);

    if (!*at || (*at)->depth != depth) {
        struct rung *rung = NEW(struct rung);
        rung->next = *at;
        rung->depth = depth;
        *at = rung;
    }
    return *at;
}

static void remove_if_empty(struct shelf *shelf, struct rung *rung)
{
    struct rung **at = &shelf->rungs;

    if (rung->queue.count)
        return;
    while (*at != rung)
        at = &(*at)->next;
    *at = rung->next;
    free(rung);
}

bool shelf_add(struct shelf *shelf, struct spill *spill, uint32_t depth,
               const struct shelved *shelved, struct str text)
{
    char record[sizeof(*shelved) + URL_LEN_MAX];

    if (text.len > URL_LEN_MAX)
        return false;
    struct rung *rung = rung_for(shelf, depth);
    memcpy(record, shelved, sizeof(*shelved));
    memcpy(record + sizeof(*shelved), text.ptr, text.len);
    bool good = spill_put(spill, &rung->queue,
                          (struct str){record, sizeof(*shelved) + text.len});
    remove_if_empty(shelf, rung);
    return good;
}

bool shelf_take(struct shelf *shelf, struct spill *spill, uint32_t depth,
                struct shelved *shelved, struct buf *record)
{
    struct rung *rung = *place_of(shelf, depth);

    assert(rung && rung->depth == depth);
    if (!spill_take(spill, &rung->queue, record))
        return false;
    memcpy(shelved, record->ptr, sizeof(*shelved));
    shelved->url.href.ptr = record->ptr + sizeof(*shelved);
    remove_if_empty(shelf, rung);
    return true;
}

void shelf_release(struct shelf *shelf)
{
    while (shelf->rungs) {
        struct rung *rung = shelf->rungs;
        shelf->rungs = rung->next;
        free(rung);
    }
    *shelf = (struct shelf){0};
}

bool shelf_is_opened_before(const struct heap_node *a,
                            const struct heap_node *b)
{
    const struct shelf *first = container_of(a, struct shelf, node);
    const struct shelf *second = container_of(b, struct shelf, node);

    if (shelf_depth(first) != shelf_depth(second))
        return shelf_depth(first) < shelf_depth(second);
    return first->turn < second->turn;
}
