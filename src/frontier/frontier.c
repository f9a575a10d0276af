#include "frontier/frontier.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

struct frontier *frontier_new(const struct frontier_options *options)
{
    struct frontier *frontier = NEW(struct frontier);

    frontier->next_age = 1; /* 0 is older than any page */
    frontier->options = *options;
    frontier->ranks =
        options->order == ORDER_BFS ? &ranks_bfs : &ranks_priority;
    arena_init(&frontier->domain_arena);
    hashtable_init(&frontier->targets);
    hashtable_init(&frontier->hosts);
    hashtable_init(&frontier->domains);
    hashtable_init(&frontier->addresses);
    heap_init(&frontier->ready, frontier->ranks->domain);
    heap_init(&frontier->waiting, host_is_due_before);
    heap_init(&frontier->retries, active_is_due_before);
    heap_init(&frontier->resting, address_is_due_before);
    heap_init(&frontier->open, frontier->ranks->address);
    levels_init(&frontier->levels);
    hashtable_init(&frontier->lowered);
    heap_init(&frontier->shelves, shelf_is_opened_before);
    frontier->lowered_depth = UINT32_MAX;
    seen_init(&frontier->hosts_seen);
    for (size_t i = 0; i < ARRAY_LEN(frontier->answered); i++)
        seen_init(&frontier->answered[i]);
    buf_init(&frontier->record, SPILL_RECORD_MAX);
    if (options->queue_bytes)
        frontier->spill = spill_new(options->queue_dir_fd);
    return frontier;
}

void frontier_use_seen(struct frontier *frontier, struct seen *seen)
{
    frontier->seen = seen;
}

static void free_active(struct domain *domain)
{
    struct active *active = domain->active;

    if (!active)
        return;
    for (size_t i = 0; i < active->retries.count; i++)
        free(target_of(active->retries.node[i]));
    heap_release(&active->retries);
    heap_release(&active->ready);
    active->waiting = NULL;
    active->queued_bytes = 0;
    shelf_release(&active->shelf);
    lots_free(domain);
    domain_free_unused(domain);
}

static void free_address(struct address *address)
{
    heap_release(&address->lots);
    free(address);
}

void frontier_free(struct frontier *frontier)
{
    void *item;

    if (!frontier)
        return;
    assert(!frontier->counts.in_flight);
    for (size_t at = 0; (item = hashtable_next(&frontier->hosts, &at));)
        host_free(item);
    for (size_t at = 0; (item = hashtable_next(&frontier->domains, &at));)
        free_active(item);
    for (size_t at = 0; (item = hashtable_next(&frontier->addresses, &at));)
        free_address(item);
    heap_release(&frontier->ready);
    heap_release(&frontier->waiting);
    heap_release(&frontier->retries);
    heap_release(&frontier->resting);
    heap_release(&frontier->open);
    hashtable_release(&frontier->targets);
    hashtable_release(&frontier->hosts);
    hashtable_release(&frontier->domains);
    hashtable_release(&frontier->addresses);
    levels_release(&frontier->levels);
    seen_release(&frontier->hosts_seen);
    for (size_t i = 0; i < ARRAY_LEN(frontier->answered); i++)
        seen_release(&frontier->answered[i]);
    arena_release(&frontier->domain_arena);
    changes_release(&frontier->changes);
    overflow_release(frontier);
    free(frontier);
}

/* --- in ----------------------------------------------------------------- */

void frontier_count_found(struct frontier *frontier, const struct url *url)
{
    struct domain *domain;

    if (frontier->options.order == ORDER_BFS)
        return;
    domain = domain_for(frontier, url);
    count_in_score(frontier, domain, &domain->found);
    changed_domain(frontier, domain);
    place_domain(frontier, domain);
}

static enum verdict given_up_verdict(const struct host *host)
{
    bool by_robots = host->dead ? host->dead_robots : host->closed_robots;

    return by_robots ? ROBOTS_UNKNOWN : HOST_DEAD;
}

