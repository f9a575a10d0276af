#include "frontier/frontier.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "ds/hashtable.h"
#include "frontier/host.h"
#include "frontier/level.h"

struct frontier {
    struct frontier_options options;
    struct hashtable targets; /* queued and retrying, by fingerprint */
    struct hashtable hosts;   /* by the hash of the name */
    struct hashtable domains;
    struct heap ready;   /* domains */
    struct heap waiting; /* hosts */
    struct heap retries; /* targets */
    struct levels levels;
    uint64_t next_age;
    size_t in_flight;
};

struct frontier *frontier_new(const struct frontier_options *options)
{
    struct frontier *frontier = NEW(struct frontier);

    frontier->options = *options;
    hashtable_init(&frontier->targets);
    hashtable_init(&frontier->hosts);
    hashtable_init(&frontier->domains);
    heap_init(&frontier->ready, domain_is_before);
    heap_init(&frontier->waiting, host_is_due_before);
    heap_init(&frontier->retries, target_is_due_before);
    levels_init(&frontier->levels);
    return frontier;
}

void frontier_free(struct frontier *frontier)
{
    void *item;

    if (!frontier)
        return;
    assert(!frontier->in_flight);
    for (size_t i = 0; i < frontier->retries.count; i++)
        free(target_of(frontier->retries.node[i]));
    for (size_t at = 0; (item = hashtable_next(&frontier->hosts, &at));)
        host_free(item);
    for (size_t at = 0; (item = hashtable_next(&frontier->domains, &at));)
        domain_free(item);
    heap_release(&frontier->ready);
    heap_release(&frontier->waiting);
    heap_release(&frontier->retries);
    hashtable_release(&frontier->targets);
    hashtable_release(&frontier->hosts);
    hashtable_release(&frontier->domains);
    levels_release(&frontier->levels);
    free(frontier);
}

/* A domain stands among the ready ones while a host of it may be asked and
 * fewer fetches are in flight than it may have. */
static void place_domain(struct frontier *frontier, struct domain *domain)
{
    bool belongs =
        domain->ready.count && domain->in_flight < frontier->options.per_host;

    if (belongs && heap_has(&domain->node))
        heap_moved(&frontier->ready, &domain->node);
    else if (belongs)
        heap_put(&frontier->ready, &domain->node);
    else if (heap_has(&domain->node))
        heap_remove(&frontier->ready, &domain->node);
}

/* The one function that says where a host stands: call it after every change
 * of its queue, its clock or its fetches in flight. */
static void place_host(struct frontier *frontier, struct host *host,
                       uint64_t now_ms)
{
    struct domain *domain = host->domain;

    if (heap_has(&host->node))
        heap_remove(host->waiting ? &frontier->waiting : &domain->ready,
                    &host->node);

    bool eligible =
        host->queue.count && host->in_flight < frontier->options.per_host;
    host->waiting = host->next_fetch_ms > now_ms;
    if (eligible)
        heap_put(host->waiting ? &frontier->waiting : &domain->ready,
                 &host->node);
    place_domain(frontier, domain);
}

static struct domain *domain_for(struct frontier *frontier, struct str name)
{
    uint64_t key = hash64(name, frontier->options.hash_seed);
    struct domain *domain = hashtable_get(&frontier->domains, key);

    if (!domain) {
        domain = domain_new(name);
        hashtable_put(&frontier->domains, key, domain);
    }
    return domain;
}

static struct host *host_for(struct frontier *frontier, const struct url *url)
{
    struct str name = str_between(url->href.ptr + url->host_start,
                                  url->href.ptr + url->path_start);
    uint64_t key = hash64(name, frontier->options.hash_seed);
    struct host *host = hashtable_get(&frontier->hosts, key);

    if (!host) {
        struct str domain =
            domain_of_host(frontier->options.domains, url_host(url));
        host = host_new(name, domain_for(frontier, domain));
        hashtable_put(&frontier->hosts, key, host);
    }
    return host;
}

static void enqueue(struct frontier *frontier, struct target *target,
                    uint64_t now_ms)
{
    target->state = TARGET_QUEUED;
    heap_put(&target->host->queue, &target->node);
    place_host(frontier, target->host, now_ms);
}

struct target *frontier_put(struct frontier *frontier, const struct url *url,
                            uint64_t fingerprint, uint32_t depth,
                            uint32_t referrer_id, uint64_t now_ms)
{
    struct target *target = mem_new(sizeof(*target) + url->href.len + 1);

    target->depth = depth;
    target->host = host_for(frontier, url);
    target->fingerprint = fingerprint;
    target->age = frontier->next_age++;
    target->referrer_id = referrer_id;
    target->url_len = (uint16_t)url->href.len;
    memcpy(target->url, url->href.ptr, url->href.len);

    hashtable_put(&frontier->targets, fingerprint, target);
    levels_add(&frontier->levels, depth);
    enqueue(frontier, target, now_ms);
    return target;
}

