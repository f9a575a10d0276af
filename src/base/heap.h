/* A binary heap of nodes that live inside the caller's structs.
 *
 * The node knows its position, so that an entry in the middle can be moved or
 * removed in O(log n). The order is the caller's and must be total: what
 * should come out oldest first needs an age in the comparison.
 *
 *     struct job { struct heap_node node; uint64_t due_ms; };
 *     heap_put(&heap, &job->node);
 *     job->due_ms = 7; heap_moved(&heap, &job->node);
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_node {
    uint32_t position; /* plus 1; 0 where it is in no heap */
};

/* True if `a` must come out before `b`. */
typedef bool heap_before_fn(const struct heap_node *a,
                            const struct heap_node *b);

struct heap {
    struct heap_node **node;
    uint32_t count, room;
    heap_before_fn *before;
};

void heap_init(struct heap *heap, heap_before_fn *before);
void heap_release(struct heap *heap); /* the nodes are the caller's */

static inline bool heap_has(const struct heap_node *node)
{
    return node->position != 0;
}

static inline struct heap_node *heap_first(const struct heap *heap)
{
    return heap->count ? heap->node[0] : NULL;
}

void heap_put(struct heap *heap, struct heap_node *node);
void heap_remove(struct heap *heap, struct heap_node *node);

/* The key of `node`, which is in the heap, has changed. */
void heap_moved(struct heap *heap, struct heap_node *node);

#endif
