/* A crawl in figures: one walk over its record. */
#ifndef CLI_OVERVIEW_H
#define CLI_OVERVIEW_H

#include "crawler/stats.h"
#include "ds/hashtable.h"
#include "page/pagescanner.h"
#include "store/store.h"

struct overview_domain {
    struct str name;
    uint64_t pages, queued, refused, fetches;
    bool capped;
};

/* A host that was given up, or that backs off. */
struct overview_host {
    struct str name;
    uint8_t outcome;   /* the last */
    bool by_robots;    /* because of its robots.txt */
    uint64_t until_ms; /* not asked before */
};

struct overview {
    struct stats stats;
    uint64_t started_ms, committed_ms, ended_ms; /* 0: not known */
    uint64_t queued, retrying;                   /* the latter are queued too */
    uint64_t refused;
    struct overview_domain *domain; /* the largest first */
    size_t domains, domains_capped;
    struct overview_host *host; /* given up, by name */
    size_t hosts;
    struct overview_host *slow_host; /* backing off, by name */
    size_t slow_hosts;
    struct arena arena;
};

/* `max_per_domain` as of frontier_options. Links outside the scope are not
 * counted as refused: they are the rest of the web. False with `error`. In
 * either case release it. */
bool overview_read(struct overview *overview, struct store *store,
                   uint64_t max_per_domain, const struct scan_options *scan,
                   struct store_error *error);
void overview_release(struct overview *overview);

#endif
