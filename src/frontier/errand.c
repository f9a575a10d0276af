#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

/* A host's errands: its name is looked up and its robots.txt is fetched
 * before the first of its pages. */

enum {
    CROWDED_LOOK = 256, /* at so many hosts each time */
    /* What links to a host may cost between two of its pages, a quarter of a
     * second; the rest are judged when their turn comes. */
    FORESEEN_MAX = 256 * ROBOTS_WORK_PER_MS,
};

static struct target *new_errand(struct host *host, enum target_kind kind,
                                 struct str url)
{
    struct target *target = mem_new(sizeof(*target) + url.len + 1);

    target->kind = (uint8_t)kind;
    target->host = host;
    target->url_len = (uint16_t)url.len;
    memcpy(target->url, url.ptr, url.len);
    return target;
}

static void begin_errand(struct frontier *frontier, struct host *host)
{
    host->errand = true;
    frontier->counts.setups++;
    frontier->errand_host = host;
}

static void end_errand(struct frontier *frontier, struct host *host)
{
    host->errand = false;
    frontier->counts.setups--;
    if (frontier->errand_host == host)
        frontier->errand_host = NULL;
}

/* Looking a name up asks nothing of the host, so it is no fetch. */
static struct target *begin_resolve(struct frontier *frontier,
                                    struct host *host,
                                    const struct target *page, uint64_t now_ms)
{
    struct target *target = new_errand(host, TARGET_RESOLVE, target_url(page));

    begin_errand(frontier, host);
    target->state = TARGET_IN_FLIGHT;
    frontier->counts.in_flight++;
    assert(frontier->resolving < RESOLVING_MAX);
    frontier->resolving_of[frontier->resolving++] = host->domain;
    place_host(frontier, host, now_ms);
    return target;
}

static void end_resolve(struct frontier *frontier, const struct host *host)
{
    size_t i = 0;

    while (frontier->resolving_of[i] != host->domain)
        i++;
    frontier->resolving_of[i] = frontier->resolving_of[--frontier->resolving];
    frontier->counts.in_flight--;
}

static bool has_enough(const struct frontier *frontier,
                       const struct domain *domain)
{
    size_t count = 0;

    for (size_t i = 0; i < frontier->resolving; i++)
        count += frontier->resolving_of[i] == domain;
    return count >= RESOLVING_PER_DOMAIN;
}

static void line_up(struct host_line *line, struct host *host)
{
    host->newer = NULL;
    if (line->first)
        line->last->newer = host;
    else
        line->first = host;
    line->last = host;
}

bool park_unresolved(struct frontier *frontier, struct host *host)
{
    if (host->resolved)
        return false;
    bool crowded = has_enough(frontier, host->domain);
    if (!crowded && frontier->resolving < RESOLVING_MAX)
        return false;
    park(frontier, host);
    line_up(crowded ? &frontier->crowded : &frontier->unresolved, host);
    return true;
}

/* Of the crowded ones some are looked at each time, in turn. Where no look-up
 * is under way whose end would bring us back here, nobody waits: what is first
 * in a line may not be what the crawl is waiting for. */
void unpark_unresolved(struct frontier *frontier, uint64_t now_ms)
{
    struct host_line *line = &frontier->unresolved;
    size_t n = frontier->resolving;
    bool all = !n;

    for (; (n < RESOLVING_MAX || all) && line->first; n++)
        line->first = unpark(frontier, line->first, now_ms);
    line = &frontier->crowded;
    for (int i = 0; (n < RESOLVING_MAX && i < CROWDED_LOOK) || all; i++) {
        struct host *host = line->first;
        if (!host)
            return;
        if (all || !has_enough(frontier, host->domain)) {
            line->first = unpark(frontier, host, now_ms);
            n++;
        } else {
            line->first = host->newer;
            line_up(line, host);
        }
    }
}