enum verdict frontier_precheck(const struct frontier *frontier,
                               const struct url *url, unsigned *line)
{
    struct host *host = host_known(frontier, url);

    if (frontier->options.max_per_domain) {
        const struct domain *domain = domain_known(frontier, url);
        if (domain && domain_is_capped(frontier, domain))
            return DOMAIN_CAP;
    }
    if (!host)
        return ACCEPT;
    if (host_is_given_up(host, url->https))
        return given_up_verdict(host);
    return precheck_robots(frontier, host, url->https, url_path_query(url),
                           line);
}

void enqueue(struct frontier *frontier, struct target *target, uint64_t now_ms)
{
    hashtable_put(&frontier->targets, target->fingerprint, target);
    queue_put(frontier, target);
    place_host(frontier, target->host, now_ms);
}

struct target *target_new(struct frontier *frontier, const struct offer *offer,
                          uint64_t number)
{
    struct str href = offer->url->href;
    struct target *target = mem_new(sizeof(*target) + href.len + 1);

    target->kind = (uint8_t)offer->kind;
    target->depth = offer->depth;
    target->host = host_for(frontier, offer->url);
    target->fingerprint = offer->fingerprint;
    target->age = number;
    target->referrer_id = offer->referrer_id;
    target->found = offer->found;
    target->redirects = offer->redirects;
    target->url_len = (uint16_t)href.len;
    memcpy(target->url, href.ptr, href.len);
    return target;
}

struct queued put_numbered(struct frontier *frontier, const struct offer *offer,
                           uint64_t number, uint64_t now_ms)
{
    struct queued queued = {.number = number};

    if (!overflow_put(frontier, offer, &queued)) {
        struct target *target = target_new(frontier, offer, number);
        levels_add(&frontier->levels, target->depth);
        enqueue(frontier, target, now_ms);
        queued.domain = frontier_domain_name(target);
    }
    count_queued(frontier);
    return queued;
}

struct queued frontier_put(struct frontier *frontier, const struct offer *offer,
                           uint64_t now_ms)
{
    return put_numbered(frontier, offer, frontier->next_age++, now_ms);
}

static void take_depth(struct frontier *frontier, struct target *target,
                       const struct offer *offer)
{
    if (offer->depth >= target->depth)
        return;
    levels_add(&frontier->levels, offer->depth);
    levels_remove(&frontier->levels, target->depth);
    target->depth = offer->depth;
    target->referrer_id = offer->referrer_id;
}

bool frontier_found_again(struct frontier *frontier, const struct offer *offer)
{
    struct target *target =
        hashtable_get(&frontier->targets, offer->fingerprint);

    if (!target)
        return overflow_lower(frontier, offer);
    target->found += offer->found;
    take_depth(frontier, target, offer);
    changed_target(frontier, target);
    if (target->state != TARGET_QUEUED)
        return false;

    struct host *host = target->host;
    heap_moved(&host->queue, &target->node);
    if (host->place == READY) {
        heap_moved(&host->domain->active->ready, &host->node);
        place_domain(frontier, host->domain);
    } else if (host->lot) {
        lot_moved(frontier, host);
    }
    return false;
}

/* --- out ---------------------------------------------------------------- */

void take_off(struct frontier *frontier, struct target *target, uint64_t now_ms)
{
    struct host *host = target->host;

    target->state = TARGET_IN_FLIGHT;
    host->in_flight++;
    host->domain->in_flight++;
    if (host->address) {
        host->address->in_flight++;
        place_address(frontier, host->address);
    }
    frontier->counts.in_flight++;
    place_host(frontier, host, now_ms);
}

void dequeue(struct frontier *frontier, struct target *target)
{
    target->priority = frontier->options.order == ORDER_BFS
                           ? FRONTIER_BFS_SCORE
                           : (uint32_t)target_score(target);
    queue_remove(frontier, target);
    hashtable_take(&frontier->targets, target->fingerprint);
}

/* Why the target, whose turn it is, must not be fetched. */
static enum verdict last_judgement(const struct frontier *frontier,
                                   struct target *target, uint64_t now_ms)
{
    struct host *host = target->host;
    struct str url = target_url(target);
    size_t authority = target_is_https(target) ? 8 : 7;
    size_t path = authority + str_find(str_skip(url, authority), '/');

