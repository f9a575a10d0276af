#include "frontier/host.h"

#include <stdlib.h>

#include "base/mem.h"

struct host *host_new(struct str name, struct domain *domain,
                      const struct ranking *ranking)
{
    struct host *host = mem_new(sizeof(*host) + name.len + 1);

    host->domain = domain;
    host->name_len = name.len;
    memcpy(host->name, name.ptr, name.len);
    heap_init(&host->queue.targets, ranking->target);
    return host;
}

void host_free(struct host *host)
{
    queue_release_host(&host->queue);
    for (size_t i = 0; i < ARRAY_LEN(host->setup.robots); i++)
        robots_free(host->setup.robots[i].rules);
    free(host);
}

struct domain *domain_new(struct arena *arena, struct str name)
{
    /* A multiple of 8, so that the next one is aligned too. */
    size_t size = (sizeof(struct domain) + name.len + 7) & ~(size_t)7;
    struct domain *domain = (void *)arena_reserve(arena, size);

    arena_commit(arena, size);
    *domain = (struct domain){.name_len = (uint16_t)name.len};
    memcpy(domain->name, name.ptr, name.len);
    return domain;
}

struct active *domain_active(struct domain *domain,
                             const struct ranking *ranking)
{
    if (!domain->active) {
        struct active *active = domain->active = NEW(struct active);
        active->domain = domain;
        heap_init(&active->ready, ranking->host);
        heap_init(&active->unresolved, ranking->host);
        queue_init_domain(&active->queue);
    }
    return domain->active;
}

void domain_free_active(struct domain *domain)
{
    struct active *active = domain->active;

    if (!active)
        return;
    heap_release(&active->ready);
    heap_release(&active->unresolved);
    queue_release_domain(&active->queue);
    free(active);
    domain->active = NULL;
}

void domain_free_unused(struct domain *domain)
{
    const struct active *active = domain->active;

    if (active && !active->ready.count && !active->unresolved.count &&
        !active->held && !active->lookups &&
        queue_domain_is_unused(&active->queue))
        domain_free_active(domain);
}
