/* The options of a frontier. */
#ifndef FRONTIER_FRONTIER_OPTIONS_H
#define FRONTIER_FRONTIER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct domains;

enum ranking_kind { RANKING_BFS, RANKING_PRIORITY };

struct frontier_options {
    enum ranking_kind ranking;
    /* Breadth-first: a host that rests for longer than this, and than
     * `delay_ms`, is left behind, if there are others; 0: never. */
    uint64_t leave_behind_ms;
    uint64_t delay_ms;       /* pause of a host, from the end of a fetch */
    uint64_t ip_delay_ms;    /* pause of an address */
    uint64_t ip_hold_ms;     /* in a fleet: an address may be asked only while
                              * this machine holds it, and it keeps one that
                              * another wants for so long; 0: all may be asked */
    uint32_t per_host;       /* fetches in flight per host, per domain and, with
                              * `resolve`, per address */
    uint32_t doubtful_max;   /* fetches in flight from doubtful domains, see
                              * politeness.h; 0: no limit */
    uint64_t max_per_domain; /* fetches of a domain in all; 0: no limit */
    uint32_t host_tries;     /* failures in a row that make a host dead;
                              * 0: never */
    uint32_t idle_hosts_max; /* remembered with nothing queued; 0: all */
    bool resolve;            /* look names up before anything else */
    bool has_no_pauses;      /* no server is asked: not even a Crawl-delay of
                              * robots.txt counts */
    bool robots;             /* ask for robots.txt and obey it */
    bool report_changes;     /* keep lists for frontier_next_changed etc. */
    uint64_t queue_bytes;    /* of memory for what is queued, the rest is put
                              * into a file; 0: all in memory */
    int queue_dir_fd;        /* where that file is */
    uint64_t hash_seed;      /* for host and domain names */
    const struct domains *domains;
    uint32_t partitions; /* of a fleet (web/partition.h); 0: no fleet */
    uint64_t partition_seed;
};

#endif
