#include "frontier/host.h"

#include <stdlib.h>

#include "base/mem.h"

enum { NOVELTY = 1000, NOVELTY_STEP = 10, FOUND_URL = 100 };

/* --- the best of each ---------------------------------------------------- */

struct target *host_best(const struct host *host)
{
    return target_of(heap_first(&host->queue));
}

struct target *domain_best(const struct domain *domain)
{
    return host_best(host_of(heap_first(&domain->active->ready)));
}

static const struct target *lot_best(const struct lot *lot)
{
    return host_best(host_of(heap_first(&lot->hosts)));
}

struct target *address_best(const struct address *address)
{
    const struct lot *lot = lot_of(heap_first(&address->lots));

    return host_best(host_of(heap_first(&lot->hosts)));
}

struct target *active_retry(const struct active *active)
{
    return target_of(heap_first(&active->retries));
}

/* --- breadth-first: the smaller depth, then the older ------------------- */

static bool is_shallower(const struct target *a, const struct target *b)
{
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->age < b->age;
}

static bool target_shallower(const struct heap_node *a,
                             const struct heap_node *b)
{
    return is_shallower(target_of(a), target_of(b));
}

static bool host_shallower(const struct heap_node *a, const struct heap_node *b)
{
    return is_shallower(host_best(host_of(a)), host_best(host_of(b)));
}

static bool domain_shallower(const struct heap_node *a,
                             const struct heap_node *b)
{
    return is_shallower(domain_best(domain_of(a)), domain_best(domain_of(b)));
}

static bool lot_shallower(const struct heap_node *a, const struct heap_node *b)
{
    return is_shallower(lot_best(lot_of(a)), lot_best(lot_of(b)));
}

static bool address_shallower(const struct heap_node *a,
                              const struct heap_node *b)
{
    return is_shallower(address_best(address_of(a)),
                        address_best(address_of(b)));
}

const struct ranks ranks_bfs = {
    target_shallower, host_shallower,    domain_shallower,
    lot_shallower,    address_shallower, is_shallower,
};

/* --- by score: inside a domain its own terms are equal ------------------ */

static bool is_wanted_more(const struct target *a, const struct target *b)
{
    if (a->found != b->found)
        return a->found > b->found;
    return a->age < b->age;
}

static bool target_wanted_more(const struct heap_node *a,
                               const struct heap_node *b)
{
    return is_wanted_more(target_of(a), target_of(b));
}

static bool host_wanted_more(const struct heap_node *a,
                             const struct heap_node *b)
{
    return is_wanted_more(host_best(host_of(a)), host_best(host_of(b)));
}

static uint64_t domain_score(const struct domain *domain)
{
    uint64_t step = (uint64_t)domain->crawled * NOVELTY_STEP;

    return (step < NOVELTY ? NOVELTY - step : 0) + domain->found;
}

uint64_t target_score(const struct target *target)
{
    return domain_score(target->host->domain) +
           (uint64_t)target->found * FOUND_URL;
}

static bool scores_more(const struct target *a, const struct target *b)
{
    uint64_t score_a = target_score(a), score_b = target_score(b);

    return score_a != score_b ? score_a > score_b : a->age < b->age;
}

static bool domain_scores_more(const struct heap_node *a,
                               const struct heap_node *b)
{
    return scores_more(domain_best(domain_of(a)), domain_best(domain_of(b)));
}

static bool lot_scores_more(const struct heap_node *a,
                            const struct heap_node *b)
{
    return scores_more(lot_best(lot_of(a)), lot_best(lot_of(b)));
}

static bool address_scores_more(const struct heap_node *a,
                                const struct heap_node *b)
{
    return scores_more(address_best(address_of(a)),
                       address_best(address_of(b)));
}

const struct ranks ranks_priority = {
    target_wanted_more, host_wanted_more,    domain_scores_more,
    lot_scores_more,    address_scores_more, scores_more,
};

/* --- by time ------------------------------------------------------------ */

bool host_is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    return host_of(a)->next_ms < host_of(b)->next_ms;
}

bool target_is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    return target_of(a)->due_ms < target_of(b)->due_ms;
}

bool address_is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    return address_of(a)->next_ms < address_of(b)->next_ms;
}

bool active_is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    return active_retry(active_of(a))->due_ms <
           active_retry(active_of(b))->due_ms;
}

/* --- making them -------------------------------------------------------- */

struct host *host_new(struct str name, struct domain *domain,
                      const struct ranks *ranks)
{
    struct host *host = mem_new(sizeof(*host) + name.len + 1);

    host->domain = domain;
    host->name_len = name.len;
    memcpy(host->name, name.ptr, name.len);
    heap_init(&host->queue, ranks->target);
    return host;
}

void host_free(struct host *host)
{
    for (size_t i = 0; i < host->queue.count; i++)
        free(target_of(host->queue.node[i]));
    heap_release(&host->queue);
    shelf_release(&host->shelf);
    for (size_t i = 0; i < ARRAY_LEN(host->robots); i++)
        robots_free(host->robots[i].rules);
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

struct active *domain_active(struct domain *domain, const struct ranks *ranks)
{
    if (!domain->active) {
        domain->active = NEW(struct active);
        heap_init(&domain->active->ready, ranks->host);
        heap_init(&domain->active->retries, target_is_due_before);
    }
    return domain->active;
}

void domain_free_unused(struct domain *domain)
{
    struct active *active = domain->active;

    if (!active || active->ready.count || active->retries.count ||
        active->waiting || active->lots || active->queued_bytes ||
        active->shelf.rungs || active->shelf.lowered)
        return;
    heap_release(&active->ready);
    heap_release(&active->retries);
    free(active);
    domain->active = NULL;
}
