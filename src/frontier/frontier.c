#include "frontier/frontier.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/parts.h"

/* --- what the queue asks for --------------------------------------------- */

static struct host *find_host(void *user, const struct url *url)
{
    return host_known(&((struct frontier *)user)->politeness, url);
}

static struct domain *find_domain(void *user, const struct url *url)
{
    return domain_known(&((struct frontier *)user)->politeness, url);
}

/* A URL comes back from disk. */
static void put_back(void *user, const struct disk_record *record)
{
    struct frontier *frontier = user;
    const struct offer offer = {
        .url = &record->url,
        .fingerprint = record->fingerprint,
        .depth = record->depth,
        .referrer_id = record->referrer_id,
        .referrer_machine = record->referrer_machine,
        .found = record->found,
        .redirects = record->redirects,
        .kind = (enum target_kind)record->kind,
        .nesting = record->nesting,
    };
    struct target *target = queue_new_target(
        &frontier->queue, host_for(&frontier->politeness, offer.url), &offer,
        record->number);

    if (record->shortened)
        changes_add_target(&frontier->changes, target);
    enqueue(frontier, target);
}

/* -------------------------------------------------------------------------- */

struct frontier *frontier_new(const struct frontier_options *options)
{
    struct frontier *frontier = NEW(struct frontier);
    const struct queue_callbacks callbacks = {
        .user = frontier,
        .find_host = find_host,
        .find_domain = find_domain,
        .put_back = put_back,
    };

    frontier->options = *options;
    ranking_init(&frontier->ranking, options->ranking);
    queue_init(&frontier->queue, &frontier->options, &frontier->ranking,
               &callbacks);
    politeness_init(&frontier->politeness, &frontier->options,
                    &frontier->ranking);
    setups_init(&frontier->setups, &frontier->options);
    size_t partitions = options->partitions ? options->partitions : 1;
    frontier->next_n = mem_array(partitions, sizeof(*frontier->next_n));
    for (size_t i = 0; i < partitions; i++)
        frontier->next_n[i] = 1;
    changes_init(&frontier->changes, options->report_changes);
    return frontier;
}

void frontier_use_seen(struct frontier *frontier, struct seen *seen,
                       size_t stride)
{
    frontier->queue.seen = seen;
    frontier->queue.seen_stride = stride;
}

void frontier_use_known(struct frontier *frontier, const struct seen *all,
                        const struct seen *requisites)
{
    frontier->known = all;
    frontier->known_requisites = requisites;
}

void frontier_free(struct frontier *frontier)
{
    if (!frontier)
        return;
    assert(!frontier->counts.in_flight);
    politeness_release(&frontier->politeness);
    queue_release(&frontier->queue);
    changes_release(&frontier->changes);
    free(frontier->next_n);
    free(frontier);
}

/* --- in ----------------------------------------------------------------- */

void frontier_count_found(struct frontier *frontier, const struct url *url,
                          uint32_t count)
{
    struct domain *domain;

    if (frontier->ranking.by_level)
        return;
    domain = domain_for(&frontier->politeness, url);
    domain->score.found += count;
    changes_add_domain(&frontier->changes, domain);
    politeness_place_domain(&frontier->politeness, domain);
}

static enum verdict given_up_verdict(const struct host *host)
{
    const struct host_trouble *trouble = &host->trouble;

    if (host->dropped)
        return BY_HAND;
    bool by_robots =
        trouble->dead ? trouble->dead_robots : trouble->closed_robots;

    return by_robots ? ROBOTS_UNKNOWN : HOST_DEAD;
}

static bool is_refused_by_hand(const struct politeness *politeness,
                               const struct url *url)
{
    const struct by_hand *hand = &politeness->by_hand;

    if (!hand->hosts.count && !hand->pattern_count)
        return false;
    const struct hand_host *order =
        by_hand_host(hand, host_key(politeness, url));
    return (order && order->dropped) || by_hand_refuses(hand, url->href);
}

enum verdict frontier_precheck(const struct frontier *frontier,
                               enum target_kind kind, const struct url *url,
                               unsigned *line)
{
    const struct politeness *politeness = &frontier->politeness;
    struct host *host = host_known(politeness, url);

    if (is_refused_by_hand(politeness, url))
        return BY_HAND;
    if (frontier->options.max_per_domain && kind != TARGET_REQUISITE) {
        const struct domain *domain = domain_known(politeness, url);
        if (domain && politeness_is_capped(politeness, domain))
            return DOMAIN_CAP;
    }
    if (!host)
        return ACCEPT;
    if (host_is_given_up(host, url->https))
        return given_up_verdict(host);
    return setup_precheck(host, url->https, url_path_query(url), line,
                          politeness->now_ms);
}