void frontier_found_again(struct frontier *frontier, uint64_t fingerprint,
                          uint32_t depth, uint32_t referrer_id)
{
    struct target *target = hashtable_get(&frontier->targets, fingerprint);

    if (!target || depth >= target->depth)
        return;
    levels_add(&frontier->levels, depth);
    levels_remove(&frontier->levels, target->depth);
    target->depth = depth;
    target->referrer_id = referrer_id;
    if (target->state != TARGET_QUEUED)
        return;

    struct host *host = target->host;
    heap_moved(&host->queue, &target->node);
    if (heap_has(&host->node) && !host->waiting) {
        heap_moved(&host->domain->ready, &host->node);
        place_domain(frontier, host->domain);
    }
}

static void release_due(struct frontier *frontier, uint64_t now_ms)
{
    struct heap_node *node;

    while ((node = heap_first(&frontier->retries)) &&
           target_of(node)->due_ms <= now_ms) {
        heap_remove(&frontier->retries, node);
        enqueue(frontier, target_of(node), now_ms);
    }
    while ((node = heap_first(&frontier->waiting)) &&
           host_of(node)->next_fetch_ms <= now_ms)
        place_host(frontier, host_of(node), now_ms);
}

struct target *frontier_take(struct frontier *frontier, uint64_t now_ms)
{
    release_due(frontier, now_ms);

    struct heap_node *first = heap_first(&frontier->ready);
    if (!first)
        return NULL;
    struct target *target = domain_best(domain_of(first));
    if (target->depth > levels_lowest(&frontier->levels))
        return NULL;

    struct host *host = target->host;
    heap_remove(&host->queue, &target->node);
    hashtable_take(&frontier->targets, target->fingerprint);
    target->state = TARGET_IN_FLIGHT;
    host->in_flight++;
    host->domain->in_flight++;
    frontier->in_flight++;
    place_host(frontier, host, now_ms);
    return target;
}

static void land(struct frontier *frontier, struct target *target,
                 uint64_t next_fetch_ms, uint64_t now_ms)
{
    struct host *host = target->host;

    assert(target->state == TARGET_IN_FLIGHT);
    host->in_flight--;
    host->domain->in_flight--;
    frontier->in_flight--;
    /* Fetches that overlap may end in any order; the latest pause counts. */
    if (host->next_fetch_ms < next_fetch_ms)
        host->next_fetch_ms = next_fetch_ms;
    place_host(frontier, host, now_ms);
}

void frontier_done(struct frontier *frontier, struct target *target,
                   uint64_t now_ms)
{
    land(frontier, target, now_ms + frontier->options.delay_ms, now_ms);
    levels_remove(&frontier->levels, target->depth);
    free(target);
}

void frontier_again(struct frontier *frontier, struct target *target,
                    uint64_t now_ms, uint64_t wait_ms, bool whole_host)
{
    uint64_t pause_ms = frontier->options.delay_ms;

    if (whole_host && pause_ms < wait_ms)
        pause_ms = wait_ms;
    land(frontier, target, now_ms + pause_ms, now_ms);

    target->tries++;
    target->due_ms = now_ms + wait_ms;
    target->state = TARGET_RETRYING;
    hashtable_put(&frontier->targets, target->fingerprint, target);
    heap_put(&frontier->retries, &target->node);
}

struct frontier_counts frontier_counts(const struct frontier *frontier)
{
    return (struct frontier_counts){
        .queued = frontier->targets.count,
        .in_flight = frontier->in_flight,
        .hosts = frontier->hosts.count,
        .domains = frontier->domains.count,
    };
}

struct idle frontier_idle(const struct frontier *frontier, uint64_t now_ms)
{
    const struct heap_node *ready = heap_first(&frontier->ready);
    const struct heap_node *host = heap_first(&frontier->waiting);
    const struct heap_node *retry = heap_first(&frontier->retries);
    uint64_t host_ms = host ? host_of(host)->next_fetch_ms : UINT64_MAX;
    uint64_t retry_ms = retry ? target_of(retry)->due_ms : UINT64_MAX;

    if ((ready && domain_best(domain_of(ready))->depth <=
                      levels_lowest(&frontier->levels)) ||
        host_ms <= now_ms || retry_ms <= now_ms)
        return (struct idle){.reason = IDLE_NOT, .until_ms = now_ms};
    if (!host && !retry)
        return (struct idle){
            .reason = frontier->in_flight ? IDLE_FLIGHT : IDLE_EMPTY,
            .until_ms = UINT64_MAX,
        };

    const struct host *named =
        host_ms <= retry_ms ? host_of(host) : target_of(retry)->host;
    return (struct idle){
        .reason = host_ms <= retry_ms ? IDLE_PAUSE : IDLE_RETRY,
        .until_ms = host_ms <= retry_ms ? host_ms : retry_ms,
        .host = {named->name, named->name_len},
    };
}
