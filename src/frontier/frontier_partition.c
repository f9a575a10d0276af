#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/parts.h"

/* Partitions of a fleet: the targets of some partitions are here, and a
 * partition may come and go. It comes by the functions of restore.c. */

uint32_t part_of_url(const struct frontier_options *options,
                     const struct url *url, struct str domain)
{
    if (options->partitions <= 1)
        return 0;
    if (!domain.len)
        domain = domain_of_host(options->domains, url_host(url));
    return partition_of(domain, options->partition_seed, options->partitions);
}

uint32_t frontier_part_of(const struct frontier *frontier,
                          const struct url *url, struct str domain)
{
    return part_of_url(&frontier->options, url, domain);
}

static uint32_t part_of_domain(const struct frontier *frontier,
                               const struct domain *domain)
{
    const struct frontier_options *options = &frontier->options;

    return options->partitions <= 1
               ? 0
               : partition_of(domain_name(domain), options->partition_seed,
                              options->partitions);
}

uint32_t frontier_robots_part(const struct frontier *frontier,
                              const struct target *step)
{
    return part_of_domain(frontier, step->asker->domain);
}

static bool is_in_part(const struct frontier *frontier,
                       const struct domain *domain, uint32_t part)
{
    return frontier->options.partitions <= 1 ||
           part_of_domain(frontier, domain) == part;
}

/* --- levels -------------------------------------------------------------- */

void frontier_set_level(struct frontier *frontier, uint32_t level)
{
    frontier->queue.level = level;
}

uint32_t frontier_lowest(const struct frontier *frontier)
{
    uint32_t lowest = levels_lowest(&frontier->queue.levels);
    uint32_t on_disk = queue_disk_depth(&frontier->queue);

    if (on_disk < lowest)
        lowest = on_disk;
    if (lowest == UINT32_MAX &&
        (queue_count(&frontier->queue) || frontier->counts.in_flight))
        return FRONTIER_OPEN;
    return lowest;
}

/* --- one partition -------------------------------------------------------- */

/* The hosts of a partition that are remembered; the caller frees the list. */
static struct host **hosts_of_part(const struct frontier *frontier,
                                   uint32_t part, size_t *count)
{
    const struct hashtable *hosts = &frontier->politeness.hosts;
    struct host **list = mem_array(hosts->count + 1, sizeof(struct host *));
    struct host *host;

    *count = 0;
    for (size_t at = 0; (host = hashtable_next(hosts, &at));)
        if (is_in_part(frontier, host->domain, part))
            list[(*count)++] = host;
    return list;
}

static void freeze_domains(struct frontier *frontier, uint32_t part,
                           bool freeze)
{
    struct politeness *politeness = &frontier->politeness;
    struct domain *domain;

    if (!politeness->frozen)
        politeness->frozen =
            mem_array(frontier->options.partitions + 1, sizeof(bool));
    politeness->frozen[part] = freeze;
    for (size_t at = 0; (domain = hashtable_next(&politeness->domains, &at));)
        if (is_in_part(frontier, domain, part))
            domain->frozen = freeze;
}

void frontier_freeze_part(struct frontier *frontier, uint32_t part, bool freeze)
{
    size_t count;

    freeze_domains(frontier, part, freeze);
    struct host **host = hosts_of_part(frontier, part, &count);
    for (size_t i = 0; i < count; i++)
        politeness_place(&frontier->politeness, host[i]);
    free(host);
}

/* The robots.txt of this host that moved and waits for its turn, or NULL. */
static struct target *moved_robots(const struct frontier *frontier,
                                   const struct host *host)
{
    struct target *target = hashtable_get(&frontier->queue.targets, ~host->key);

    return target && target->kind == TARGET_ROBOTS && target->asker == host
               ? target
               : NULL;
}

static bool is_busy(const struct frontier *frontier, const struct host *host)
{
    return host->in_flight || host->refusing ||
           (host->setup.under_way && !host->setup.is_elsewhere &&
            !moved_robots(frontier, host));
}