void enqueue(struct frontier *frontier, struct target *target)
{
    domain_active(target->host->domain, &frontier->ranking);
    queue_put(&frontier->queue, target);
    politeness_place(&frontier->politeness, target->host);
}

static bool put_on_disk(struct frontier *frontier, const struct offer *offer,
                        uint64_t number, struct str *domain_of_url)
{
    struct politeness *politeness = &frontier->politeness;

    if (!queue_uses_disk(&frontier->queue, offer->kind))
        return false;
    struct domain *domain = offer->domain.len
                                ? domain_named(politeness, offer->domain)
                                : domain_for(politeness, offer->url);
    if (!queue_put_on_disk(&frontier->queue, domain,
                           host_known(politeness, offer->url), offer, number))
        return false;
    host_count_seen(politeness, offer->url);
    *domain_of_url = domain_name(domain);
    return true;
}

struct str put_numbered(struct frontier *frontier, const struct offer *offer,
                        uint64_t number)
{
    struct str domain;

    if (put_on_disk(frontier, offer, number, &domain))
        return domain;
    struct host *host = host_for(&frontier->politeness, offer->url);
    enqueue(frontier, queue_new_target(&frontier->queue, host, offer, number));
    return domain_name(host->domain);
}

struct queued frontier_put(struct frontier *frontier, const struct offer *offer,
                           uint64_t now_ms)
{
    uint32_t part = part_of_url(&frontier->options, offer->url, offer->domain);
    uint64_t number = frontier_next_number(frontier, part);

    frontier->politeness.now_ms = now_ms;
    return (struct queued){
        .number = number,
        .domain = put_numbered(frontier, offer, number),
    };
}

bool frontier_found_again(struct frontier *frontier, const struct offer *offer)
{
    struct target *target =
        hashtable_get(&frontier->queue.targets, offer->fingerprint);

    if (!target)
        return queue_shorten_on_disk(&frontier->queue, offer);
    queue_found_again(&frontier->queue, target, offer);
    changes_add_target(&frontier->changes, target);
    if (target->state == TARGET_QUEUED)
        politeness_place(&frontier->politeness, target->host);
    return false;
}

/* --- out ---------------------------------------------------------------- */

void fetch_started(struct frontier *frontier, struct target *target)
{
    target->state = TARGET_IN_FLIGHT;
    frontier->counts.in_flight++;
    politeness_fetch_started(&frontier->politeness, target->host);
}

/* Judge a target again when its turn has come: ACCEPT, or why it must not be
 * fetched. */
static bool is_known(const struct frontier *frontier,
                     const struct target *target)
{
    uint64_t url = target_url_fingerprint((enum target_kind)target->kind,
                                          target->fingerprint);

    return frontier->known && target->kind != TARGET_SITEMAP &&
           (seen_has(frontier->known, url) ||
            (target->kind == TARGET_REQUISITE &&
             seen_has(frontier->known_requisites, url)));
}

static enum verdict check_again(struct frontier *frontier,
                                struct target *target)
{
    struct host *host = target->host;
    const struct url url = target_url_parts(target);
    uint64_t rest_ms;

    if (target->kind == TARGET_ROBOTS)
        return ACCEPT;
    if (is_refused_by_hand(&frontier->politeness, &url))
        return BY_HAND;
    if (is_known(frontier, target))
        return DUPLICATE;
    if (politeness_is_beyond_cap(&frontier->politeness, target))
        return DOMAIN_CAP;
    if (host_is_given_up(host, url.https))
        return given_up_verdict(host);
    enum verdict verdict = setup_verdict(host, url.https, url_path_query(&url),
                                         &target->robots_line, &rest_ms);
    if (rest_ms)
        politeness_rest_until(host, frontier->politeness.now_ms + rest_ms);
    return verdict;
}

static struct target *refuse(struct frontier *frontier, struct target *target,
                             enum verdict verdict)
{
    struct host *host = target->host;

    queue_take(&frontier->queue, target);
    target->verdict = (uint8_t)verdict;
    target->last_outcome = host_given_up_outcome(host);
    target->state = TARGET_IN_FLIGHT;
    frontier->counts.in_flight++;
    politeness_refusal_started(&frontier->politeness, host);
    queue_refill(&frontier->queue, host);
    return target;
}