    if (target->kind == TARGET_ROBOTS)
        return ACCEPT;
    if (domain_is_capped(frontier, host->domain))
        return DOMAIN_CAP;
    if (host_is_given_up(host, target_is_https(target)))
        return given_up_verdict(host);
    return robots_verdict(host, target_is_https(target), str_skip(url, path),
                          &target->robots_line, now_ms);
}

static struct target *refuse(struct frontier *frontier, struct target *target,
                             enum verdict verdict, uint64_t now_ms)
{
    const struct host *host = target->host;

    dequeue(frontier, target);
    target->verdict = (uint8_t)verdict;
    target->last_outcome = host->dead ? host->cause : host->closed_cause;
    target->state = TARGET_IN_FLIGHT;
    frontier->counts.in_flight++;
    target->host->in_flight++;
    place_host(frontier, target->host, now_ms);
    overflow_refill(frontier, target->host, now_ms);
    return target;
}

static struct target *begin(struct frontier *frontier, struct target *target,
                            uint64_t now_ms)
{
    struct domain *domain = target->host->domain;

    dequeue(frontier, target);
    if (target->kind == TARGET_PAGE) {
        count_in_score(frontier, domain, &domain->crawled);
        frontier->counts.domains_crawled += domain->crawled == 1;
    }
    take_off(frontier, target, now_ms);
    if (target->kind == TARGET_PAGE &&
        domain->crawled == frontier->options.max_per_domain) {
        frontier->counts.domains_capped++;
        release_capped(frontier, domain, now_ms);
    }
    overflow_refill(frontier, target->host, now_ms);
    return target;
}

bool is_its_level(const struct frontier *frontier, const struct target *target)
{
    return frontier->options.order != ORDER_BFS ||
           (target->depth <= levels_lowest(&frontier->levels) &&
            target->depth <= overflow_depth(frontier));
}

/* The one whose turn it is, in its queue still; or NULL. */
static struct target *find_next(struct frontier *frontier, uint64_t now_ms)
{
    struct target *target;

    do
        target = first_ready(frontier, now_ms);
    while ((!target || !is_its_level(frontier, target)) &&
           overflow_open(frontier, now_ms));
    return target && is_its_level(frontier, target) ? target : NULL;
}

struct target *frontier_take(struct frontier *frontier, uint64_t now_ms)
{
    struct target *target;

    frontier->now_ms = now_ms;
    release_due(frontier, now_ms);
    while ((target = find_next(frontier, now_ms))) {
        struct host *host = target->host;

        if (drop_moved(frontier, target, now_ms))
            continue;
        if (target->kind != TARGET_ROBOTS &&
            (host_is_given_up(host, target_is_https(target)) ||
             domain_is_capped(frontier, host->domain)))
            return refuse(frontier, target,
                          last_judgement(frontier, target, now_ms), now_ms);
        if (!address_is_free(frontier, host, now_ms)) {
            park_host(frontier, host);
            continue;
        }
        if (park_unresolved(frontier, host))
            continue;
        struct target *errand = next_errand(frontier, host, target, now_ms);
        if (errand)
            return errand;
        enum verdict verdict = last_judgement(frontier, target, now_ms);
        if (verdict != ACCEPT)
            return refuse(frontier, target, verdict, now_ms);
        return begin(frontier, target, now_ms);
    }
    return NULL;
}

void frontier_drop(struct frontier *frontier, struct target *target,
                   uint64_t now_ms)
{
    frontier->counts.in_flight--;
    target->host->in_flight--;
    levels_remove(&frontier->levels, target->depth);
    place_host(frontier, target->host, now_ms);
    forget_changed_target(frontier, target);
    free(target);
}

/* --- done --------------------------------------------------------------- */