static struct target *begin_robots(struct frontier *frontier, struct host *host,
                                   bool https, uint64_t now_ms)
{
    char url[URL_LEN_MAX + 32];
    int len =
        snprintf(url, sizeof(url), "%s://%.*s/robots.txt",
                 https ? "https" : "http", (int)host->name_len, host->name);
    struct target *target =
        new_errand(host, TARGET_ROBOTS, (struct str){url, (size_t)len});

    target->asker = host;
    begin_errand(frontier, host);
    host->robots_https = https;
    take_off(frontier, target, now_ms);
    return target;
}

struct target *next_errand(struct frontier *frontier, struct host *host,
                           const struct target *page, uint64_t now_ms)
{
    bool https = target_is_https(page);

    if (!host->resolved)
        return begin_resolve(frontier, host, page, now_ms);
    if (page->kind != TARGET_ROBOTS && frontier->options.robots &&
        host->robots[https].until_ms <= now_ms)
        return begin_robots(frontier, host, https, now_ms);
    return NULL;
}

static void wait_until(struct host *host, uint64_t time_ms)
{
    if (host->next_ms < time_ms)
        host->next_ms = time_ms;
}

static enum verdict ask_rules(struct host_robots *robots, struct str path,
                              unsigned *line, size_t *work)
{
    *work = 0;
    if (!robots->rules)
        return ACCEPT;
    bool allowed = robots_answer(robots->rules, path, line, work);
    if (*work > ROBOTS_WORK_USUAL)
        robots->costly = true;
    return allowed ? ACCEPT : ROBOTS_REFUSED;
}

enum verdict precheck_robots(const struct frontier *frontier, struct host *host,
                             bool https, struct str path, unsigned *line)
{
    struct host_robots *robots = &host->robots[https];
    size_t work;

    if (robots->costly || robots->foreseen > FORESEEN_MAX ||
        robots->until_ms <= frontier->now_ms)
        return ACCEPT;
    enum verdict verdict = ask_rules(robots, path, line, &work);
    robots->foreseen += work;
    return verdict;
}

enum verdict robots_verdict(struct host *host, bool https, struct str path,
                            unsigned *line, uint64_t now_ms)
{
    size_t work;
    enum verdict verdict = ask_rules(&host->robots[https], path, line, &work);

    host->robots[https].foreseen = 0;
    if (work > ROBOTS_WORK_USUAL)
        wait_until(host, now_ms + 10 * (1 + work / ROBOTS_WORK_PER_MS));
    return verdict;
}

void frontier_resolved(struct frontier *frontier, struct target *target,
                       const struct ip *ip, uint64_t now_ms)
{
    struct host *host = target->host;

    assert(target->kind == TARGET_RESOLVE && host->errand);
    end_errand(frontier, host);
    end_resolve(frontier, host);
    host->resolved = host->has_ip = true;
    host->ip = *ip;
    host_move_to(frontier, host, ip);
    place_host(frontier, host, now_ms);
    free(target);
}

/* While others are in flight to the address that it has, it keeps it, and
 * while it waits for its robots.txt: that may have moved to this very host. */
void try_next_address(struct host *host)
{
    if (!host->has_ip || host->in_flight > 1 || host->errand)
        return;
    host->resolved = false;
    host->address_turn++;
}

void frontier_robots(struct frontier *frontier, struct target *target,
                     struct robots *rules, uint64_t now_ms)
{
    struct host *asker = target->asker;
    struct host_robots *robots = &asker->robots[asker->robots_https];

    assert(target->kind == TARGET_ROBOTS && asker->errand);
    rules_set(frontier, robots, rules);
    robots->until_ms = now_ms + FRONTIER_ROBOTS_KEPT_MS;
    end_errand(frontier, asker);
    if (asker->failures[asker->robots_https])
        changed_host(frontier, asker);
    asker->failures[asker->robots_https] = 0;
    asker->answered[asker->robots_https] = true;
    /* Its own last fetch was before it was known how long it wants to rest. */
    if (asker != target->host && rules &&
        robots_crawl_delay_ms(rules) > frontier->options.delay_ms)
        wait_until(asker, now_ms + robots_crawl_delay_ms(rules));
    place_host(frontier, asker, now_ms);
    land(frontier, target, 0, now_ms);
    free(target);
}

