#include <assert.h>
#include <stdlib.h>

#include "frontier/parts.h"

/* The steps of a host's setup as targets: they are taken like pages and come
 * back here. */

/* Looking a name up asks nothing of the host, so it is no fetch. */
static struct target *begin_lookup(struct frontier *frontier,
                                   const struct target *page)
{
    struct target *target = setup_begin_lookup(&frontier->setups, page);

    target->state = TARGET_IN_FLIGHT;
    frontier->counts.in_flight++;
    politeness_place(&frontier->politeness, target->host);
    return target;
}

struct target *begin_setup(struct frontier *frontier, struct target *page)
{
    if (!page->host->setup.resolved)
        return begin_lookup(frontier, page);
    struct target *target = setup_begin_robots(&frontier->setups, page,
                                               frontier->politeness.now_ms);
    if (target)
        fetch_started(frontier, target);
    return target;
}

static void end_lookup(struct frontier *frontier, struct target *target)
{
    frontier->counts.in_flight--;
    setup_end_lookup(&frontier->setups, target->host);
    politeness_place(&frontier->politeness, target->host);
    free(target);
}

void frontier_resolved(struct frontier *frontier, struct target *target,
                       const struct ip *ip, uint64_t now_ms)
{
    struct host *host = target->host;

    assert(target->kind == TARGET_RESOLVE && host->setup.under_way);
    frontier->politeness.now_ms = now_ms;
    host->setup.resolved = true;
    if (host->trouble.failed_lookups)
        changes_add_host(&frontier->changes, host);
    host->trouble.failed_lookups = 0;
    host_move_to(&frontier->politeness, host, ip);
    end_lookup(frontier, target);
}

/* Was it fetched here? Otherwise another machine was asked for it. */
static bool is_fetch(const struct target *robots)
{
    return robots->state == TARGET_IN_FLIGHT;
}

static void end_fetch(struct frontier *frontier, struct target *robots,
                      uint64_t ended_ms, uint64_t wait_ms)
{
    if (is_fetch(robots))
        fetch_ended(frontier, robots, ended_ms, wait_ms);
    free(robots);
}

/* The asker's setup has ended. */
static void end_robots(struct frontier *frontier, struct target *target,
                       bool in_vain, uint64_t ended_ms, uint64_t wait_ms)
{
    setup_end(&frontier->setups, target->asker);
    if (in_vain && is_fetch(target))
        setup_try_next_address(target->host);
    politeness_place(&frontier->politeness, target->asker);
    end_fetch(frontier, target, ended_ms, wait_ms);
}

void frontier_robots(struct frontier *frontier, struct target *target,
                     struct robots *rules, uint64_t ended_ms)
{
    struct host *asker = target->asker;
    bool https = asker->setup.robots_https;

    assert(target->kind == TARGET_ROBOTS && asker->setup.under_way);
    setup_set_rules(&frontier->setups, asker, https, rules,
                    ended_ms + FRONTIER_ROBOTS_KEPT_MS);
    if (asker->trouble.failures[https])
        changes_add_host(&frontier->changes, asker);
    asker->trouble.failures[https] = 0;
    asker->trouble.answered[https] = true;
    /* The asker was last fetched from before its Crawl-delay was known. */
    if ((asker != target->host || !is_fetch(target)) && rules &&
        !frontier->options.has_no_pauses &&
        robots_crawl_delay_ms(rules) > frontier->options.delay_ms)
        politeness_rest_until(asker, ended_ms + robots_crawl_delay_ms(rules));
    end_robots(frontier, target, false, ended_ms, 0);
}

struct str frontier_robots_host(const struct target *step)
{
    return host_name(step->asker);
}

struct str frontier_robots_asks(const struct target *step)
{
    return host_name(step->host);
}

bool frontier_robots_is_https(const struct target *step)
{
    return step->asker->setup.robots_https;
}

unsigned frontier_failures(const struct target *step)
{
    const struct host_trouble *trouble = &setup_host(step)->trouble;

    return step->kind == TARGET_RESOLVE
               ? trouble->failed_lookups
               : trouble->failures[setup_is_for_https(step)];
}

static void note_failure(struct frontier *frontier, const struct target *step,
                         uint8_t outcome, bool for_good)
{
    struct politeness *politeness = &frontier->politeness;
    struct host *host = setup_host(step);
    bool https = setup_is_for_https(step);
    bool is_lookup = step->kind == TARGET_RESOLVE;
    bool too_many =
        is_lookup ? trouble_note_failed_lookup(politeness, host, outcome)
                  : trouble_note_silence(politeness, host, https, outcome);

    changes_add_host(&frontier->changes, host);
    if (!too_many && !for_good)
        return;
    /* Without an address neither http nor https can be asked any more. */
    if (is_lookup)
        host->trouble.answered[0] = host->trouble.answered[1] = false;
    trouble_give_up(politeness, host, https, !is_lookup, outcome);
}

