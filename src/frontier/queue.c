#include "frontier/queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/frontier.h"
#include "frontier/host.h"

enum {
    /* The allocator and the tables need this beside the struct itself. */
    TARGET_BYTES = sizeof(struct target) + 64,
};

static struct active *active_with_retries(const struct heap_node *node)
{
    return container_of(node, struct active, queue.node);
}

static struct target *first_retry(const struct active *active)
{
    return target_of(heap_first(&active->queue.retries));
}

static bool target_is_due_before(const struct heap_node *a,
                                 const struct heap_node *b)
{
    return target_of(a)->due_ms < target_of(b)->due_ms;
}

static bool domain_is_due_before(const struct heap_node *a,
                                 const struct heap_node *b)
{
    return first_retry(active_with_retries(a))->due_ms <
           first_retry(active_with_retries(b))->due_ms;
}

void queue_init(struct queue *queue, const struct frontier_options *options,
                const struct ranking *ranking,
                const struct queue_callbacks *callbacks)
{
    *queue = (struct queue){
        .options = options,
        .ranking = ranking,
        .callbacks = *callbacks,
        .level = UINT32_MAX,
    };
    hashtable_init(&queue->targets);
    levels_init(&queue->levels);
    heap_init(&queue->retries, domain_is_due_before);
    queue_init_disk(queue);
}

void queue_release(struct queue *queue)
{
    hashtable_release(&queue->targets);
    levels_release(&queue->levels);
    heap_release(&queue->retries);
    queue_release_disk(queue);
}

static void free_targets(struct heap *heap)
{
    for (size_t i = 0; i < heap->count; i++)
        free(target_of(heap->node[i]));
    heap_release(heap);
}

void queue_release_host(struct host_queue *queue)
{
    free_targets(&queue->targets);
    disk_queue_release(&queue->disk);
}

void queue_init_domain(struct domain_queue *queue)
{
    heap_init(&queue->retries, target_is_due_before);
}

void queue_release_domain(struct domain_queue *queue)
{
    free_targets(&queue->retries);
    disk_queue_release(&queue->disk);
}

bool queue_domain_is_unused(const struct domain_queue *queue)
{
    return !queue->bytes && !queue->retries.count &&
           disk_queue_is_empty(&queue->disk) && !queue->disk.shortened;
}

struct target *queue_new_target(struct queue *queue, struct host *host,
                                const struct offer *offer, uint64_t number)
{
    struct target *target = target_new(host, offer->kind, offer->url);

    target->depth = offer->depth;
    target->fingerprint = offer->fingerprint;
    target->number = number;
    target->referrer_id = offer->referrer_id;
    target->referrer_machine = offer->referrer_machine;
    target->found = offer->found;
    target->redirects = offer->redirects;
    target->nesting = offer->nesting;
    /* A requisite leads to no page, so nothing has to wait for it. */
    target->opens_depth = offer->kind != TARGET_REQUISITE && !host->left_behind;
    if (target->opens_depth)
        levels_add(&queue->levels, target->depth);
    return target;
}

void queue_close(struct queue *queue, const struct target *target)
{
    if (target->opens_depth)
        levels_remove(&queue->levels, target->depth);
}

void queue_note_count(struct queue *queue)
{
    if (queue->most < queue_count(queue))
        queue->most = queue_count(queue);
    if (queue->most_on_disk < queue->on_disk)
        queue->most_on_disk = queue->on_disk;
}

/* --- in the heap of its host --------------------------------------------- */

static size_t bytes_of(const struct target *target)
{
    return TARGET_BYTES + target->url_len;
}

static void add_to_heap(struct queue *queue, struct target *target)
{
    struct host_queue *host = &target->host->queue;
    struct domain_queue *domain = &target->host->domain->active->queue;
    size_t bytes =
        bytes_of(target) + (host->targets.count ? 0 : QUEUE_HOST_BYTES);

    domain->hosts += !host->targets.count;
    heap_put(&host->targets, &target->node);
    queue->domains += !domain->bytes;
    queue->bytes += bytes;
    if (target->kind == TARGET_REQUISITE)
        queue->requisite_bytes += bytes_of(target);
    domain->bytes += bytes;
    host->bytes += bytes;
}

void queue_put(struct queue *queue, struct target *target)
{
    hashtable_put(&queue->targets, target->fingerprint, target);
    add_to_heap(queue, target);
    queue_note_count(queue);
}

