#include "frontier/politeness.h"

#include <stdlib.h>

static bool host_is_due_before(const struct heap_node *a,
                               const struct heap_node *b)
{
    return host_of(a)->next_ms < host_of(b)->next_ms;
}

static bool address_is_due_before(const struct heap_node *a,
                                  const struct heap_node *b)
{
    return address_of(a)->next_ms < address_of(b)->next_ms;
}

void politeness_init(struct politeness *politeness,
                     const struct frontier_options *options,
                     const struct ranking *ranking)
{
    *politeness = (struct politeness){.options = options, .ranking = ranking};
    arena_init(&politeness->domain_arena);
    hashtable_init(&politeness->hosts);
    hashtable_init(&politeness->domains);
    hashtable_init(&politeness->addresses);
    for (size_t i = 0; i < ARRAY_LEN(politeness->ready); i++) {
        heap_init(&politeness->ready[i], ranking->domain);
        heap_init(&politeness->unresolved[i], ranking->unresolved);
    }
    heap_init(&politeness->waiting, host_is_due_before);
    heap_init(&politeness->resting, address_is_due_before);
    heap_init(&politeness->open, ranking->address);
    address_leases_init(&politeness->leases);
    by_hand_init(&politeness->by_hand);
    seen_init(&politeness->hosts_seen);
    for (size_t i = 0; i < ARRAY_LEN(politeness->answered); i++)
        seen_init(&politeness->answered[i]);
}

void politeness_release(struct politeness *politeness)
{
    void *item;

    for (size_t at = 0; (item = hashtable_next(&politeness->hosts, &at));)
        host_free(item);
    for (size_t at = 0; (item = hashtable_next(&politeness->domains, &at));)
        domain_free_active(item);
    for (size_t at = 0; (item = hashtable_next(&politeness->addresses, &at));) {
        heap_release(&((struct address *)item)->queue);
        free(item);
    }
    hashtable_release(&politeness->hosts);
    hashtable_release(&politeness->domains);
    hashtable_release(&politeness->addresses);
    for (size_t i = 0; i < ARRAY_LEN(politeness->ready); i++) {
        heap_release(&politeness->ready[i]);
        heap_release(&politeness->unresolved[i]);
    }
    heap_release(&politeness->waiting);
    heap_release(&politeness->resting);
    heap_release(&politeness->open);
    address_leases_release(&politeness->leases);
    by_hand_release(&politeness->by_hand);
    seen_release(&politeness->hosts_seen);
    for (size_t i = 0; i < ARRAY_LEN(politeness->answered); i++)
        seen_release(&politeness->answered[i]);
    arena_release(&politeness->domain_arena);
    free(politeness->frozen);
    free(politeness->new_rest_ms);
}

/* --- domains -------------------------------------------------------------- */

bool politeness_is_capped(const struct politeness *politeness,
                          const struct domain *domain)
{
    return politeness->options->max_per_domain &&
           domain->score.crawled >= politeness->options->max_per_domain;
}

/* A robots.txt and a requisite are asked for whether their domain is capped or
 * not. */
bool politeness_is_beyond_cap(const struct politeness *politeness,
                              const struct target *target)
{
    return target->kind != TARGET_ROBOTS && target->kind != TARGET_REQUISITE &&
           politeness_is_capped(politeness, target->host->domain);
}

bool politeness_is_to_refuse(const struct politeness *politeness,
                             const struct target *target)
{
    return host_is_given_up(target->host, target_is_https(target)) ||
           politeness_is_beyond_cap(politeness, target);
}

/* The node is in the heap if it belongs there, at its position. */
static void update_heap(struct heap *heap, struct heap_node *node, bool belongs)
{
    if (belongs && heap_has(node))
        heap_moved(heap, node);
    else if (belongs)
        heap_put(heap, node);
    else if (heap_has(node))
        heap_remove(heap, node);
}

static bool has_fetch_to_spare(const struct politeness *politeness,
                               const struct domain *domain)
{
    return domain->in_flight < politeness->options->per_host;
}

void politeness_place_domain(struct politeness *politeness,
                             struct domain *domain)
{
    struct active *active = domain->active;

