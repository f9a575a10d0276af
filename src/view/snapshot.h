/* A snapshot: the figures of a crawl at one moment, for those who watch it.
 *
 * The crawler thread fills one in, and nobody changes it after that. Names are
 * literals; texts live in the snapshot's arena. Times are of the wall clock, in
 * milliseconds since 1970, if nothing else is said.
 */
#ifndef VIEW_SNAPSHOT_H
#define VIEW_SNAPSHOT_H

#include "base/mem.h"

enum {
    SNAPSHOT_HOSTS = 50,
    SNAPSHOT_PAGES = 50,
    SNAPSHOT_NAMED = 64,
    SNAPSHOT_STATUSES = 64,
    SNAPSHOT_RULES = 100,
    SNAPSHOT_BUCKETS = 12,
};

enum view_state {
    VIEW_RUNNING,
    VIEW_PAUSED, /* by order */
    VIEW_STOPPING,
    VIEW_ENDED,
};

struct view_named {
    const char *name;
    uint64_t count;
};

/* Counts by name; those of 0 are left out, unless a list has all. */
struct view_counts {
    size_t count;
    struct view_named of[SNAPSHOT_NAMED];
};

struct view_status {
    unsigned status; /* of HTTP; 0: no answer */
    uint64_t count;
};

/* A histogram: counts of what took at most bucket_ms[i], and of the rest. */
extern const uint64_t view_bucket_ms[SNAPSHOT_BUCKETS];
struct view_histogram {
    uint64_t count[SNAPSHOT_BUCKETS + 1];
    uint64_t sum_ms;
};
void view_histogram_add(struct view_histogram *histogram, uint64_t ms);

struct view_host {
    struct str name, domain;
    const char *waits;    /* "pause", "backoff", ... */
    uint64_t until_ms;    /* 0: not known */
    const char *outcome;  /* of its last trouble, or NULL */
    const char *trouble;  /* the same in words */
    const char *delay_by; /* "options", "robots", "hand" */
    uint64_t queued, in_flight, delay_ms, shared_with;
};

struct view_page {
    uint32_t number;
    struct str url;
    uint32_t depth, status;
    uint64_t bytes, fetch_ms, at_ms;
};

struct view_error {
    const char *outcome, *says;
    uint64_t count;
    struct str url; /* the latest; empty: not known */
    uint32_t status;
    uint64_t at_ms;
};

/* An order in force. */
struct view_rule {
    uint64_t number, at_ms;
    const char *order;        /* "exclude", "allow", "drop", "delay" */
    struct str host, pattern; /* one of them is empty */
    uint64_t delay_ms;
};

struct view_snapshot {
    struct arena arena;
    uint64_t at_ms, mono_ms;
    enum view_state state;
    bool fleet_is_paused; /* all machines, not this one alone */

    uint64_t pages, bytes, not_kept, failures, found, fetched, retries;
    uint64_t elapsed_ms, busy_ms, pause_ms, idle_ms;
    uint64_t queued_memory, queued_disk, in_flight;
    uint64_t pages_left; /* of --max-pages; UINT64_MAX: no limit */
    uint64_t slowest_ms; /* no host needs longer for its pauses */
    uint64_t robots_fetched;
    uint32_t last_page;

    struct view_counts urls, outcomes, links, hosts, domains;
    size_t status_count;
    struct view_status statuses[SNAPSHOT_STATUSES];
    struct view_histogram fetch_times, commit_times;
    uint64_t next_fetch_ms; /* no fetch starts before; 0: no time is known */

    size_t host_count;
    struct view_host host[SNAPSHOT_HOSTS];
    size_t page_count; /* the last pages saved while somebody watched, oldest
                          first */
    struct view_page page[SNAPSHOT_PAGES];
    size_t error_count;
    struct view_error error[SNAPSHOT_NAMED];
    size_t rule_count;
    struct view_rule rule[SNAPSHOT_RULES];
};

struct view_snapshot *view_snapshot_new(void);
void view_snapshot_clear(struct view_snapshot *snapshot);
void view_snapshot_free(struct view_snapshot *snapshot); /* or NULL */

/* Add a count, unless it is 0 or there is no place. */
void view_count(struct view_counts *counts, const char *name, uint64_t count);
void view_count_all(struct view_counts *counts, const char *name,
                    uint64_t count); /* also a count of 0 */
uint64_t view_counted(const struct view_counts *counts, const char *name);

#endif