void queue_take(struct queue *queue, struct target *target)
{
    struct host_queue *host = &target->host->queue;
    struct domain_queue *domain = &target->host->domain->active->queue;

    target->priority = (uint32_t)ranking_score(queue->ranking, target);
    queue_keep_depth(queue, target->number, target->fingerprint, target->depth);
    hashtable_take(&queue->targets, target->fingerprint);
    heap_remove(&host->targets, &target->node);
    size_t bytes =
        bytes_of(target) + (host->targets.count ? 0 : QUEUE_HOST_BYTES);
    assert(host->bytes >= bytes && domain->bytes >= bytes);
    queue->bytes -= bytes;
    if (target->kind == TARGET_REQUISITE)
        queue->requisite_bytes -= bytes_of(target);
    domain->bytes -= bytes;
    host->bytes -= bytes;
    domain->hosts -= !host->targets.count;
    queue->domains -= !domain->bytes;
}

void queue_found_again(struct queue *queue, struct target *target,
                       const struct offer *offer)
{
    target->found += offer->found;
    if (target->kind == TARGET_REQUISITE && offer->nesting < target->nesting)
        target->nesting = offer->nesting;
    if (offer->depth < target->depth) {
        if (target->opens_depth) {
            levels_add(&queue->levels, offer->depth);
            levels_remove(&queue->levels, target->depth);
        }
        target->depth = offer->depth;
        target->referrer_id = offer->referrer_id;
        target->referrer_machine = offer->referrer_machine;
    }
    if (target->state == TARGET_QUEUED)
        heap_moved(&target->host->queue.targets, &target->node);
}

static void close_depth(struct queue *queue, struct target *target)
{
    if (target->opens_depth)
        levels_remove(&queue->levels, target->depth);
    target->opens_depth = false;
}

void queue_leave_behind(struct queue *queue, struct host *host)
{
    const struct heap *targets = &host->queue.targets;
    struct active *active = host->domain->active;

    host->left_behind = true;
    for (uint32_t i = 0; i < targets->count; i++)
        close_depth(queue, target_of(targets->node[i]));
    for (uint32_t i = 0; active && i < active->queue.retries.count; i++) {
        struct target *target = target_of(active->queue.retries.node[i]);
        if (target->host == host)
            close_depth(queue, target);
    }
    queue_set_apart(queue, &host->queue.disk);
}

bool queue_is_its_level(const struct queue *queue, const struct target *target)
{
    return !queue->ranking->by_level || !target->opens_depth ||
           (target->depth <= queue->level &&
            target->depth <= levels_lowest(&queue->levels) &&
            target->depth <= queue_disk_depth(queue));
}

/* --- retries ------------------------------------------------------------- */

void queue_put_retry(struct queue *queue, struct target *target,
                     uint64_t due_ms)
{
    struct domain_queue *domain = &target->host->domain->active->queue;

    target->due_ms = due_ms;
    target->state = TARGET_RETRYING;
    target->host->queue.retrying++;
    hashtable_put(&queue->targets, target->fingerprint, target);
    heap_put(&domain->retries, &target->node);
    if (heap_has(&domain->node))
        heap_moved(&queue->retries, &domain->node);
    else
        heap_put(&queue->retries, &domain->node);
    queue_note_count(queue);
}

const struct target *queue_next_retry(const struct queue *queue)
{
    const struct heap_node *node = heap_first(&queue->retries);

    return node ? first_retry(active_with_retries(node)) : NULL;
}

void queue_hasten_retries(struct queue *queue, const struct host *host)
{
    struct active *active = host->domain->active;
    size_t count = 0;

    if (!active || !host->queue.retrying)
        return;
    struct domain_queue *domain = &active->queue;
    struct target **mine =
        mem_array(host->queue.retrying, sizeof(struct target *));
    for (uint32_t i = 0; i < domain->retries.count; i++) {
        struct target *target = target_of(domain->retries.node[i]);
        if (target->host == host)
            mine[count++] = target;
    }
    for (size_t i = 0; i < count; i++) {
        mine[i]->due_ms = 0;
        heap_moved(&domain->retries, &mine[i]->node);
    }
    heap_moved(&queue->retries, &domain->node);
    free(mine);
}

struct target *queue_release_retry(struct queue *queue, struct active *active)
{
    struct domain_queue *domain = &active->queue;
    struct target *target = first_retry(active);

    heap_remove(&domain->retries, &target->node);
    if (domain->retries.count)
        heap_moved(&queue->retries, &domain->node);
    else
        heap_remove(&queue->retries, &domain->node);
    target->state = TARGET_QUEUED;
    target->host->queue.retrying--;
    add_to_heap(queue, target);
    return target;
}

struct target *queue_release_due(struct queue *queue, uint64_t now_ms)
{
    const struct target *target = queue_next_retry(queue);

    if (!target || target->due_ms > now_ms)
        return NULL;
    return queue_release_retry(queue, target->host->domain->active);
}