    if (!active)
        return;
    bool may_be_asked = has_fetch_to_spare(politeness, domain) &&
                        active->in_address_queue < ADDRESS_QUEUE_MAX;
    bool is_ready = active->ready.count &&
                    (may_be_asked ||
                     politeness_is_to_refuse(politeness, domain_best(domain)));
    bool is_unresolved =
        active->unresolved.count &&
        ((may_be_asked && active->lookups < LOOKUPS_PER_DOMAIN) ||
         politeness_is_to_refuse(politeness, active_best_unresolved(active)));

    update_heap(&politeness->ready[domain->is_prompt], &domain->node, is_ready);
    update_heap(&politeness->unresolved[domain->is_prompt], &active->node,
                is_unresolved);
    domain_free_unused(domain);
}

static bool has_place(const struct politeness *politeness,
                      const struct domain *domain)
{
    uint32_t max = politeness->options->doubtful_max;

    return domain->is_prompt || !max || politeness->doubtful < max;
}

void politeness_set_prompt(struct politeness *politeness, struct domain *domain,
                           bool is_prompt)
{
    struct active *active = domain->active;

    if (domain->is_prompt == is_prompt)
        return;
    update_heap(&politeness->ready[domain->is_prompt], &domain->node, false);
    if (active)
        update_heap(&politeness->unresolved[domain->is_prompt], &active->node,
                    false);
    domain->is_prompt = is_prompt;
    if (is_prompt)
        politeness->doubtful -= domain->in_flight;
    else
        politeness->doubtful += domain->in_flight;
    politeness_place_domain(politeness, domain);
}

/* --- addresses ------------------------------------------------------------ */

void politeness_place_address(struct politeness *politeness,
                              struct address *address)
{
    address_lease_note(politeness, address);
    if (!address->rests)
        update_heap(&politeness->open, &address->node,
                    address->queue.count &&
                        address->in_flight < politeness->options->per_host &&
                        address_is_ours(politeness, address));
}

static bool address_is_free(const struct politeness *politeness,
                            const struct address *address)
{
    return address->in_flight < politeness->options->per_host &&
           address->next_ms <= politeness->now_ms && !address->queue.count &&
           address_is_ours(politeness, address);
}

/* --- where a host stands ---------------------------------------------------
 */

/* A queued robots.txt does not wait for the setup of the host that serves it:
 * two hosts whose robots.txt moved to each other would wait for ever. */
static bool setup_holds(const struct host *host)
{
    return host->setup.under_way &&
           !(host->setup.resolved && host_best(host)->kind == TARGET_ROBOTS);
}

static enum host_standing find_standing(const struct politeness *politeness,
                                        const struct host *host)
{
    if (!host->queue.targets.count)
        return host->in_flight || host->refusing || host->setup.under_way ||
                       host->queue.retrying
                   ? HOST_OCCUPIED
                   : HOST_IDLE;
    if (setup_holds(host) || host->domain->frozen)
        return HOST_OCCUPIED;
    if (politeness_is_to_refuse(politeness, host_best(host)))
        return HOST_READY;
    if (host->in_flight >= politeness->options->per_host)
        return HOST_OCCUPIED;
    if (host->next_ms > politeness->now_ms)
        return HOST_WAITING;
    return host->setup.resolved ? HOST_READY : HOST_UNRESOLVED;
}

static void add_held(struct active *active, struct host *host)
{
    host->older = NULL;
    host->newer = active->held;
    if (active->held)
        active->held->older = host;
    active->held = host;
}

static void remove_held(struct active *active, struct host *host)
{
    if (host->newer)
        host->newer->older = host->older;
    if (host->older)
        host->older->newer = host->newer;
    else
        active->held = host->newer;
    host->older = host->newer = NULL;
}

static void count_backing_off(struct politeness *politeness, struct host *host)
{
    bool counts = host->standing == HOST_WAITING && host->backing_off;

    politeness->backing_off += counts;
    politeness->backing_off -= host->counted_backing_off;
    host->counted_backing_off = counts;
}

