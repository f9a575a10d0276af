#include "frontier/host.h"

#include <stdlib.h>

#include "base/mem.h"

/* Breadth-first: the smaller depth, then the older. */
static bool goes_before(const struct target *a, const struct target *b)
{
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->age < b->age;
}

static bool target_is_before(const struct heap_node *a,
                             const struct heap_node *b)
{
    return goes_before(target_of(a), target_of(b));
}

static bool host_is_before(const struct heap_node *a, const struct heap_node *b)
{
    return goes_before(host_best(host_of(a)), host_best(host_of(b)));
}

bool domain_is_before(const struct heap_node *a, const struct heap_node *b)
{
    return goes_before(domain_best(domain_of(a)), domain_best(domain_of(b)));
}

bool host_is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    return host_of(a)->next_fetch_ms < host_of(b)->next_fetch_ms;
}

bool target_is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    return target_of(a)->due_ms < target_of(b)->due_ms;
}

struct host *host_new(struct str name, struct domain *domain)
{
    struct host *host = mem_new(sizeof(*host) + name.len + 1);

    host->domain = domain;
    host->name_len = name.len;
    memcpy(host->name, name.ptr, name.len);
    heap_init(&host->queue, target_is_before);
    return host;
}

void host_free(struct host *host)
{
    for (size_t i = 0; i < host->queue.count; i++)
        free(target_of(host->queue.node[i]));
    heap_release(&host->queue);
    free(host);
}

struct domain *domain_new(struct str name)
{
    struct domain *domain = mem_new(sizeof(*domain) + name.len + 1);

    domain->name_len = name.len;
    memcpy(domain->name, name.ptr, name.len);
    heap_init(&domain->ready, host_is_before);
    return domain;
}

void domain_free(struct domain *domain)
{
    heap_release(&domain->ready);
    free(domain);
}

struct target *host_best(const struct host *host)
{
    return target_of(heap_first(&host->queue));
}

struct target *domain_best(const struct domain *domain)
{
    return host_best(host_of(heap_first(&domain->ready)));
}
