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

    return host_is_given_up(host, target_is_https(target)) ||
           (domain_is_capped(frontier, host->domain) &&
            target->kind != TARGET_ROBOTS);
}

void place_domain(struct frontier *frontier, struct domain *domain)
{
    bool unlocked = domain->in_flight < frontier->options.per_host;
    bool belongs = domain_has_ready(domain) &&
                   (unlocked || is_to_refuse(frontier, domain_best(domain)));

    if (domain_lots(domain))
        lots_place(frontier, domain, unlocked);
    if (belongs && heap_has(&domain->node))
        heap_moved(&frontier->ready, &domain->node);
    else if (belongs)
        heap_put(&frontier->ready, &domain->node);
    else if (heap_has(&domain->node))
        heap_remove(&frontier->ready, &domain->node);
}

void count_in_score(struct frontier *frontier, struct domain *domain,
                    uint32_t *counter)
{
    if (!domain_lots(domain)) {
        ++*counter;
        return;
    }
    lots_lift(frontier, domain);
    ++*counter;
    lots_settle(frontier, domain);
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

static void remove_ready(struct host *host)
{
    heap_remove(&host->domain->active->ready, &host->node);
    domain_free_unused(host->domain);
}

static void put_waiting(struct frontier *frontier, struct host *host)
{
    struct active *active = domain_active(host->domain, frontier->ranks);

    heap_put(&frontier->waiting, &host->node);
    host->newer = active->waiting;
    if (active->waiting)
        active->waiting->older = host;
    active->waiting = host;
}

static void remove_waiting(struct frontier *frontier, struct host *host)
{
    heap_remove(&frontier->waiting, &host->node);
    if (host->newer)
        host->newer->older = host->older;
    if (host->older)
        host->older->newer = host->newer;
    else
        host->domain->active->waiting = host->newer;
    host->older = host->newer = NULL;
    domain_free_unused(host->domain);
}

static void leave(struct frontier *frontier, struct host *host)
{
    if (host->place == WAITING)
        remove_waiting(frontier, host);
    else if (host->place == READY)
        remove_ready(host);
    else if (host->place == PARKED)
        lot_remove(frontier, host);
    else if (host->place == IDLE)
        idle_remove(frontier, host);
    host->place = NOWHERE;
}

static void enter(struct frontier *frontier, struct host *host,
                  enum host_place place)
{
    host->place = (uint8_t)place;
    if (place == WAITING)
        put_waiting(frontier, host);
    else if (place == READY)
        heap_put(&domain_active(host->domain, frontier->ranks)->ready,
                 &host->node);
    else if (place == IDLE)
        idle_put(frontier, host);
}

/* In a lot a host keeps its place in the order while nothing but its address
 * holds it back; what is on a list comes back when the whole list does. */
static bool stays_parked(const struct frontier *frontier,
                         const struct host *host, enum host_place place)
{
    return host->place == PARKED &&
           (!host->lot ||
            (place == READY && !is_to_refuse(frontier, host_best(host))));
}

/* The one function that says where a host stands: call it after every change
 * of its queue, its clock or its fetches in flight. */
void place_host(struct frontier *frontier, struct host *host, uint64_t now_ms)
{
    enum host_place place = find_place(frontier, host, now_ms);

    if (!stays_parked(frontier, host, place)) {
        leave(frontier, host);
        enter(frontier, host, place);
    } else if (host->lot) {
        lot_moved(frontier, host);
    }
    place_domain(frontier, host->domain);
}

bool address_is_free(const struct frontier *frontier, const struct host *host,
                     uint64_t now_ms)
{
    const struct address *address = host->address;

    return !address || (address->in_flight < frontier->options.per_host &&
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
    if (lot_put(frontier, host))
        return;
    host->newer = address->crowd;
    address->crowd = host;
}

static void unpark_crowd(struct frontier *frontier, struct address *address,
                         uint64_t now_ms)
{
    struct host *host = address->crowd;

    address->crowd = NULL;
    while (host)
        host = unpark(frontier, host, now_ms);
}

struct target *first_ready(struct frontier *frontier, uint64_t now_ms)
{
    for (;;) {
        const struct heap_node *ready = heap_first(&frontier->ready);
        const struct heap_node *open = heap_first(&frontier->open);
        struct target *first = ready ? domain_best(domain_of(ready)) : NULL;
        struct target *parked = open ? address_best(address_of(open)) : NULL;

        if (!parked || (first && !frontier->ranks->any(parked, first)))
            return first;
        leave(frontier, parked->host);
        place_host(frontier, parked->host, now_ms);
    }
}

/* --- what the time releases ---------------------------------------------- */

void put_retry(struct frontier *frontier, struct target *target)
{
    struct active *active =
        domain_active(target->host->domain, frontier->ranks);

    heap_put(&active->retries, &target->node);
    if (heap_has(&active->node))
        heap_moved(&frontier->retries, &active->node);
    else
        heap_put(&frontier->retries, &active->node);
}

/* The first retry of the domain goes back to its queue. */
static void release_retry(struct frontier *frontier, struct active *active,
                          uint64_t now_ms)
{
    struct target *target = active_retry(active);

    heap_remove(&active->retries, &target->node);
    if (active->retries.count)
        heap_moved(&frontier->retries, &active->node);
    else
        heap_remove(&frontier->retries, &active->node);
    target->state = TARGET_QUEUED;
    target->host->retrying--;
    queue_put(frontier, target);
    place_host(frontier, target->host, now_ms);
    domain_free_unused(target->host->domain);
}

void release_capped(struct frontier *frontier, struct domain *domain,
                    uint64_t now_ms)
{
    while (domain->active && domain->active->retries.count)
        release_retry(frontier, domain->active, now_ms);
    struct host *host = domain->active ? domain->active->waiting : NULL;
    while (host) {
        struct host *next = host->newer;
        place_host(frontier, host, now_ms);
        host = next;
    }
    while (domain_lots(domain)) {
        host = host_of(heap_first(&domain_lots(domain)->hosts));
        leave(frontier, host);
        place_host(frontier, host, now_ms);
    }
}

void release_due(struct frontier *frontier, uint64_t now_ms)
{
    struct heap_node *node;

    while ((node = heap_first(&frontier->retries)) &&
           active_retry(active_of(node))->due_ms <= now_ms)
        release_retry(frontier, active_of(node), now_ms);
    while ((node = heap_first(&frontier->resting)) &&
           address_of(node)->next_ms <= now_ms) {
        struct address *address = address_of(node);
        heap_remove(&frontier->resting, node);
        address->rests = false;
        place_address(frontier, address);
        unpark_crowd(frontier, address, now_ms);
        address_free_unused(frontier, address);
    }
    while ((node = heap_first(&frontier->waiting)) &&
           host_of(node)->next_ms <= now_ms)
        place_host(frontier, host_of(node), now_ms);
    unpark_unresolved(frontier, now_ms);
}