static void end_step(struct frontier *frontier, struct target *step,
                     bool in_vain, uint64_t ended_ms, uint64_t wait_ms)
{
    if (step->kind == TARGET_ROBOTS)
        end_robots(frontier, step, in_vain, ended_ms, wait_ms);
    else
        end_lookup(frontier, step);
}

void frontier_setup_failed(struct frontier *frontier, struct target *target,
                           uint64_t ended_ms, uint64_t wait_ms, uint8_t outcome,
                           bool for_good)
{
    struct host *host = setup_host(target);

    note_failure(frontier, target, outcome, for_good);
    host->backing_off = true;
    politeness_rest_until(host, ended_ms + wait_ms);
    end_step(frontier, target, true, ended_ms, wait_ms);
}

void frontier_setup_stopped(struct frontier *frontier, struct target *target,
                            uint64_t ended_ms)
{
    end_step(frontier, target, false, ended_ms, 0);
}

/* Queued like a page, before all of them, so that all rules hold for it; the
 * asker's setup is still under way. */
static void queue_robots(struct frontier *frontier, struct host *asker,
                         const struct url *url, uint8_t redirects)
{
    struct target *target =
        target_new(host_for(&frontier->politeness, url), TARGET_ROBOTS, url);

    target->asker = asker;
    target->redirects = redirects;
    target->found = UINT32_MAX;
    /* No other has this one: a host has one step of its setup at a time. */
    target->fingerprint = ~asker->key;
    enqueue(frontier, target);
}

bool frontier_robots_moved(struct frontier *frontier, struct target *from,
                           const struct url *url, uint64_t ended_ms)
{
    if (from->redirects >= ROBOTS_REDIRECTS_MAX)
        return false;
    queue_robots(frontier, from->asker, url, (uint8_t)(from->redirects + 1));
    end_fetch(frontier, from, ended_ms, 0);
    return true;
}

/* --- robots.txt of other machines ------------------------------------------
 */

void frontier_robots_elsewhere(struct frontier *frontier, struct target *from,
                               uint64_t ended_ms)
{
    from->asker->setup.is_elsewhere = true;
    end_fetch(frontier, from, ended_ms, 0);
}

struct target *frontier_robots_told(struct frontier *frontier,
                                    const struct url *asker,
                                    const struct url *url, uint8_t redirects)
{
    struct host *host = host_known(&frontier->politeness, asker);

    if (!host || !host->setup.is_elsewhere ||
        host->setup.robots_https != asker->https)
        return NULL;
    host->setup.is_elsewhere = false;
    struct target *target = target_new(host, TARGET_ROBOTS, url);
    target->asker = host;
    target->redirects = redirects;
    return target;
}

enum robots_asked frontier_robots_asked(struct frontier *frontier,
                                        const struct url *asker,
                                        const struct url *url, uint8_t *outcome)
{
    struct host *host = host_for(&frontier->politeness, url);
    struct host *guest = host_for(&frontier->politeness, asker);

    if (guest->setup.under_way)
        return ROBOTS_ASKED_LATER;
    if (host_is_given_up(host, url->https)) {
        *outcome = host_given_up_outcome(host);
        return ROBOTS_ASKED_IN_VAIN;
    }
    setup_begin(&frontier->setups, guest, asker->https);
    guest->setup.is_guest = true;
    politeness_place(&frontier->politeness, guest);
    queue_robots(frontier, guest, url, 0);
    return ROBOTS_ASKED_NOW;
}

bool frontier_robots_is_guest(const struct target *target)
{
    return target->asker->setup.is_guest;
}

void frontier_robots_answered(struct frontier *frontier, struct target *target,
                              uint64_t ended_ms, uint64_t wait_ms)
{
    end_robots(frontier, target, wait_ms > 0, ended_ms, wait_ms);
}

bool drop_moved_robots(struct frontier *frontier, struct target *target)
{
    struct host *host = target->host, *asker = target->asker;

    if (target->kind != TARGET_ROBOTS ||
        !host_is_given_up(host, target_is_https(target)))
        return false;
    bool is_guest = asker->setup.is_guest;
    queue_take(&frontier->queue, target);
    setup_end(&frontier->setups, asker);
    /* A guest is judged by its own machine: see frontier_robots_asked. */
    if (!is_guest)
        note_failure(frontier, target, host_given_up_outcome(host), true);
    politeness_place(&frontier->politeness, host);
    if (asker != host)
        politeness_place(&frontier->politeness, asker);
    queue_refill(&frontier->queue, host);
    free(target);
    return true;
}
