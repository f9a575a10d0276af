#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

/* What has to be told so that it can be remembered: lists of what changed,
 * each thing at most once in its list. And the way back. */

/* --- changes ------------------------------------------------------------ */

/* Room for one more pointer at the end of a list. */
static void *room_for_one(void *list, size_t count, size_t *room)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 64;
    return mem_resize(list, *room * sizeof(void *));
}

void changed_target(struct frontier *frontier, struct target *target)
{
    struct changes *changes = &frontier->changes;

    if (target->changed_at || !frontier->options.report_changes)
        return;
    changes->target =
        room_for_one(changes->target, changes->targets, &changes->target_room);
    changes->target[changes->targets++] = target;
    target->changed_at = (uint32_t)changes->targets;
}

void changed_domain(struct frontier *frontier, struct domain *domain)
{
    struct changes *changes = &frontier->changes;

    if (domain->changed || !frontier->options.report_changes)
        return;
    changes->domain =
        room_for_one(changes->domain, changes->domains, &changes->domain_room);
    changes->domain[changes->domains++] = domain;
    domain->changed = true;
}

void changed_host(struct frontier *frontier, struct host *host)
{
    struct changes *changes = &frontier->changes;

    if (host->changed || !frontier->options.report_changes)
        return;
    changes->host =
        room_for_one(changes->host, changes->hosts, &changes->host_room);
    changes->host[changes->hosts++] = host;
    host->changed = true;
}

void forget_changed_target(struct frontier *frontier, struct target *target)
{
    struct changes *changes = &frontier->changes;

    if (!target->changed_at)
        return;
    struct target *last = changes->target[--changes->targets];
    changes->target[target->changed_at - 1] = last;
    last->changed_at = target->changed_at;
    target->changed_at = 0;
}

void forget_changed_host(struct frontier *frontier, struct host *host)
{
    struct changes *changes = &frontier->changes;

    for (size_t i = 0; i < changes->hosts && host->changed; i++) {
        if (changes->host[i] != host)
            continue;
        changes->host[i] = changes->host[--changes->hosts];
        host->changed = false;
    }
}

void changes_release(struct changes *changes)
{
    free(changes->target);
    free(changes->domain);
    free(changes->host);
}

const struct target *frontier_next_changed(struct frontier *frontier)
{
    struct changes *changes = &frontier->changes;

    if (!changes->targets)
        return NULL;
    struct target *target = changes->target[changes->targets - 1];
    forget_changed_target(frontier, target);
    return target;
}

bool frontier_next_mentioned(struct frontier *frontier, struct str *name,
                             uint32_t *found)
{
    struct changes *changes = &frontier->changes;

    if (!changes->domains)
        return false;
    struct domain *domain = changes->domain[--changes->domains];
    domain->changed = false;
    *name = (struct str){domain->name, domain->name_len};
    *found = domain->found;
    return true;
}

static uint8_t given_up_bits(const struct host *host)
{
    unsigned bits = 0;

    if (host->dead)
        bits |= host->dead_robots ? GIVEN_UP_ROBOTS : GIVEN_UP_SILENT;
    if (host->closed[0])
        bits |= GIVEN_UP_HTTP;
    if (host->closed[1])
        bits |= GIVEN_UP_HTTPS;
    if (host->closed_robots)
        bits |= GIVEN_UP_SCHEME_ROBOTS;
    return (uint8_t)bits;
}

bool frontier_next_troubled(struct frontier *frontier, struct host_state *state)
{
    struct changes *changes = &frontier->changes;

    if (!changes->hosts)
        return false;
    struct host *host = changes->host[--changes->hosts];
    bool half = !host->dead && (host->closed[0] || host->closed[1]);
    host->changed = false;
    *state = (struct host_state){
        .name = {host->name, host->name_len},
        .failures = host->failures[0] > host->failures[1] ? host->failures[0]
                                                          : host->failures[1],
        .no_reply_count = host->mute,
        .given_up = given_up_bits(host),
        .backoffs = host->backoffs,
        .last_outcome = half ? host->closed_cause : host->cause,
        .next_ms = host->next_ms,
    };
    return true;
}

uint64_t frontier_next_number(struct frontier *frontier)
{
    return frontier->next_age++;
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
    uint64_t delay_ms = frontier->options.delay_ms;

    for (size_t i = 0; i < ARRAY_LEN(host->robots); i++) {
        /* The rules are the asker's, who may be another. */
        bool anew = target->asker == host && i == host->robots_https;
        const struct robots *counts = anew ? rules : host->robots[i].rules;
        if (counts && robots_crawl_delay_ms(counts) > delay_ms)
            delay_ms = robots_crawl_delay_ms(counts);
    }
    return delay_ms;
}

/* --- back --------------------------------------------------------------- */

void frontier_restore_number(struct frontier *frontier, uint64_t number)
{
    if (frontier->next_age <= number)
        frontier->next_age = number + 1;
}