/* The domain is capped: its waiting targets come out refused, without a pause
 * or a retry. */
void note_capped(struct frontier *frontier, struct domain *domain)
{
    frontier->counts.domains_capped++;
    while (domain->active && domain->active->queue.retries.count) {
        const struct target *target =
            queue_release_retry(&frontier->queue, domain->active);
        politeness_place(&frontier->politeness, target->host);
    }
    politeness_release_domain(&frontier->politeness, domain);
}

static struct target *begin(struct frontier *frontier, struct target *target)
{
    struct domain *domain = target->host->domain;

    queue_take(&frontier->queue, target);
    if (target->kind == TARGET_PAGE) {
        domain->score.crawled++;
        frontier->counts.domains_crawled += domain->score.crawled == 1;
    }
    fetch_started(frontier, target);
    if (target->kind == TARGET_PAGE &&
        domain->score.crawled == frontier->options.max_per_domain)
        note_capped(frontier, domain);
    queue_refill(&frontier->queue, target->host);
    return target;
}

void frontier_hold_pages(struct frontier *frontier, bool hold)
{
    frontier->pages_held = hold;
}

static bool is_held(const struct frontier *frontier,
                    const struct target *target)
{
    return frontier->pages_held &&
           (target->kind == TARGET_PAGE || target->kind == TARGET_SITEMAP);
}

bool has_its_turn(const struct frontier *frontier, const struct target *target)
{
    return queue_is_its_level(&frontier->queue, target) &&
           !is_held(frontier, target);
}

/* Find the target whose turn it is, or NULL. It stays in its queue. */
static struct target *find_next(struct frontier *frontier)
{
    struct politeness *politeness = &frontier->politeness;
    struct target *target;

    do {
        /* A host that waits for a smaller depth gives way: it may be the reason
         * why hosts of that depth find no place in the queue. */
        while ((target = politeness_first_in_queues(politeness))) {
            if (has_its_turn(frontier, target))
                return target;
            politeness_lose_turn(politeness, target->host);
        }
        target = politeness_first_ready(politeness,
                                        setups_may_look_up(&frontier->setups));
        if (target && has_its_turn(frontier, target))
            return target;
        if (target && is_held(frontier, target))
            return NULL; /* requisites go first, so none is ready */
    } while (queue_open_disk(&frontier->queue));
    return NULL;
}

static void release_due(struct frontier *frontier, uint64_t now_ms)
{
    const struct target *target;

    frontier->politeness.now_ms = now_ms;
    while ((target = queue_release_due(&frontier->queue, now_ms)))
        politeness_place(&frontier->politeness, target->host);
    politeness_release_due(&frontier->politeness);
}

struct target *frontier_take(struct frontier *frontier, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct target *target, *step;

    release_due(frontier, now_ms);
    while ((target = find_next(frontier))) {
        if (drop_moved_robots(frontier, target))
            continue;
        if (politeness_is_to_refuse(politeness, target))
            return refuse(frontier, target, check_again(frontier, target));
        if (!politeness_may_ask_address(politeness, target->host))
            continue;
        if ((step = begin_setup(frontier, target)))
            return step;
        enum verdict verdict = check_again(frontier, target);
        return verdict == ACCEPT ? begin(frontier, target)
                                 : refuse(frontier, target, verdict);
    }
    return NULL;
}

void frontier_drop(struct frontier *frontier, struct target *target,
                   uint64_t now_ms)
{
    frontier->politeness.now_ms = now_ms;
    frontier->counts.in_flight--;
    queue_close(&frontier->queue, target);
    politeness_refusal_ended(&frontier->politeness, target->host);
    changes_remove_target(&frontier->changes, target);
    free(target);
}

/* --- done --------------------------------------------------------------- */

enum { KEPT_LONGER = 10, KEPT_AT_A_TIME = 4 };

/* A URL of the host may be on disk: then it is kept for longer, with its
 * robots.txt and its health. */
static bool is_needed(const struct frontier *frontier, const struct host *host)
{
    const struct active *active = host->domain->active;

    if (!disk_queue_is_empty(&host->queue.disk) || host->queue.disk.shortened)
        return true;
    return active && !disk_queue_is_empty(&active->queue.disk) &&
           frontier->politeness.idle_count / KEPT_LONGER <
               frontier->options.idle_hosts_max;
}