void give_up(struct frontier *frontier, struct host *host, bool https,
             bool by_robots, uint8_t cause)
{
    if (host->answered[!https] && !host->closed[!https]) {
        host->failures[https] = 0;
        host->closed[https] = true;
        host->closed_robots = by_robots;
        host->closed_cause = cause;
        changed_host(frontier, host);
        return;
    }
    if (!host->dead) {
        frontier->counts.hosts_dead++;
        host->dead_robots = by_robots;
    }
    host->dead = true;
    host->cause = cause;
    changed_host(frontier, host);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t host_delay_ms(const struct frontier *frontier, const struct host *host)
{
    uint64_t delay_ms = frontier->options.delay_ms;

    for (size_t i = 0; i < ARRAY_LEN(host->robots); i++)
        if (host->robots[i].rules)
            delay_ms =
                later(delay_ms, robots_crawl_delay_ms(host->robots[i].rules));
    return delay_ms;
}

/* Without a pause there is nothing to wait for, not even the end of this
 * millisecond. */
static uint64_t pause_end(uint64_t now_ms, uint64_t pause_ms)
{
    return pause_ms ? now_ms + pause_ms : 0;
}

static void land_address(struct frontier *frontier, struct address *address,
                         uint64_t now_ms)
{
    address->in_flight--;
    address->next_ms = later(address->next_ms,
                             pause_end(now_ms, frontier->options.ip_delay_ms));
    if (address->rests) {
        heap_moved(&frontier->resting, &address->node);
        return;
    }
    if (heap_has(&address->node))
        heap_remove(&frontier->open, &address->node);
    address->rests = true;
    heap_put(&frontier->resting, &address->node);
}

void land(struct frontier *frontier, struct target *target, uint64_t wait_ms,
          uint64_t now_ms)
{
    struct host *host = target->host;
    uint64_t delay_ms = host_delay_ms(frontier, host);

    assert(target->state == TARGET_IN_FLIGHT);
    host->in_flight--;
    host->domain->in_flight--;
    frontier->counts.in_flight--;
    if (host->address)
        land_address(frontier, host->address, now_ms);
    /* Fetches that overlap may end in any order; the latest pause counts. */
    uint64_t next_ms = pause_end(now_ms, later(delay_ms, wait_ms));
    if (host->next_ms <= next_ms || host->next_ms <= now_ms)
        host->backing_off = wait_ms > delay_ms;
    host->next_ms = later(host->next_ms, next_ms);
    place_host(frontier, host, now_ms);
    idle_trim(frontier, now_ms);
}

void frontier_note(struct frontier *frontier, struct target *target,
                   enum host_health health, uint8_t cause)
{
    struct host *host = target->host;
    bool https = target_is_https(target);

    if (health != HOST_ANSWERED || host->failures[https] || host->mute)
        changed_host(frontier, host);
    if (health == HOST_ANSWERED) {
        host->answered[https] = true;
        host->failures[https] = host->mute = 0;
        end_errors(frontier, host);
    } else if (health == HOST_SILENT) {
        try_next_address(host);
        if (note_silence(frontier, host, https, cause))
            give_up(frontier, host, https, false, cause);
    } else {
        host->cause = cause;
        if (health == HOST_BUSY) {
            host->answered[https] = true;
            host->failures[https] = 0;
        }
        if (frontier->options.host_tries &&
            ++host->mute >= FRONTIER_NO_REPLY_MAX)
            give_up(frontier, host, https, false, cause);
    }
}

bool note_silence(struct frontier *frontier, struct host *host, bool https,
                  uint8_t cause)
{
    host->cause = cause;
    changed_host(frontier, host);
    if (host->failures[https] < UINT8_MAX)
        host->failures[https]++;
    return frontier->options.host_tries &&
           host->failures[https] >= frontier->options.host_tries;
}

void frontier_done(struct frontier *frontier, struct target *target,
                   uint64_t now_ms, uint64_t wait_ms)
{
    levels_remove(&frontier->levels, target->depth);
    land(frontier, target, wait_ms, now_ms);
    forget_changed_target(frontier, target);
    free(target);
}

void frontier_again(struct frontier *frontier, struct target *target,
                    uint64_t now_ms, uint64_t wait_ms, bool whole_host)
{
    target->host->retrying++;
    land(frontier, target, whole_host ? wait_ms : 0, now_ms);
    target->tries++;
    /* What will be refused need not wait for it. */
    target->due_ms = domain_is_capped(frontier, target->host->domain)
                         ? 0
                         : pause_end(now_ms, wait_ms);
    target->state = TARGET_RETRYING;
    hashtable_put(&frontier->targets, target->fingerprint, target);
    put_retry(frontier, target);
}
