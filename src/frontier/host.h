/* Hosts and domains: what each part of the frontier keeps for them. Private to
 * src/frontier/. A part changes only its own fields. */
#ifndef FRONTIER_HOST_H
#define FRONTIER_HOST_H

#include "base/mem.h"
#include "frontier/address.h"
#include "frontier/host_setup.h"
#include "frontier/queue.h"
#include "frontier/ranking.h"

/* Where a host stands; always exactly one. */
enum host_standing {
    HOST_OCCUPIED,   /* in setup, all its fetches in flight, or only retries */
    HOST_WAITING,    /* for its pause: in the heap by time */
    HOST_UNRESOLVED, /* its name must be looked up: in a heap of its domain */
    HOST_READY,      /* may be asked now: in the other heap of its domain */
    HOST_IN_QUEUE,   /* of its address, which is in use or rests */
    HOST_IDLE,       /* nothing queued or in flight: it may be forgotten */
    HOST_STANDINGS,
};

/* How it answered. */
struct host_trouble {
    bool dead;           /* given up */
    bool dead_robots;    /* because of its robots.txt */
    bool answered[2];    /* by target_is_https: there is a server */
    bool closed[2];      /* only this scheme is given up: the other answered */
    bool closed_robots;  /* because of its robots.txt */
    uint8_t failures[2]; /* in a row, by target_is_https */
    uint8_t failed_lookups;    /* in a row */
    uint8_t no_reply_count;    /* in a row */
    uint8_t errors;            /* answers of 5xx in a row */
    uint8_t backoffs;          /* rests in a row because of those */
    uint8_t last_outcome;      /* of the last failure */
    uint8_t closed_outcome;    /* of `closed` */
    uint64_t backoff_since_ms; /* with `backoffs`: when the first one was */
};

struct host {
    /* politeness */
    struct heap_node node; /* WAITING, UNRESOLVED, READY, IN_QUEUE */
    uint8_t standing;
    bool backing_off; /* next_ms is because of trouble, not of the pause */
    bool counted_backing_off; /* in politeness.backing_off */
    bool dropped;             /* by hand */
    bool has_ip;
    bool left_behind; /* no depth waits for it: see frontier_has_left_behind */
    uint16_t worker;  /* see frontier_set_worker */
    uint32_t in_flight;
    uint32_t refusing;      /* targets that came out to be refused */
    uint64_t next_ms;       /* not to be asked before */
    uint64_t hand_delay_ms; /* the pause by hand, or BY_HAND_NO_DELAY */
    uint64_t turn;          /* IN_QUEUE: smaller came earlier */
    uint64_t key;
    struct domain *domain;
    struct address *address; /* or NULL */
    struct ip ip;
    struct host *older, *newer; /* IDLE; WAITING and IN_QUEUE: of the domain */
    struct host_trouble trouble;

    /* the other parts */
    struct host_setup setup;
    struct host_queue queue;
    uint32_t changed_at; /* position in the list of changes, + 1; 0: none */

    size_t name_len;
    char name[]; /* "example.org" or "example.org:8080" */
};

/* Small, because all domains that a crawl has ever met stay: 24 bytes and the
 * name, and 16 bytes at a load of at least 7/16 in the table. */
struct domain {
    struct heap_node node; /* among those that are ready */
    struct domain_score score;
    uint16_t in_flight : 13; /* at most --per-host, 1000 */
    uint16_t is_prompt : 1;  /* its last fetch ended without a time-out */
    uint16_t changed : 1;    /* `score.found`, since it was last reported */
    uint16_t frozen : 1;     /* no fetch may begin */
    uint16_t name_len;
    struct active *active; /* NULL: it has nothing to do */
    char name[];
};

/* Allocated only while the domain has work. */
struct active {
    struct heap_node node; /* among those with names to look up */
    struct domain *domain;
    struct heap ready;         /* hosts */
    struct heap unresolved;    /* hosts */
    struct host *held;         /* list of the WAITING and IN_QUEUE ones */
    uint32_t in_address_queue; /* how many of them are IN_QUEUE */
    uint32_t lookups;          /* of its names, in flight */
    struct domain_queue queue;
};

/* Memory that a host with something queued takes, by estimate. */
enum { QUEUE_HOST_BYTES = sizeof(struct host) + 256 };

/* Are its pages of http, or of https, given up, or was it dropped by hand? A
 * server that is not there at the one port says nothing of the one at the
 * other. */
static inline bool host_is_given_up(const struct host *host, bool https)
{
    return host->dropped || host->trouble.dead || host->trouble.closed[https];
}

static inline uint8_t host_given_up_outcome(const struct host *host)
{
    const struct host_trouble *trouble = &host->trouble;

    return trouble->dead ? trouble->last_outcome : trouble->closed_outcome;
}

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

static inline struct active *active_of(const struct heap_node *node)
{
    return container_of(node, struct active, node);
}

static inline struct address *address_of(const struct heap_node *node)
{
    return container_of(node, struct address, node);
}

/* The best target of a host with a queue, of a domain with a ready host, of a
 * domain with an unresolved host. */
static inline struct target *host_best(const struct host *host)
{
    return target_of(heap_first(&host->queue.targets));
}

static inline struct target *domain_best(const struct domain *domain)
{
    return host_best(host_of(heap_first(&domain->active->ready)));
}

static inline struct target *active_best_unresolved(const struct active *active)
{
    return host_best(host_of(heap_first(&active->unresolved)));
}

/* The first host in the queue of an address that has one. */
static inline struct host *address_first(const struct address *address)
{
    return host_of(heap_first(&address->queue));
}

static inline struct str host_name(const struct host *host)
{
    return (struct str){host->name, host->name_len};
}

static inline struct str domain_name(const struct domain *domain)
{
    return (struct str){domain->name, domain->name_len};
}

/* host.c: making them. Domains are never freed before the arena is. */
struct host *host_new(struct str name, struct domain *domain,
                      const struct ranking *ranking);
void host_free(struct host *host); /* with its queued targets */
struct domain *domain_new(struct arena *arena, struct str name);

/* Its active part, made if need be; freed again if it is empty. */
struct active *domain_active(struct domain *domain,
                             const struct ranking *ranking);
void domain_free_unused(struct domain *domain);
void domain_free_active(struct domain *domain); /* with its targets */

#endif
