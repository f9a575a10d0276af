#include "frontier/internal.h"

/* Where a host stands. The three rules of politeness are these functions: a
 * host in its own pause is WAITING, one whose address is in use or rests is
 * PARKED, and a domain with enough in flight is not among the ready ones. */

bool domain_is_capped(const struct frontier *frontier,
                      const struct domain *domain)
{
    return frontier->options.max_per_domain &&
           domain->crawled >= frontier->options.max_per_domain;
}

/* What is capped or dead must come out, to be refused: no pause and no lock
 * holds it. A robots.txt is asked for all the same. */
static bool is_to_refuse(const struct frontier *frontier,
                         const struct target *target)
{
    const struct host *host = target->host;

    return host->dead || (domain_is_capped(frontier, host->domain) &&
                          target->kind != TARGET_ROBOTS);
}

void place_domain(struct frontier *frontier, struct domain *domain)
{
    bool belongs =
        domain->ready && (domain->in_flight < frontier->options.per_host ||
                          is_to_refuse(frontier, domain_best(domain)));

    if (belongs && heap_has(&domain->node))
        heap_moved(&frontier->ready, &domain->node);
    else if (belongs)
        heap_put(&frontier->ready, &domain->node);
    else if (heap_has(&domain->node))
        heap_remove(&frontier->ready, &domain->node);
}

/* Another's robots.txt, or its own that moved, does not wait for its own: two
 * hosts whose robots.txt moved to the other one would wait for ever. */
static bool may_go_on_errand(const struct host *host)
{
    return host->resolved && host_best(host)->kind == TARGET_ROBOTS;
}

static enum host_place find_place(const struct frontier *frontier,
                                  const struct host *host, uint64_t now_ms)
{
    if (!host->queue.count)
        return host->in_flight || host->errand || host->retrying ? NOWHERE
                                                                 : IDLE;
    if (host->errand && !may_go_on_errand(host))
        return NOWHERE;
    if (is_to_refuse(frontier, host_best(host)))
        return READY;
    if (host->in_flight >= frontier->options.per_host)
        return NOWHERE;
    return host->next_ms > now_ms ? WAITING : READY;
}

static void leave(struct frontier *frontier, struct host *host)
{
    if (host->place == WAITING)
        heap_remove(&frontier->waiting, &host->node);
    else if (host->place == READY)
        domain_remove_ready(host->domain, host);
    else if (host->place == IDLE)
        idle_remove(frontier, host);
    host->place = NOWHERE;
}

static void enter(struct frontier *frontier, struct host *host,
                  enum host_place place)
{
    host->place = (uint8_t)place;
    if (place == WAITING)
        heap_put(&frontier->waiting, &host->node);
    else if (place == READY)
        domain_put_ready(host->domain, host, frontier->ranks);
    else if (place == IDLE)
        idle_put(frontier, host);
}

/* The one function that says where a host stands: call it after every change
 * of its queue, its clock or its fetches in flight. */
void place_host(struct frontier *frontier, struct host *host, uint64_t now_ms)
{
    /* What is parked comes back when its address has rested. */
    if (host->place != PARKED) {
        leave(frontier, host);
        enter(frontier, host, find_place(frontier, host, now_ms));
    }
    place_domain(frontier, host->domain);
}

bool address_is_free(const struct frontier *frontier, const struct host *host,
                     uint64_t now_ms)
{
    const struct address *address = host->address;

    return !frontier->options.ip_delay_ms || !address ||
           (address->in_flight < frontier->options.per_host &&
            address->next_ms <= now_ms);
}

void park(struct frontier *frontier, struct host *host)
{
    leave(frontier, host);
    host->place = PARKED;
    place_domain(frontier, host->domain);
}

struct host *unpark(struct frontier *frontier, struct host *host,
                    uint64_t now_ms)
{
    struct host *next = host->newer;

    host->newer = NULL;
    host->place = NOWHERE;
    place_host(frontier, host, now_ms);
    return next;
}

void park_host(struct frontier *frontier, struct host *host)
{
    struct address *address = host->address;

    park(frontier, host);
    host->newer = address->parked;
    address->parked = host;
}

static void unpark_all(struct frontier *frontier, struct address *address,
                       uint64_t now_ms)
{
    struct host *host = address->parked;

    address->parked = NULL;
    while (host)
        host = unpark(frontier, host, now_ms);
}

void release_due(struct frontier *frontier, uint64_t now_ms)
{
    struct heap_node *node;

    while ((node = heap_first(&frontier->retries)) &&
           target_of(node)->due_ms <= now_ms) {
        struct target *target = target_of(node);
        heap_remove(&frontier->retries, node);
        target->state = TARGET_QUEUED;
        target->host->retrying--;
        heap_put(&target->host->queue, &target->node);
        place_host(frontier, target->host, now_ms);
    }
    while ((node = heap_first(&frontier->resting)) &&
           address_of(node)->next_ms <= now_ms) {
        heap_remove(&frontier->resting, node);
        unpark_all(frontier, address_of(node), now_ms);
        address_free_unused(frontier, address_of(node));
    }
    while ((node = heap_first(&frontier->waiting)) &&
           host_of(node)->next_ms <= now_ms)
        place_host(frontier, host_of(node), now_ms);
    unpark_unresolved(frontier, now_ms);
}
