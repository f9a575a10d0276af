#include "base/hash.h"
#include "frontier/internal.h"

struct frontier_counts frontier_counts(const struct frontier *frontier)
{
    struct frontier_counts counts = frontier->counts;

    counts.queued = frontier->targets.count + frontier->shelved;
    counts.on_disk = frontier->shelved;
    counts.hosts = frontier->hosts_seen.count;
    counts.domains = frontier->domains.count;
    return counts;
}

struct host_in_setup frontier_host_in_setup(const struct frontier *frontier)
{
    const struct host *host = frontier->errand_host;

    if (!host)
        return (struct host_in_setup){0};
    return (struct host_in_setup){
        .host = {host->name, host->name_len},
        .is_robots = host->resolved,
    };
}

uint8_t frontier_last_outcome(const struct frontier *frontier,
                              const struct url *url)
{
    const struct host *host = host_known(frontier, url);

    if (!host)
        return 0;
    return host->dead ? host->cause : host->closed_cause;
}

int frontier_trouble(const struct frontier *frontier)
{
    return frontier->trouble;
}

size_t frontier_domain_bytes(const struct frontier *frontier)
{
    return frontier->domain_arena.used +
           frontier->domains.room * sizeof(struct hashtable_slot);
}

struct str frontier_host_name(const struct target *target)
{
    return (struct str){target->host->name, target->host->name_len};
}

struct str frontier_domain_name(const struct target *target)
{
    const struct domain *domain = target->host->domain;

    return (struct str){domain->name, domain->name_len};
}

const struct ip *frontier_host_ip(const struct target *target)
{
    return target->host->has_ip ? &target->host->ip : NULL;
}

static bool has_queued(const struct host *host)
{
    return host->queue.count || host->retrying || !shelf_is_empty(&host->shelf);
}

bool frontier_has_queued(const struct frontier *frontier, struct str name)
{
    const struct host *host = hashtable_get(
        &frontier->hosts, hash64(name, frontier->options.hash_seed));

    return host && has_queued(host);
}

struct host_work frontier_host_work(const struct target *target)
{
    const struct host *host = target->host;

    return (struct host_work){
        .in_flight = host->in_flight,
        /* After a robots.txt comes the page that it was fetched for. */
        .has_more = target->kind == TARGET_ROBOTS || has_queued(host),
        .worker = host->worker,
    };
}

void frontier_set_worker(struct target *target, uint16_t worker)
{
    target->host->worker = worker;
}

unsigned frontier_address_turn(const struct target *target)
{
    return target->host->address_turn;
}

static bool can_take(const struct frontier *frontier)
{
    const struct heap_node *ready = heap_first(&frontier->ready);
    const struct heap_node *open = heap_first(&frontier->open);

    return (ready && is_its_level(frontier, domain_best(domain_of(ready)))) ||
           (open && is_its_level(frontier, address_best(address_of(open))));
}

/* One that waits for the address, or NULL. */
static const struct host *one_parked(const struct address *address)
{
    return address->lots.count ? address_best(address)->host : address->crowd;
}

static void consider(struct idle *idle, enum idle_reason reason,
                     uint64_t until_ms, const struct host *host)
{
    if (until_ms < idle->wake_ms)
        idle->wake_ms = until_ms;
    /* Nobody may be waiting for this address, but behind it for another. */
    if (!host || until_ms >= idle->until_ms)
        return;
    idle->reason = reason;
    idle->until_ms = until_ms;
    idle->host = (struct str){host->name, host->name_len};
    idle->last_outcome = host->cause;
}

struct idle frontier_idle(const struct frontier *frontier, uint64_t now_ms)
{
    const struct heap_node *waiting = heap_first(&frontier->waiting);
    const struct heap_node *retry = heap_first(&frontier->retries);
    const struct heap_node *resting = heap_first(&frontier->resting);
    struct idle idle = {.until_ms = UINT64_MAX, .wake_ms = UINT64_MAX};

    if (waiting)
        consider(&idle,
                 host_of(waiting)->backing_off ? IDLE_BACKOFF : IDLE_PAUSE,
                 host_of(waiting)->next_ms, host_of(waiting));
    if (retry)
        consider(&idle, IDLE_RETRY, active_retry(active_of(retry))->due_ms,
                 active_retry(active_of(retry))->host);
    if (resting && frontier->targets.count)
        consider(&idle, IDLE_PAUSE, address_of(resting)->next_ms,
                 one_parked(address_of(resting)));
    if (can_take(frontier) || idle.wake_ms <= now_ms)
        return (struct idle){
            .reason = IDLE_NOT,
            .until_ms = now_ms,
            .wake_ms = now_ms,
        };
    if (idle.until_ms == UINT64_MAX)
        idle.reason = frontier->counts.in_flight ? IDLE_FLIGHT : IDLE_EMPTY;
    return idle;
}