/* Forget the hosts that have been idle longest. A host whose pause is not over,
 * or that is needed, stays. */
void forget_idle_hosts(struct frontier *frontier)
{
    struct politeness *politeness = &frontier->politeness;
    uint32_t max = frontier->options.idle_hosts_max;

    for (unsigned kept = 0;
         max && politeness->idle_count > max && kept < KEPT_AT_A_TIME;) {
        struct host *host = politeness->idle_oldest;
        if (host->next_ms <= politeness->now_ms && !is_needed(frontier, host)) {
            changes_remove_host(&frontier->changes, host);
            setup_forget(&frontier->setups, host);
            host_forget(politeness, host);
            continue;
        }
        idle_remove(politeness, host);
        idle_put(politeness, host);
        kept++;
    }
}

void leave_behind(struct frontier *frontier, struct host *host,
                  uint64_t rest_ms)
{
    uint64_t long_ms = frontier->options.leave_behind_ms;

    if (!frontier->ranking.by_level || !long_ms || rest_ms <= long_ms ||
        rest_ms <= frontier->options.delay_ms || host->left_behind ||
        frontier->politeness.hosts.count < 2)
        return;
    queue_leave_behind(&frontier->queue, host);
    frontier->has_left_behind = true;
}

bool frontier_has_left_behind(const struct frontier *frontier)
{
    return frontier->has_left_behind;
}

/* The clock of the frontier stays as it is: `ended_ms` may be ahead of it, and
 * a host whose pause ends in between must not be asked before. */
void fetch_ended(struct frontier *frontier, struct target *target,
                 uint64_t ended_ms, uint64_t wait_ms)
{
    uint64_t delay_ms = frontier_delay_ms(frontier, target);

    frontier->counts.in_flight--;
    leave_behind(frontier, target->host,
                 delay_ms > wait_ms ? delay_ms : wait_ms);
    politeness_fetch_ended(&frontier->politeness, target->host, ended_ms,
                           delay_ms, wait_ms);
    forget_idle_hosts(frontier);
}

void frontier_note(struct frontier *frontier, struct target *target,
                   enum host_health health, uint8_t outcome)
{
    struct host *host = target->host;

    if (health == HOST_SILENT)
        setup_try_next_address(host);
    if (trouble_note(&frontier->politeness, host, target_is_https(target),
                     health, outcome))
        changes_add_host(&frontier->changes, host);
}

void frontier_note_prompt(struct frontier *frontier,
                          const struct target *target, bool is_prompt)
{
    politeness_set_prompt(&frontier->politeness, target->host->domain,
                          is_prompt);
}

void frontier_note_error(struct frontier *frontier, struct target *target,
                         uint8_t outcome, uint64_t ended_ms)
{
    if (trouble_note_error(&frontier->politeness, target->host,
                           target_is_https(target), outcome, ended_ms))
        changes_add_host(&frontier->changes, target->host);
}

void frontier_done(struct frontier *frontier, struct target *target,
                   uint64_t ended_ms, uint64_t wait_ms)
{
    assert(target->state == TARGET_IN_FLIGHT);
    /* Depths may be kept only since it was taken. */
    if (target->kind == TARGET_PAGE)
        queue_keep_depth(&frontier->queue, target->number, target->fingerprint,
                         target->depth);
    queue_close(&frontier->queue, target);
    changes_remove_target(&frontier->changes, target);
    fetch_ended(frontier, target, ended_ms, wait_ms);
    free(target);
}

void put_retry(struct frontier *frontier, struct target *target,
               uint64_t due_ms)
{
    domain_active(target->host->domain, &frontier->ranking);
    queue_put_retry(&frontier->queue, target, due_ms);
}

void frontier_abandoned(struct frontier *frontier, struct target *target,
                        uint64_t ended_ms)
{
    put_retry(frontier, target, 0);
    fetch_ended(frontier, target, ended_ms, 0);
}

void frontier_again(struct frontier *frontier, struct target *target,
                    uint64_t ended_ms, uint64_t wait_ms, bool whole_host)
{
    /* A target that will be refused need not wait for its retry. */
    bool waits =
        wait_ms && !politeness_is_beyond_cap(&frontier->politeness, target);

    target->tries++;
    /* Before the end of the fetch, so that the host is never idle. */
    put_retry(frontier, target, waits ? ended_ms + wait_ms : 0);
    fetch_ended(frontier, target, ended_ms, whole_host ? wait_ms : 0);
}