void frontier_restore(struct frontier *frontier, const struct offer *offer,
                      const struct target_history *past, uint64_t now_ms)
{
    if (!past->tries && past->due_ms <= now_ms) {
        put_numbered(frontier, offer, past->number, now_ms);
        return;
    }
    struct target *target = target_new(frontier, offer, past->number);
    target->tries = past->tries;
    levels_add(&frontier->levels, target->depth);
    /* What will be refused need not wait for it. */
    if (past->due_ms <= now_ms ||
        domain_is_capped(frontier, target->host->domain)) {
        enqueue(frontier, target, now_ms);
    } else {
        hashtable_put(&frontier->targets, target->fingerprint, target);
        target->host->retrying++;
        target->due_ms = past->due_ms;
        target->state = TARGET_RETRYING;
        put_retry(frontier, target);
        place_host(frontier, target->host, now_ms);
    }
    count_queued(frontier);
}

void frontier_restore_fetches(struct frontier *frontier, struct str name,
                              uint32_t fetches, uint64_t now_ms)
{
    struct domain *domain = domain_named(frontier, name);
    bool was_capped = domain_is_capped(frontier, domain);

    if (!fetches)
        return;
    if (!domain->crawled)
        frontier->counts.domains_crawled++;
    domain->crawled += fetches;
    place_domain(frontier, domain);
    if (was_capped || !domain_is_capped(frontier, domain))
        return;
    frontier->counts.domains_capped++;
    release_capped(frontier, domain, now_ms);
}

void frontier_restore_found(struct frontier *frontier, const struct url *url,
                            uint32_t found)
{
    struct domain *domain = domain_for(frontier, url);

    domain->found = found;
    place_domain(frontier, domain);
}

static void set_clock(struct frontier *frontier, struct host *host,
                      uint64_t next_ms, uint64_t now_ms)
{
    if (host->next_ms < next_ms)
        host->next_ms = next_ms;
    place_host(frontier, host, now_ms);
    idle_trim(frontier, now_ms);
}

void frontier_restore_clock(struct frontier *frontier, const struct url *url,
                            uint64_t next_ms, uint64_t now_ms)
{
    set_clock(frontier, host_for(frontier, url), next_ms, now_ms);
}

static void restore_given_up(struct frontier *frontier, struct host *host,
                             const struct host_state *state)
{
    bool dead = state->given_up & GIVEN_UP_HOST;

    if (dead && !host->dead)
        frontier->counts.hosts_dead++;
    else if (!dead && host->dead)
        frontier->counts.hosts_dead--;
    host->dead = dead;
    host->dead_robots = state->given_up & GIVEN_UP_ROBOTS;
    host->closed[0] = state->given_up & GIVEN_UP_HTTP;
    host->closed[1] = state->given_up & GIVEN_UP_HTTPS;
    host->closed_robots = state->given_up & GIVEN_UP_SCHEME_ROBOTS;
    host->closed_cause = state->last_outcome;
}

void frontier_restore_host(struct frontier *frontier, const struct url *url,
                           const struct host_state *state, uint64_t now_ms)
{
    struct host *host = host_for(frontier, url);

    host->failures[0] = host->failures[1] = state->failures;
    host->mute = state->no_reply_count;
    host->cause = state->last_outcome;
    host->backing_off = state->next_ms > now_ms;
    restore_given_up(frontier, host, state);
    restore_backoffs(host, state->backoffs, now_ms);
    set_clock(frontier, host, state->next_ms, now_ms);
}

void frontier_restore_answered(struct frontier *frontier, const struct url *url)
{
    struct host *host = host_known(frontier, url);

    if (host)
        host->answered[url->https] = true;
    remember_answer(frontier, url);
}

void frontier_restore_robots(struct frontier *frontier, const struct url *url,
                             struct robots *rules, uint64_t until_ms,
                             uint64_t now_ms)
{
    struct host *host = host_for(frontier, url);
    struct host_robots *robots = &host->robots[url->https];

    host->answered[url->https] = true;
    rules_set(frontier, robots, rules);
    robots->until_ms = until_ms;
    set_clock(frontier, host, 0, now_ms);
}

void frontier_rest_all(struct frontier *frontier, uint64_t now_ms)
{
    struct host *host;

    for (size_t at = 0; (host = hashtable_next(&frontier->hosts, &at));) {
        uint64_t delay_ms = host_delay_ms(frontier, host);
        if (!delay_ms)
            continue;
        if (host->next_ms < now_ms + delay_ms)
            host->next_ms = now_ms + delay_ms;
        place_host(frontier, host, now_ms);
    }
}

/* --- one of them -------------------------------------------------------- */

const struct target *frontier_find(const struct frontier *frontier,
                                   uint64_t fingerprint)
{
    return hashtable_get(&frontier->targets, fingerprint);
}

uint64_t frontier_score(const struct frontier *frontier,
                        const struct target *target)
{
    return frontier->options.order == ORDER_BFS ? FRONTIER_BFS_SCORE
                                                : target_score(target);
}

struct domain_counts frontier_domain_counts(const struct frontier *frontier,
                                            const struct url *url)
{
    const struct domain *domain = domain_known(frontier, url);

    if (!domain)
        return (struct domain_counts){0};
    return (struct domain_counts){
        .crawled = domain->crawled,
        .found = domain->found,
    };
}

uint64_t frontier_due_ms(const struct target *target)
{
    uint64_t host_ms = target->host->next_ms;

    if (target->state == TARGET_RETRYING && target->due_ms > host_ms)
        return target->due_ms;
    return host_ms;
}
