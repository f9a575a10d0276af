/* Hosts and domains inside the frontier: what they hold and what goes before
 * what. Private to src/frontier/. */
#ifndef FRONTIER_HOST_H
#define FRONTIER_HOST_H

#include "base/arena.h"
#include "base/container.h"
#include "frontier/address.h"
#include "frontier/shelf.h"
#include "frontier/target.h"
#include "robots/robots.h"

/* Where a host stands; always exactly one. */
enum host_place {
    NOWHERE, /* nothing to do, an errand under way, all it may in flight */
    WAITING, /* in the frontier's heap by time */
    READY,   /* in its domain's heap */
    PARKED,  /* with its address, which is in use or rests; or until fewer
              * names are being looked up */
    IDLE,    /* nothing queued or in flight: in the list of the forgettable */
};

/* What is known of robots.txt, for http and for https. */
struct host_robots {
    struct robots *rules;              /* NULL while known: all is allowed */
    uint64_t until_ms;                 /* ask again then; 0: not known */
    bool costly;                       /* an answer may take milliseconds */
    size_t foreseen;                   /* work for links, since the last page */
    struct host_robots *older, *newer; /* large ones, rules.c */
};

struct host {
    struct heap_node node; /* WAITING, READY, or PARKED in a lot */
    uint8_t place;
    bool resolved;
    bool has_ip;
    uint8_t address_turn; /* which address of its name: one more each time that
                           * the one before did not answer */
    bool errand;          /* being looked up, or its robots.txt is under way */
    bool dead;            /* given up */
    bool dead_robots;     /* because of its robots.txt */
    bool answered[2];     /* by target_is_https: there is a server */
    bool closed[2];       /* only this is given up: the other has answered */
    bool closed_robots;   /* because of its robots.txt */
    uint8_t closed_cause;
    bool backing_off;    /* next_ms is because of trouble, not manners */
    uint8_t failures[2]; /* in a row, by target_is_https */
    uint8_t mute;        /* times in a row */
    uint8_t errors;      /* answers of 5xx in a row */
    uint8_t backoffs;    /* rests in a row because of those */
    uint8_t cause;       /* of the last trouble */
    bool robots_https;   /* robots.txt is asked for on behalf of https pages */
    bool changed;        /* its health, since it was last told */
    uint16_t worker;     /* see frontier_set_worker */
    uint32_t in_flight;
    uint32_t retrying;         /* targets that will come back to the queue */
    struct heap queue;         /* of targets */
    uint64_t next_ms;          /* not to be asked before */
    uint64_t backoff_since_ms; /* with `backoffs`: when the first one was */
    uint64_t key;
    struct domain *domain;
    struct ip ip;
    struct address *address;      /* or NULL */
    struct lot *lot;              /* PARKED: there; NULL: on a list */
    struct host *older, *newer;   /* IDLE, WAITING: the list; PARKED: newer */
    struct host_robots robots[2]; /* by target_is_https */
    size_t queued_bytes;          /* of memory, for its queue */
    struct shelf shelf;           /* queued beyond that */
    size_t name_len;
    char name[]; /* "example.org" or "example.org:8080" */
};

/* Small, because of all that a crawl has ever met these stay: 32 bytes and
 * the name, and 16 bytes at a load of at least 7/16 in the table. */
struct domain {
    struct heap_node node; /* in the frontier's ready heap */
    uint32_t crawled;      /* fetches of pages begun */
    uint32_t found;        /* links to it in pages */
    uint16_t in_flight : 15;
    uint16_t changed : 1; /* `found`, since it was last told */
    uint16_t name_len;
    struct active *active; /* NULL: none of it is there */
    char name[];
};

/* What only a domain with something to do has. */
struct active {
    struct heap_node node; /* in the frontier's heap of retries */
    uint32_t lot_count;
    struct heap ready;    /* hosts that may be asked now */
    struct heap retries;  /* targets, by due_ms */
    struct host *waiting; /* a list: the frontier has them in order */
    struct lot *lots;     /* where hosts of it are parked */
    size_t queued_bytes;  /* of memory, for what its hosts have queued */
    uint32_t queued_hosts;
    struct shelf shelf; /* beyond that: of hosts with nothing in memory */
};

/* Are its pages of http, or of https, given up? A server that is not there at
 * the one port says nothing of the one at the other. */
static inline bool host_is_given_up(const struct host *host, bool https)
{
    return host->dead || host->closed[https];
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

static inline struct lot *lot_of(const struct heap_node *node)
{
    return container_of(node, struct lot, node);
}

static inline struct address *address_of(const struct heap_node *node)
{
    return container_of(node, struct address, node);
}

/* What goes before what, in the one order or the other. */
struct ranks {
    heap_before_fn *target, *host; /* of one host, of one domain */
    heap_before_fn *domain, *lot, *address;
    bool (*any)(const struct target *a, const struct target *b);
};
extern const struct ranks ranks_bfs, ranks_priority;

struct host *host_new(struct str name, struct domain *domain,
                      const struct ranks *ranks);
void host_free(struct host *host); /* with its queued targets */

/* Domains are never freed before the arena is. */
struct domain *domain_new(struct arena *arena, struct str name);

/* Its active part, made if need be; free it again if it is empty. */
struct active *domain_active(struct domain *domain, const struct ranks *ranks);
void domain_free_unused(struct domain *domain);

static inline struct lot *domain_lots(const struct domain *domain)
{
    return domain->active ? domain->active->lots : NULL;
}

static inline bool domain_has_ready(const struct domain *domain)
{
    return domain->active && domain->active->ready.count;
}

/* The best target of a host with a queue, of a domain with a ready host, of an
 * address with a lot; the first of a domain's retries. */
struct target *host_best(const struct host *host);
struct target *domain_best(const struct domain *domain);
struct target *address_best(const struct address *address);
struct target *active_retry(const struct active *active);

/* In hundredths. */
uint64_t target_score(const struct target *target);

heap_before_fn host_is_due_before;    /* by next_ms */
heap_before_fn target_is_due_before;  /* by due_ms */
heap_before_fn address_is_due_before; /* by next_ms */
heap_before_fn active_is_due_before;  /* by due_ms of the first retry */

#endif
