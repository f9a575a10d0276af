#include "frontier/parts.h"

/* Answers about the frontier that change nothing. */

struct frontier_counts frontier_counts(const struct frontier *frontier)
{
    struct frontier_counts counts = frontier->counts;

    counts.queued = queue_count(&frontier->queue);
    counts.queued_max = frontier->queue.most;
    counts.on_disk = frontier->queue.on_disk;
    counts.on_disk_max = frontier->queue.most_on_disk;
    counts.setups = frontier->setups.under_way;
    counts.hosts = frontier->politeness.hosts_seen.count;
    counts.hosts_dead = frontier->politeness.dead_count;
    counts.domains = frontier->politeness.domains.count;
    return counts;
}

struct host_in_setup frontier_host_in_setup(const struct frontier *frontier)
{
    const struct host *host = frontier->setups.last;

    if (!host)
        return (struct host_in_setup){0};
    return (struct host_in_setup){
        .host = host_name(host),
        .is_robots = host->setup.resolved,
    };
}

uint8_t frontier_last_outcome(const struct frontier *frontier,
                              const struct url *url)
{
    const struct host *host = host_known(&frontier->politeness, url);

    return host ? host_given_up_outcome(host) : 0;
}

int frontier_trouble(const struct frontier *frontier)
{
    return frontier->queue.trouble;
}

struct str frontier_domain_name(const struct target *target)
{
    return domain_name(target->host->domain);
}

const struct ip *frontier_host_ip(const struct target *target)
{
    return target->host->has_ip ? &target->host->ip : NULL;
}

static bool has_queued(const struct host *host)
{
    const struct host_queue *queue = &host->queue;

    return queue->targets.count || queue->retrying ||
           !disk_queue_is_empty(&queue->disk);
}

bool frontier_has_queued(const struct frontier *frontier, uint64_t host_key)
{
    const struct host *host =
        hashtable_get(&frontier->politeness.hosts, host_key);

    return host && has_queued(host);
}

struct host_work frontier_host_work(const struct target *target)
{
    const struct host *host = target->host;

    return (struct host_work){
        .host_key = host->key,
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
    return target->host->setup.address_turn;
}

unsigned frontier_backoffs(const struct target *target)
{
    return target->host->trouble.backoffs;
}

void frontier_note_rest(struct target *target, uint8_t outcome)
{
    if (!target->host->trouble.dead)
        target->host->trouble.last_outcome = outcome;
}

const struct target *frontier_find(const struct frontier *frontier,
                                   uint64_t fingerprint)
{
    return hashtable_get(&frontier->queue.targets, fingerprint);
}

uint64_t frontier_score(const struct frontier *frontier,
                        const struct target *target)
{
    return ranking_score(&frontier->ranking, target);
}

struct domain_counts frontier_domain_counts(const struct frontier *frontier,
                                            const struct url *url)
{
    const struct domain *domain = domain_known(&frontier->politeness, url);

    if (!domain)
        return (struct domain_counts){0};
    return (struct domain_counts){
        .crawled = domain->score.crawled,
        .found = domain->score.found,
    };
}

bool frontier_is_left_behind(const struct target *target)
{
    return target->host->left_behind;
}

uint64_t frontier_due_ms(const struct target *target)
{
    uint64_t host_ms = target->host->next_ms;

    if (target->state == TARGET_RETRYING && target->due_ms > host_ms)
        return target->due_ms;
    return host_ms;
}

/* --- why nothing can be taken ------------------------------------------- */

static bool can_take(const struct frontier *frontier)
{
    const struct heap_node *open = heap_first(&frontier->politeness.open);
    const struct target *ready = politeness_first_ready(
        &frontier->politeness, setups_may_look_up(&frontier->setups));

    return (ready && has_its_turn(frontier, ready)) ||
           (open &&
            has_its_turn(frontier, host_best(address_first(address_of(open)))));
}

static void consider(struct idle *idle, enum idle_reason reason,
                     uint64_t until_ms, const struct host *host)
{
    if (until_ms < idle->wake_ms)
        idle->wake_ms = until_ms;
    /* No host waits for this address; the next in the heap may have one, so
     * only wake up. */
    if (!host || until_ms >= idle->until_ms)
        return;
    idle->reason = reason;
    idle->until_ms = until_ms;
    idle->host = host_name(host);
    idle->is_left_behind = host->left_behind;
    idle->last_outcome = host->trouble.last_outcome;
}

struct idle frontier_idle(const struct frontier *frontier, uint64_t now_ms)
{
    const struct heap_node *waiting = heap_first(&frontier->politeness.waiting);
    const struct heap_node *resting = heap_first(&frontier->politeness.resting);
    const struct target *retry = queue_next_retry(&frontier->queue);
    struct idle idle = {.until_ms = UINT64_MAX, .wake_ms = UINT64_MAX};

    if (waiting)
        consider(&idle,
                 host_of(waiting)->backing_off ? IDLE_BACKOFF : IDLE_PAUSE,
                 host_of(waiting)->next_ms, host_of(waiting));
    if (retry)
        consider(&idle, IDLE_RETRY, retry->due_ms, retry->host);
    if (resting && frontier->queue.targets.count) {
        const struct address *address = address_of(resting);
        consider(&idle, IDLE_PAUSE, address->next_ms,
                 address->queue.count ? address_first(address) : NULL);
    }
    if (can_take(frontier) || idle.wake_ms <= now_ms)
        return (struct idle){
            .reason = IDLE_NOT,
            .until_ms = now_ms,
            .wake_ms = now_ms,
        };
    if (idle.until_ms != UINT64_MAX)
        return idle;
    const struct host *host = address_lease_first_host(&frontier->politeness);
    idle.reason = frontier->counts.in_flight ? IDLE_FLIGHT
                  : host                     ? IDLE_ADDRESS
                                             : IDLE_EMPTY;
    if (idle.reason == IDLE_ADDRESS)
        idle.host = host_name(host);
    return idle;
}
