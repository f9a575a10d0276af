/* Hosts and domains inside the frontier: where they stand and what they hold.
 * Private to src/frontier/. */
#ifndef FRONTIER_HOST_H
#define FRONTIER_HOST_H

#include "base/container.h"
#include "frontier/target.h"

/* Stands in exactly one of: nowhere (nothing queued, or as many in flight as
 * allowed), the frontier's waiting heap, its domain's ready heap. */
struct host {
    struct heap_node node;
    bool waiting; /* `node` is in the waiting heap */
    uint32_t in_flight;
    struct heap queue; /* of targets */
    uint64_t next_fetch_ms;
    struct domain *domain;
    size_t name_len;
    char name[]; /* "example.org" or "example.org:8080" */
};

struct domain {
    struct heap_node node; /* in the frontier's ready heap */
    uint32_t in_flight;
    struct heap ready; /* its hosts that may be asked now */
    size_t name_len;
    char name[];
};

static inline struct target *target_of(const struct heap_node *node)
{
    return container_of(node, struct target, node);
}

static inline struct host *host_of(const struct heap_node *node)
{
    return container_of(node, struct host, node);
}

static inline struct domain *domain_of(const struct heap_node *node)
{
    return container_of(node, struct domain, node);
}

struct host *host_new(struct str name, struct domain *domain);
void host_free(struct host *host); /* with its queued targets */
struct domain *domain_new(struct str name);
void domain_free(struct domain *domain);

/* The best target of a host with a queue, of a domain with a ready host. */
struct target *host_best(const struct host *host);
struct target *domain_best(const struct domain *domain);

heap_before_fn host_is_due_before;   /* by next_fetch_ms */
heap_before_fn domain_is_before;     /* by its best target */
heap_before_fn target_is_due_before; /* by due_ms */

#endif