bool frontier_part_is_busy(const struct frontier *frontier, uint32_t part)
{
    bool busy = false;
    size_t count;
    struct host **host = hosts_of_part(frontier, part, &count);

    for (size_t i = 0; i < count && !busy; i++)
        busy = is_busy(frontier, host[i]);
    free(host);
    return busy;
}

/* It will be asked for again when the asker has something to fetch. */
static void drop_robots(struct frontier *frontier, struct target *target)
{
    struct host *host = target->host, *asker = target->asker;

    queue_take(&frontier->queue, target);
    setup_end(&frontier->setups, asker);
    politeness_place(&frontier->politeness, host);
    if (asker != host)
        politeness_place(&frontier->politeness, asker);
    target_free(target);
}

static void drop_targets(struct frontier *frontier, struct host *host)
{
    struct queue *queue = &frontier->queue;
    struct target *moved = moved_robots(frontier, host);

    if (moved)
        drop_robots(frontier, moved);
    if (host->setup.is_elsewhere)
        setup_end(&frontier->setups, host);
    while (host->domain->active && host->domain->active->queue.retries.count)
        queue_release_retry(queue, host->domain->active);
    while (host->queue.targets.count) {
        struct target *target = host_best(host);
        if (target->kind == TARGET_ROBOTS) {
            drop_robots(frontier, target);
            continue;
        }
        queue_take(queue, target);
        queue_close(queue, target);
        changes_remove_target(&frontier->changes, target);
        target_free(target);
    }
}

static void drop_host(struct frontier *frontier, struct host *host,
                      uint32_t part)
{
    assert(!is_busy(frontier, host));
    queue_drop_disk(&frontier->queue, &host->queue.disk, part);
    politeness_place(&frontier->politeness, host);
    changes_remove_host(&frontier->changes, host);
    setup_forget(&frontier->setups, host);
    host_forget(&frontier->politeness, host);
}

static void drop_domains(struct frontier *frontier, uint32_t part)
{
    struct domain *domain;

    for (size_t at = 0;
         (domain = hashtable_next(&frontier->politeness.domains, &at));) {
        if (!is_in_part(frontier, domain, part))
            continue;
        if (domain->active)
            queue_drop_disk(&frontier->queue, &domain->active->queue.disk,
                            part);
        frontier->counts.domains_crawled -= domain->score.crawled > 0;
        frontier->counts.domains_capped -=
            politeness_is_capped(&frontier->politeness, domain);
        domain->score = (struct domain_score){0};
        domain->frozen = false;
        domain_free_unused(domain);
    }
}

void frontier_drop_part(struct frontier *frontier, uint32_t part,
                        uint64_t now_ms)
{
    size_t count;

    frontier->politeness.now_ms = now_ms;
    frontier_freeze_part(frontier, part, true); /* they leave all heaps */
    struct host **host = hosts_of_part(frontier, part, &count);
    queue_begin_drop(&frontier->queue, part);
    for (size_t i = 0; i < count; i++)
        drop_targets(frontier, host[i]);
    for (size_t i = 0; i < count; i++)
        drop_host(frontier, host[i], part);
    free(host);
    drop_domains(frontier, part);
    frontier->politeness.frozen[part] = false;
    frontier->next_n[part] = 1;
}

void frontier_rest_parts(struct frontier *frontier, const bool *part,
                         uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    uint32_t partitions = frontier->options.partitions;
    uint64_t delay_ms = frontier->options.delay_ms;
    struct host *host;

    for (size_t at = 0; (host = hashtable_next(&politeness->hosts, &at));)
        if (part[part_of_domain(frontier, host->domain)])
            rest_host(frontier, host, now_ms);
    if (!delay_ms)
        return;
    if (!politeness->new_rest_ms)
        politeness->new_rest_ms = mem_array(partitions + 1, sizeof(uint64_t));
    for (uint32_t i = 0; i < partitions || !i; i++)
        if (part[i])
            politeness->new_rest_ms[i] = now_ms + 1 + delay_ms;
}