static void leave(struct politeness *politeness, struct host *host)
{
    struct active *active = host->domain->active;

    politeness->standing[host->standing]--;

    switch (host->standing) {
    case HOST_WAITING:
        heap_remove(&politeness->waiting, &host->node);
        remove_held(active, host);
        break;
    case HOST_UNRESOLVED:
        heap_remove(&active->unresolved, &host->node);
        break;
    case HOST_READY:
        heap_remove(&active->ready, &host->node);
        break;
    case HOST_IN_QUEUE:
        heap_remove(&host->address->queue, &host->node);
        remove_held(active, host);
        active->in_address_queue--;
        politeness_place_address(politeness, host->address);
        break;
    case HOST_IDLE:
        idle_remove(politeness, host);
        break;
    default:
        break;
    }
    host->standing = HOST_OCCUPIED;
    politeness->standing[HOST_OCCUPIED]++;
    count_backing_off(politeness, host);
}

static void enter(struct politeness *politeness, struct host *host,
                  enum host_standing standing)
{
    struct active *active = host->domain->active;

    politeness->standing[host->standing]--;
    host->standing = (uint8_t)standing;
    politeness->standing[standing]++;
    count_backing_off(politeness, host);
    switch (standing) {
    case HOST_WAITING:
        heap_put(&politeness->waiting, &host->node);
        add_held(active, host);
        break;
    case HOST_UNRESOLVED:
        heap_put(&active->unresolved, &host->node);
        break;
    case HOST_READY:
        heap_put(&active->ready, &host->node);
        break;
    case HOST_IN_QUEUE:
        host->turn = ++politeness->turns;
        heap_put(&host->address->queue, &host->node);
        add_held(active, host);
        active->in_address_queue++;
        politeness_place_address(politeness, host->address);
        break;
    case HOST_IDLE:
        idle_put(politeness, host);
        break;
    default:
        break;
    }
}

/* It stays where it is, but its best target or its clock may be another. */
static void stay(struct politeness *politeness, struct host *host)
{
    struct active *active = host->domain->active;

    if (host->standing == HOST_WAITING) {
        heap_moved(&politeness->waiting, &host->node);
        count_backing_off(politeness, host);
    } else if (host->standing == HOST_UNRESOLVED) {
        heap_moved(&active->unresolved, &host->node);
    } else if (host->standing == HOST_READY) {
        heap_moved(&active->ready, &host->node);
    } else if (host->standing == HOST_IN_QUEUE) {
        heap_moved(&host->address->queue, &host->node);
        politeness_place_address(politeness, host->address);
    }
}

/* In the queue of its address a host keeps its turn while nothing but the
 * address holds it back. */
static bool keeps_turn(const struct politeness *politeness,
                       const struct host *host, enum host_standing standing)
{
    return host->standing == HOST_IN_QUEUE && standing == HOST_READY &&
           !politeness_is_to_refuse(politeness, host_best(host));
}

void politeness_place(struct politeness *politeness, struct host *host)
{
    enum host_standing standing = find_standing(politeness, host);

    if (host->standing == standing || keeps_turn(politeness, host, standing)) {
        stay(politeness, host);
    } else {
        leave(politeness, host);
        enter(politeness, host, standing);
    }
    politeness_place_domain(politeness, host->domain);
}

/* --- a fetch ----------------------------------------------------------------
 */

