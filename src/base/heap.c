#include "base/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

void heap_init(struct heap *heap, heap_before_fn *before)
{
    *heap = (struct heap){.before = before};
}

void heap_release(struct heap *heap)
{
    free(heap->node);
    *heap = (struct heap){.before = heap->before};
}

static void set(struct heap *heap, uint32_t at, struct heap_node *node)
{
    heap->node[at] = node;
    node->position = at + 1;
}

static uint32_t sift_up(struct heap *heap, uint32_t at)
{
    struct heap_node *node = heap->node[at];

    while (at > 0) {
        uint32_t parent = (at - 1) / 2;
        if (!heap->before(node, heap->node[parent]))
            break;
        set(heap, at, heap->node[parent]);
        at = parent;
    }
    set(heap, at, node);
    return at;
}

static void sift_down(struct heap *heap, uint32_t at)
{
    struct heap_node *node = heap->node[at];

    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count &&
            heap->before(heap->node[child + 1], heap->node[child]))
            child++;
        if (!heap->before(heap->node[child], node))
            break;
        set(heap, at, heap->node[child]);
        at = child;
    }
    set(heap, at, node);
}

void heap_put(struct heap *heap, struct heap_node *node)
{
    assert(!heap_has(node));
    if (heap->count == heap->room) {
        /* A host with one URL queued is the common case: start small. */
        heap->room = heap->room ? heap->room * 2 : 1;
        heap->node =
            mem_resize(heap->node, heap->room * sizeof(struct heap_node *));
    }
    set(heap, heap->count++, node);
    sift_up(heap, heap->count - 1);
}

void heap_moved(struct heap *heap, struct heap_node *node)
{
    uint32_t at = node->position - 1;

    assert(at < heap->count && heap->node[at] == node);
    if (sift_up(heap, at) == at)
        sift_down(heap, at);
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    uint32_t at = node->position - 1;

    assert(at < heap->count && heap->node[at] == node);
    struct heap_node *last = heap->node[--heap->count];
    node->position = 0;
    if (last != node) {
        set(heap, at, last);
        heap_moved(heap, last);
    }
    if (heap->count == 0) {
        free(heap->node);
        heap->node = NULL;
        heap->room = 0;
    }
}
