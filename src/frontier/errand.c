#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

/* A host's errands: its name is looked up and its robots.txt is fetched
 * before the first of its pages. */

enum { ROBOTS_KEPT_MS = 24 * 3600 * 1000 };

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

/* Looking a name up asks nothing of the host, so it is no fetch. */
static struct target *begin_resolve(struct frontier *frontier,
                                    struct host *host,
                                    const struct target *page, uint64_t now_ms)
{
    struct target *target = new_errand(host, TARGET_RESOLVE, target_url(page));

    host->errand = true;
    target->state = TARGET_IN_FLIGHT;
    frontier->counts.in_flight++;
    place_host(frontier, host, now_ms);
    return target;
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

    host->errand = true;
    host->robots_hops = 0;
    take_off(frontier, target, now_ms);
    return target;
}

struct target *next_errand(struct frontier *frontier, struct host *host,
                           const struct target *page, uint64_t now_ms)
{
    bool https = target_is_https(page);

    if (!host->resolved)
        return begin_resolve(frontier, host, page, now_ms);
    if (frontier->options.robots && host->robots[https].until_ms <= now_ms)
        return begin_robots(frontier, host, https, now_ms);
    return NULL;
}

enum verdict robots_verdict(const struct host *host, bool https,
                            struct str path, unsigned *line)
{
    const struct robots *rules = host->robots[https].rules;

    if (rules && !robots_allows(rules, path, line))
        return ROBOTS_REFUSED;
    return ACCEPT;
}

void frontier_resolved(struct frontier *frontier, struct target *target,
                       const struct ip *ip, uint64_t now_ms)
{
    struct host *host = target->host;

    assert(target->kind == TARGET_RESOLVE && host->errand);
    host->errand = false;
    frontier->counts.in_flight--;
    host->resolved = host->has_ip = true;
    host->ip = *ip;
    if (frontier->options.ip_delay_ms)
        host_move_to(frontier, host, ip);
    place_host(frontier, host, now_ms);
    free(target);
}

void frontier_robots(struct frontier *frontier, struct target *target,
                     struct robots *rules, uint64_t now_ms)
{
    struct host *host = target->host;
    struct host_robots *robots = &host->robots[target_is_https(target)];

    assert(target->kind == TARGET_ROBOTS && host->errand);
    robots_free(robots->rules);
    robots->rules = rules;
    robots->until_ms = now_ms + ROBOTS_KEPT_MS;
    host->errand = false;
    frontier_note(frontier, target, HOST_ANSWERED, 0);
    land(frontier, target, 0, now_ms);
    free(target);
}

void frontier_errand_failed(struct frontier *frontier, struct target *target,
                            uint64_t now_ms, uint64_t wait_ms, uint8_t cause,
                            bool for_good)
{
    struct host *host = target->host;
    bool was_dead = host->dead;

    host->errand = false;
    frontier_note(frontier, target, HOST_SILENT, cause);
    if (for_good)
        give_up(frontier, host);
    if (host->dead && !was_dead)
        host->dead_robots = target->kind == TARGET_ROBOTS;
    if (target->kind == TARGET_ROBOTS) {
        land(frontier, target, wait_ms, now_ms);
    } else {
        frontier->counts.in_flight--;
        host->next_ms = now_ms + wait_ms;
        host->backing_off = true;
        place_host(frontier, host, now_ms);
    }
    free(target);
}

struct target *frontier_robots_moved(struct frontier *frontier,
                                     struct target *from, struct str url)
{
    struct host *host = from->host;

    (void)frontier;
    if (host->robots_hops >= ROBOTS_REDIRECTS_MAX || url.len > URL_LEN_MAX)
        return NULL;
    host->robots_hops++;
    struct target *target = new_errand(host, TARGET_ROBOTS, url);
    target->redirects = host->robots_hops;
    target->state = TARGET_IN_FLIGHT;
    target->fingerprint = from->fingerprint;
    free(from);
    return target;
}