void politeness_fetch_started(struct politeness *politeness, struct host *host)
{
    leave(politeness, host); /* its turn is used up */
    host->in_flight++;
    host->domain->in_flight++;
    politeness->doubtful += !host->domain->is_prompt;
    if (host->address) {
        host->address->in_flight++;
        politeness_place_address(politeness, host->address);
    }
    politeness_place(politeness, host);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void politeness_rest_address(struct politeness *politeness,
                             struct address *address, uint64_t time_ms)
{
    address->next_ms = later(address->next_ms, time_ms);
    if (address->rests) {
        heap_moved(&politeness->resting, &address->node);
        return;
    }
    if (heap_has(&address->node))
        heap_remove(&politeness->open, &address->node);
    address->rests = true;
    heap_put(&politeness->resting, &address->node);
}

static void end_at_address(struct politeness *politeness,
                           struct address *address, uint64_t ended_ms)
{
    uint64_t pause_ms = politeness->options->ip_delay_ms;

    address->in_flight--;
    politeness_rest_address(politeness, address,
                            pause_ms ? ended_ms + pause_ms : 0);
    politeness_place_address(politeness, address);
}

void politeness_fetch_ended(struct politeness *politeness, struct host *host,
                            uint64_t ended_ms, uint64_t delay_ms,
                            uint64_t wait_ms)
{
    uint64_t pause_ms = later(delay_ms, wait_ms);
    /* Without a pause there is nothing to wait for, not even the end of this
     * millisecond. */
    uint64_t next_ms = pause_ms ? ended_ms + pause_ms : 0;

    host->in_flight--;
    host->domain->in_flight--;
    politeness->doubtful -= !host->domain->is_prompt;
    if (host->address)
        end_at_address(politeness, host->address, ended_ms);
    /* Fetches that overlap may end in any order; the latest pause counts. */
    if (host->next_ms <= next_ms || host->next_ms <= ended_ms)
        host->backing_off = wait_ms > delay_ms;
    politeness_rest_until(host, next_ms);
    politeness_place(politeness, host);
}

void politeness_refusal_started(struct politeness *politeness,
                                struct host *host)
{
    host->refusing++;
    politeness_place(politeness, host);
}

void politeness_refusal_ended(struct politeness *politeness, struct host *host)
{
    host->refusing--;
    politeness_place(politeness, host);
}

/* --- who is next ------------------------------------------------------------
 */

bool politeness_may_ask_address(struct politeness *politeness,
                                struct host *host)
{
    if (host->standing != HOST_READY || !host->address ||
        address_is_free(politeness, host->address))
        return true;
    leave(politeness, host);
    enter(politeness, host, HOST_IN_QUEUE);
    politeness_place_domain(politeness, host->domain);
    return false;
}

void politeness_lose_turn(struct politeness *politeness, struct host *host)
{
    leave(politeness, host);
    politeness_place(politeness, host);
}

struct target *politeness_first_in_queues(struct politeness *politeness)
{
    const struct heap_node *node;

    while ((node = heap_first(&politeness->open))) {
        struct host *host = address_first(address_of(node));
        if (has_fetch_to_spare(politeness, host->domain) &&
            has_place(politeness, host->domain))
            return host_best(host);
        politeness_lose_turn(politeness, host);
    }
    return NULL;
}

/* The better of the two, if both are there and `other` may be taken. A target
 * that is to be refused needs no place. */
static struct target *better(const struct politeness *politeness,
                             struct target *first, struct target *other)
{
    if (!has_place(politeness, other->host->domain) &&
        !politeness_is_to_refuse(politeness, other))
        return first;
    return first && politeness->ranking->before(first, other) ? first : other;
}

struct target *politeness_first_ready(const struct politeness *politeness,
                                      bool may_look_up)
{
    struct target *first = NULL;

    for (size_t i = 0; i < ARRAY_LEN(politeness->ready); i++) {
        const struct heap_node *ready = heap_first(&politeness->ready[i]);
        const struct heap_node *unresolved =
            may_look_up ? heap_first(&politeness->unresolved[i]) : NULL;

        if (ready)
            first = better(politeness, first, domain_best(domain_of(ready)));
        if (unresolved)
            first = better(politeness, first,
                           active_best_unresolved(active_of(unresolved)));
    }
    return first;
}

/* --- what the time releases --------------------------------------------------
 */

void politeness_release_domain(struct politeness *politeness,
                               struct domain *domain)
{
    struct host *next;

    for (struct host *host = domain->active ? domain->active->held : NULL; host;
         host = next) {
        next = host->newer;
        politeness_place(politeness, host);
    }
}

void politeness_release_due(struct politeness *politeness)
{
    struct heap_node *node;

    while ((node = heap_first(&politeness->resting)) &&
           address_of(node)->next_ms <= politeness->now_ms) {
        struct address *address = address_of(node);
        heap_remove(&politeness->resting, node);
        address->rests = false;
        politeness_place_address(politeness, address);
        address_free_unused(politeness, address);
    }
    while ((node = heap_first(&politeness->waiting)) &&
           host_of(node)->next_ms <= politeness->now_ms)
        politeness_place(politeness, host_of(node));
}
