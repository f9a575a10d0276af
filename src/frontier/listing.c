#include "frontier/listing.h"

#include "frontier/parts.h"

/* Better hosts have a greater rank. */
struct candidate {
    const struct host *host;
    uint64_t rank;
};

/* The best so far, best first. */
struct best {
    struct candidate candidate[LISTING_HOSTS];
    size_t count;
};

static uint64_t on_disk(const struct host *host)
{
    uint64_t count = 0;

    for (const struct disk_level *level = host->queue.disk.levels; level;
         level = level->next)
        count += level->queue.count;
    return count;
}

static uint64_t queued(const struct host *host)
{
    return (uint64_t)host->queue.targets.count + host->queue.retrying +
           on_disk(host);
}

static uint64_t rank_of(const struct host *host)
{
    enum { IDLE, GIVEN_UP, AT_WORK, IN_TROUBLE, CHANGED };
    uint64_t count = queued(host) + host->in_flight;
    unsigned group = AT_WORK;

    if (host->dropped || host->hand_delay_ms != BY_HAND_NO_DELAY)
        group = CHANGED; /* by hand */
    else if (host->trouble.dead)
        group = GIVEN_UP;
    else if (host->standing == HOST_IDLE)
        group = IDLE;
    else if (host->standing == HOST_WAITING && host->backing_off)
        group = IN_TROUBLE;
    return (uint64_t)group << 56 | count;
}

static bool has(const struct best *best, const struct host *host)
{
    for (size_t i = 0; i < best->count; i++)
        if (best->candidate[i].host == host)
            return true;
    return false;
}

static void consider(struct best *best, const struct host *host)
{
    uint64_t rank = rank_of(host);
    size_t at = best->count;

    if (at == LISTING_HOSTS && best->candidate[at - 1].rank >= rank)
        return;
    if (has(best, host))
        return;
    if (at == LISTING_HOSTS)
        at--;
    else
        best->count++;
    for (; at && best->candidate[at - 1].rank < rank; at--)
        best->candidate[at] = best->candidate[at - 1];
    best->candidate[at] = (struct candidate){host, rank};
}

static void find_best(const struct hashtable *hosts,
                      struct host_listing *listing, struct best *best)
{
    size_t left =
        hosts->room < LISTING_LOOKED_AT ? hosts->room : LISTING_LOOKED_AT;

    for (size_t i = 0; i < listing->count; i++) {
        const struct host *host = hashtable_get(hosts, listing->key[i]);
        if (host)
            consider(best, host);
    }
    for (; left; left--) {
        size_t at = listing->at++ & (hosts->room - 1);
        if (hosts->slot[at].item)
            consider(best, hosts->slot[at].item);
    }
    listing->count = best->count;
    for (size_t i = 0; i < best->count; i++)
        listing->key[i] = best->candidate[i].host->key;
}

/* --- what it waits for ---------------------------------------------------- */

/* When the only thing left to do comes; 0 where that takes a search. */
static uint64_t retry_ms(const struct host *host)
{
    const struct active *active = host->domain->active;
    const struct heap_node *first =
        active ? heap_first(&active->queue.retries) : NULL;
    const struct target *target = first ? target_of(first) : NULL;

    return target && target->host == host ? target->due_ms : 0;
}

static enum host_wait wait_of_ready(const struct frontier *frontier,
                                    const struct host *host)
{
    const struct domain *domain = host->domain;

    if (politeness_is_capped(&frontier->politeness, domain))
        return WAIT_DOMAIN_CAP;
    return domain->in_flight >= frontier->options.per_host ? WAIT_DOMAIN
                                                           : WAIT_TURN;
}

static enum host_wait wait_of_occupied(const struct host *host)
{
    if (host->setup.under_way)
        return host->setup.resolved ? WAIT_ROBOTS : WAIT_LOOKUP;
    return host->in_flight || !host->queue.retrying ? WAIT_FETCHING
                                                    : WAIT_RETRY;
}