static struct host *host_of_errand(const struct target *target)
{
    return target->kind == TARGET_ROBOTS ? target->asker : target->host;
}

struct str frontier_robots_host(const struct target *errand)
{
    const struct host *host = errand->asker;

    return (struct str){host->name, host->name_len};
}

bool frontier_robots_is_https(const struct target *errand)
{
    return errand->asker->robots_https;
}

/* On behalf of https pages? A name is looked up for both. */
static bool is_for_https(const struct target *errand)
{
    return errand->kind == TARGET_ROBOTS && errand->asker->robots_https;
}

unsigned frontier_failures(const struct target *errand)
{
    return host_of_errand(errand)->failures[is_for_https(errand)];
}

static void fail_errand(struct frontier *frontier, const struct target *errand,
                        uint8_t cause, bool for_good)
{
    struct host *host = host_of_errand(errand);
    bool https = is_for_https(errand);

    end_errand(frontier, host);
    if (!note_silence(frontier, host, https, cause) && !for_good)
        return;
    /* Without an address neither of the two can be had any more. */
    if (errand->kind == TARGET_RESOLVE)
        host->answered[0] = host->answered[1] = false;
    give_up(frontier, host, https, errand->kind == TARGET_ROBOTS, cause);
}

/* It is freed. */
static void land_errand(struct frontier *frontier, struct target *target,
                        uint64_t now_ms, uint64_t wait_ms)
{
    place_host(frontier, host_of_errand(target), now_ms);
    if (target->kind == TARGET_ROBOTS)
        land(frontier, target, wait_ms, now_ms);
    else
        end_resolve(frontier, target->host);
    free(target);
}

void frontier_setup_failed(struct frontier *frontier, struct target *target,
                           uint64_t now_ms, uint64_t wait_ms, uint8_t cause,
                           bool for_good)
{
    struct host *host = host_of_errand(target);

    fail_errand(frontier, target, cause, for_good);
    if (target->kind == TARGET_ROBOTS)
        try_next_address(target->host);
    wait_until(host, now_ms + wait_ms);
    host->backing_off = true;
    land_errand(frontier, target, now_ms, wait_ms);
}

void frontier_setup_stopped(struct frontier *frontier, struct target *target,
                            uint64_t now_ms)
{
    end_errand(frontier, host_of_errand(target));
    land_errand(frontier, target, now_ms, 0);
}

/* Queued like a page, before all of them, so that all rules hold for it; the
 * asker's errand is still under way. */
bool frontier_robots_moved(struct frontier *frontier, struct target *from,
                           const struct url *url, uint64_t now_ms)
{
    if (from->redirects >= ROBOTS_REDIRECTS_MAX)
        return false;
    struct target *target =
        new_errand(host_for(frontier, url), TARGET_ROBOTS, url->href);
    target->asker = from->asker;
    target->redirects = (uint8_t)(from->redirects + 1);
    target->found = UINT32_MAX;
    /* A host has one errand at a time. */
    target->fingerprint = ~from->asker->key;
    enqueue(frontier, target, now_ms);
    count_queued(frontier);
    land(frontier, from, 0, now_ms);
    free(from);
    return true;
}

bool drop_moved(struct frontier *frontier, struct target *target,
                uint64_t now_ms)
{
    struct host *host = target->host, *asker = target->asker;

    if (target->kind != TARGET_ROBOTS ||
        !host_is_given_up(host, target_is_https(target)))
        return false;
    dequeue(frontier, target);
    fail_errand(frontier, target, host->dead ? host->cause : host->closed_cause,
                true);
    place_host(frontier, host, now_ms);
    if (asker != host)
        place_host(frontier, asker, now_ms);
    overflow_refill(frontier, host, now_ms);
    free(target);
    return true;
}
