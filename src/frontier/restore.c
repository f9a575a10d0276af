#include "frontier/parts.h"

/* For the record of the crawl: what has changed since it was last reported, and
 * the way back after a resume. */

/* --- changes ------------------------------------------------------------ */

const struct target *frontier_next_changed(struct frontier *frontier)
{
    return changes_take_target(&frontier->changes);
}

bool frontier_next_mentioned(struct frontier *frontier, struct str *name,
                             uint32_t *found)
{
    const struct domain *domain = changes_take_domain(&frontier->changes);

    if (!domain)
        return false;
    *name = domain_name(domain);
    *found = domain->score.found;
    return true;
}

bool frontier_next_troubled(struct frontier *frontier, struct host_state *state)
{
    const struct host *host = changes_take_host(&frontier->changes);

    if (!host)
        return false;
    const struct host_trouble *trouble = &host->trouble;
    bool half = !trouble->dead && (trouble->closed[0] || trouble->closed[1]);
    *state = (struct host_state){
        .name = host_name(host),
        .failures = trouble_failures(host),
        .no_reply_count = trouble->no_reply_count,
        .given_up = trouble_given_up(host),
        .backoffs = trouble->backoffs,
        .last_outcome = half ? trouble->closed_outcome : trouble->last_outcome,
        .next_ms = host->next_ms,
    };
    return true;
}

uint64_t frontier_next_number(struct frontier *frontier, uint32_t part)
{
    return partition_number(part, frontier->next_n[part]++);
}

static uint64_t delay_of_host(const struct frontier *frontier,
                              const struct host *host,
                              const struct host_robots *replaced,
                              const struct robots *rules)
{
    const struct frontier_options *options = &frontier->options;

    uint64_t delay_ms = host->hand_delay_ms == BY_HAND_NO_DELAY
                            ? options->delay_ms
                            : host->hand_delay_ms;

    return options->has_no_pauses
               ? 0
               : setup_delay_ms(host, delay_ms, replaced, rules);
}

uint64_t host_delay_ms(const struct frontier *frontier, const struct host *host)
{
    return delay_of_host(frontier, host, NULL, NULL);
}

uint64_t frontier_delay_ms(const struct frontier *frontier,
                           const struct target *target)
{
    return host_delay_ms(frontier, target->host);
}

uint64_t frontier_robots_delay_ms(const struct frontier *frontier,
                                  const struct target *target,
                                  const struct robots *rules)
{
    const struct host *host = target->host;
    /* The rules are the asker's, which may be another host. */
    const struct host_robots *replaced =
        target->asker == host ? &host->setup.robots[host->setup.robots_https]
                              : NULL;

    return delay_of_host(frontier, host, replaced, rules);
}

/* --- back --------------------------------------------------------------- */

void frontier_restore_number(struct frontier *frontier, uint64_t number)
{
    uint32_t part = partition_of_number(number);
    uint64_t n = number - partition_number(part, 0);

    if (frontier->next_n[part] <= n)
        frontier->next_n[part] = n + 1;
}

void frontier_restore(struct frontier *frontier, const struct offer *offer,
                      const struct target_history *past, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;

    politeness->now_ms = now_ms;
    if (!past->tries && past->due_ms <= now_ms) {
        put_numbered(frontier, offer, past->number);
        return;
    }
    struct target *target =
        queue_new_target(&frontier->queue, host_for(politeness, offer->url),
                         offer, past->number);
    target->tries = past->tries;
    /* A target that will be refused need not wait for it. */
    if (past->due_ms <= now_ms ||
        politeness_is_capped(politeness, target->host->domain)) {
        enqueue(frontier, target);
    } else {
        put_retry(frontier, target, past->due_ms);
        politeness_place(politeness, target->host);
    }
}

void frontier_restore_fetches(struct frontier *frontier, struct str name,
                              uint32_t fetches, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct domain *domain = domain_named(politeness, name);
    bool was_capped = politeness_is_capped(politeness, domain);

    politeness->now_ms = now_ms;
    if (!fetches)
        return;
    if (!domain->score.crawled)
        frontier->counts.domains_crawled++;
    domain->score.crawled += fetches;
    politeness_place_domain(politeness, domain);
    if (!was_capped && politeness_is_capped(politeness, domain))
        note_capped(frontier, domain);
}

void frontier_restore_found(struct frontier *frontier, const struct url *url,
                            uint32_t found)
{
    struct domain *domain = domain_for(&frontier->politeness, url);

    domain->score.found = found;
    politeness_place_domain(&frontier->politeness, domain);
}

static void set_clock(struct frontier *frontier, struct host *host,
                      uint64_t next_ms)
{
    uint64_t now_ms = frontier->politeness.now_ms;

    leave_behind(frontier, host, next_ms > now_ms ? next_ms - now_ms : 0);
    politeness_rest_until(host, next_ms);
    politeness_place(&frontier->politeness, host);
    forget_idle_hosts(frontier);
}

void frontier_restore_clock(struct frontier *frontier, const struct url *url,
                            uint64_t next_ms, uint64_t now_ms)
{
    frontier->politeness.now_ms = now_ms;
    set_clock(frontier, host_for(&frontier->politeness, url), next_ms);
}

void frontier_restore_host(struct frontier *frontier, const struct url *url,
                           const struct host_state *state, uint64_t now_ms)
{
    struct host *host = host_for(&frontier->politeness, url);

    frontier->politeness.now_ms = now_ms;
    host->backing_off = state->next_ms > now_ms;
    trouble_restore(&frontier->politeness, host, state);
    set_clock(frontier, host, state->next_ms);
}

void frontier_restore_answered(struct frontier *frontier, const struct url *url)
{
    struct host *host = host_known(&frontier->politeness, url);

    if (host)
        host->trouble.answered[url->https] = true;
    host_remember_answer(&frontier->politeness, url);
}

void frontier_restore_robots(struct frontier *frontier, const struct url *url,
                             struct robots *rules, uint64_t until_ms,
                             uint64_t now_ms)
{
    struct host *host = host_for(&frontier->politeness, url);

    frontier->politeness.now_ms = now_ms;
    host->trouble.answered[url->https] = true;
    setup_set_rules(&frontier->setups, host, url->https, rules, until_ms);
    set_clock(frontier, host, 0);
}

void rest_host(struct frontier *frontier, struct host *host, uint64_t now_ms)
{
    uint64_t delay_ms = delay_of_host(frontier, host, NULL, NULL);

    frontier->politeness.now_ms = now_ms;
    if (!delay_ms)
        return;
    /* The clock is cut to milliseconds: a pause counted from now_ms could be
     * short by up to one. */
    politeness_rest_until(host, now_ms + 1 + delay_ms);
    politeness_place(&frontier->politeness, host);
}

void frontier_rest_all(struct frontier *frontier, uint64_t now_ms)
{
    struct host *host;

    frontier->politeness.now_ms = now_ms;
    for (size_t at = 0;
         (host = hashtable_next(&frontier->politeness.hosts, &at));)
        rest_host(frontier, host, now_ms);
}