static enum host_wait wait_of(const struct frontier *frontier,
                              const struct host *host)
{
    if (host->dropped)
        return WAIT_DROPPED;
    if (host->trouble.dead)
        return WAIT_GIVEN_UP;
    switch ((enum host_standing)host->standing) {
    case HOST_OCCUPIED:
        return wait_of_occupied(host);
    case HOST_WAITING:
        return host->backing_off ? WAIT_BACKOFF : WAIT_PAUSE;
    case HOST_UNRESOLVED:
        return WAIT_LOOKUP;
    case HOST_READY:
        return wait_of_ready(frontier, host);
    case HOST_IN_QUEUE:
        return WAIT_ADDRESS;
    case HOST_IDLE:
    case HOST_STANDINGS:
        break;
    }
    return WAIT_NOTHING;
}

static uint64_t until(const struct host *host, enum host_wait wait)
{
    switch (wait) {
    case WAIT_PAUSE:
    case WAIT_BACKOFF:
        return host->next_ms;
    case WAIT_RETRY:
        return retry_ms(host);
    case WAIT_ADDRESS:
        return host->address->next_ms;
    default:
        return 0;
    }
}

static bool has_trouble(const struct host *host)
{
    return host->trouble.dead || host->backing_off || host->trouble.backoffs ||
           host->trouble.no_reply_count || trouble_failures(host) ||
           host->queue.retrying;
}

static struct host_shown show(const struct frontier *frontier,
                              const struct host *host)
{
    enum host_wait wait = wait_of(frontier, host);
    uint64_t delay_ms = host_delay_ms(frontier, host);
    bool by_hand = host->hand_delay_ms != BY_HAND_NO_DELAY;
    uint64_t own_ms =
        by_hand ? host->hand_delay_ms : frontier->options.delay_ms;

    return (struct host_shown){
        .name = host_name(host),
        .domain = domain_name(host->domain),
        .wait = wait,
        .until_ms = until(host, wait),
        .queued = queued(host),
        .in_flight = host->in_flight,
        .shared_with = host->address ? host->address->hosts - 1 : 0,
        .delay_ms = delay_ms,
        .delay_of_robots = delay_ms > own_ms,
        .delay_by_hand = by_hand,
        .last_outcome = host->trouble.last_outcome,
        .has_trouble = has_trouble(host),
    };
}

size_t frontier_list_hosts(const struct frontier *frontier,
                           struct host_listing *listing,
                           struct host_shown shown[LISTING_HOSTS])
{
    struct best best = {.count = 0};

    find_best(&frontier->politeness.hosts, listing, &best);
    for (size_t i = 0; i < best.count; i++)
        shown[i] = show(frontier, best.candidate[i].host);
    return best.count;
}

/* --- how long it takes ---------------------------------------------------- */

/* A host that is asked no more needs no time for its queue. */
static uint64_t own_ms(const struct frontier *frontier, const struct host *host)
{
    if (!host || host->dropped || host->trouble.dead ||
        politeness_is_capped(&frontier->politeness, host->domain))
        return 0;
    return queued(host) * host_delay_ms(frontier, host) /
           frontier->options.per_host;
}

uint64_t frontier_slowest_ms(const struct frontier *frontier,
                             struct slowest_host *slowest)
{
    const struct hashtable *hosts = &frontier->politeness.hosts;
    size_t left =
        hosts->room < LISTING_LOOKED_AT ? hosts->room : LISTING_LOOKED_AT;
    uint64_t most_ms = own_ms(frontier, hashtable_get(hosts, slowest->key));

    for (; left; left--) {
        const struct host *host =
            hosts->slot[slowest->at++ & (hosts->room - 1)].item;
        uint64_t ms = own_ms(frontier, host);
        if (ms <= most_ms)
            continue;
        most_ms = ms;
        slowest->key = host->key;
    }
    return most_ms;
}

struct host_counts frontier_host_counts(const struct frontier *frontier)
{
    const struct politeness *politeness = &frontier->politeness;
    const size_t *standing = politeness->standing;
    size_t backoff = politeness->backing_off;
    size_t elsewhere = standing[HOST_WAITING] + standing[HOST_UNRESOLVED] +
                       standing[HOST_READY] + standing[HOST_IN_QUEUE] +
                       politeness->idle_count;

    return (struct host_counts){
        .fetching = politeness->hosts.count - elsewhere,
        .ready = standing[HOST_READY],
        .pause = standing[HOST_WAITING] - backoff,
        .backoff = backoff,
        .lookup = standing[HOST_UNRESOLVED],
        .address = standing[HOST_IN_QUEUE],
        .idle = politeness->idle_count,
    };
}
