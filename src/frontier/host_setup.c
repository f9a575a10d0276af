#include "frontier/host_setup.h"

#include <stdio.h>

#include "frontier/host.h"

enum {
    /* Work that links to a host may cost between two of its pages, a quarter of
     * a second; the rest are checked when their turn comes. */
    PRECHECK_WORK_MAX = 256 * ROBOTS_WORK_PER_MS,
};

void setups_init(struct setups *setups, const struct frontier_options *options)
{
    *setups = (struct setups){.robots = options->robots};
}

static void begin(struct setups *setups, struct host *host)
{
    host->setup.under_way = true;
    setups->under_way++;
    setups->last = host;
}

void setup_end(struct setups *setups, struct host *host)
{
    host->setup.under_way = false;
    host->setup.is_elsewhere = host->setup.is_guest = false;
    setups->under_way--;
    if (setups->last == host)
        setups->last = NULL;
}

/* --- names --------------------------------------------------------------- */

struct target *setup_begin_lookup(struct setups *setups,
                                  const struct target *page)
{
    const struct url url = target_url_parts(page);

    begin(setups, page->host);
    setups->lookups++;
    page->host->domain->active->lookups++;
    return target_new(page->host, TARGET_RESOLVE, &url);
}

void setup_end_lookup(struct setups *setups, struct host *host)
{
    setups->lookups--;
    host->domain->active->lookups--;
    setup_end(setups, host);
}

/* While other fetches from its address are in flight it keeps the address, and
 * while its robots.txt is under way: that may have moved to this very host. */
void setup_try_next_address(struct host *host)
{
    if (!host->has_ip || host->in_flight > 1 || host->setup.under_way)
        return;
    host->setup.resolved = false;
    host->setup.address_turn++;
}

/* --- robots.txt ---------------------------------------------------------- */

void setup_begin(struct setups *setups, struct host *host, bool https)
{
    begin(setups, host);
    host->setup.robots_https = https;
}

struct target *setup_begin_robots(struct setups *setups,
                                  const struct target *page, uint64_t now_ms)
{
    struct host *host = page->host;
    char text[URL_LEN_MAX + 32];

    if (!setups->robots || page->kind == TARGET_ROBOTS ||
        host->setup.robots[page->https].until_ms > now_ms)
        return NULL;
    struct url url = target_url_parts(page);
    size_t port_len = (size_t)(url.path_start - url.host_end);
    int len =
        snprintf(text, sizeof(text), "%s://%.*s/robots.txt",
                 url.https ? "https" : "http", (int)host->name_len, host->name);
    url.href = (struct str){text, (size_t)len};
    url.host_start = url.https ? 8 : 7;
    url.path_start = (uint16_t)(url.host_start + host->name_len);
    url.host_end = (uint16_t)(url.path_start - port_len);
    url.path_end = (uint16_t)len;

    struct target *target = target_new(host, TARGET_ROBOTS, &url);
    target->asker = host;
    setup_begin(setups, host, page->https);
    return target;
}

struct host *setup_host(const struct target *step)
{
    return step->kind == TARGET_ROBOTS ? step->asker : step->host;
}

bool setup_is_for_https(const struct target *step)
{
    return step->kind == TARGET_ROBOTS && step->asker->setup.robots_https;
}

void setup_set_rules(struct setups *setups, struct host *host, bool https,
                     struct robots *rules, uint64_t until_ms)
{
    struct host_robots *robots = &host->setup.robots[https];

    rules_set(&setups->rules, robots, rules);
    robots->until_ms = until_ms;
}

void setup_forget(struct setups *setups, struct host *host)
{
    for (size_t i = 0; i < ARRAY_LEN(host->setup.robots); i++)
        rules_drop(&setups->rules, &host->setup.robots[i]);
}

uint64_t setup_delay_ms(const struct host *host, uint64_t delay_ms,
                        const struct host_robots *replaced,
                        const struct robots *rules)
{
    for (size_t i = 0; i < ARRAY_LEN(host->setup.robots); i++) {
        const struct host_robots *robots = &host->setup.robots[i];
        const struct robots *own = robots == replaced ? rules : robots->rules;
        if (own && robots_crawl_delay_ms(own) > delay_ms)
            delay_ms = robots_crawl_delay_ms(own);
    }
    return delay_ms;
}

static enum verdict ask_rules(struct host_robots *robots, struct str path,
                              unsigned *line, size_t *work)
{
    *work = 0;
    if (!robots->rules)
        return ACCEPT;
    bool allowed = robots_answer(robots->rules, path, line, work);
    if (*work > ROBOTS_WORK_USUAL)
        robots->slow_rules = true;
    return allowed ? ACCEPT : ROBOTS_REFUSED;
}

enum verdict setup_verdict(struct host *host, bool https, struct str path,
                           unsigned *line, uint64_t *rest_ms)
{
    struct host_robots *robots = &host->setup.robots[https];
    size_t work;
    enum verdict verdict = ask_rules(robots, path, line, &work);

    robots->precheck_work = 0;
    *rest_ms =
        work > ROBOTS_WORK_USUAL ? 10 * (1 + work / ROBOTS_WORK_PER_MS) : 0;
    return verdict;
}

enum verdict setup_precheck(struct host *host, bool https, struct str path,
                            unsigned *line, uint64_t now_ms)
{
    struct host_robots *robots = &host->setup.robots[https];
    size_t work;

    if (robots->slow_rules || robots->precheck_work > PRECHECK_WORK_MAX ||
        robots->until_ms <= now_ms)
        return ACCEPT;
    enum verdict verdict = ask_rules(robots, path, line, &work);
    robots->precheck_work += work;
    return verdict;
}
