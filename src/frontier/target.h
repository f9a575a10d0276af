/* A target: something to fetch that was accepted and is not done yet. A URL
 * that is queued on disk is no target but a record: frontier/disk_queue.h.
 *
 * States: QUEUED in its host's queue, RETRYING until its time has come,
 * IN_FLIGHT with a worker. While it is in flight the frontier changes none of
 * its fields, so a worker may read it without a lock. When it is done it is
 * freed; only its fingerprint is remembered.
 *
 * The look-up of a host's name and its robots.txt are targets too: made when
 * the first page of the host has its turn, given back with frontier_resolved
 * and frontier_robots. Only a robots.txt that moved is ever queued, at the host
 * where it is now.
 */
#ifndef FRONTIER_TARGET_H
#define FRONTIER_TARGET_H

#include <assert.h>

#include "base/heap.h"
#include "base/str.h"
#include "frontier/verdict.h"
#include "web/url.h"

struct host;

enum target_state { TARGET_QUEUED, TARGET_RETRYING, TARGET_IN_FLIGHT };

enum target_kind {
    TARGET_PAGE,
    TARGET_SITEMAP,
    TARGET_REQUISITE, /* what a page needs to be shown */
    TARGET_RESOLVE,   /* look the host's name up; this and the next are never
                       * recorded */
    TARGET_ROBOTS,    /* fetch its robots.txt */
};

/* How a requisite was named, which decides whether it is read for more. Records
 * hold these numbers. */
enum requisite_nesting {
    NESTING_NONE,     /* it is no requisite */
    NESTING_FRAME,    /* by a page, as a document in it */
    NESTING_PAGE,     /* by a page */
    NESTING_SHEET,    /* by a stylesheet; by one that it imports: one more */
    NESTING_LAST = 7, /* not read for more */
};

/* The value of `nesting` for a page that is fetched a second time: it is saved
 * even if it names another URL as its own (crawler/handle_canonical.c), or a
 * redirect led back to it with other cookies (crawler/handle_cookies.c).
 * Records hold these numbers. */
enum { PAGE_KEPT = 1, PAGE_AGAIN = 2 };

/* A URL may be a page, a sitemap and a requisite. Only a page must be HTML and
 * gets a number. So each kind has fingerprints of its own, made of that of the
 * URL. */
static inline uint64_t target_fingerprint(enum target_kind kind,
                                          uint64_t fingerprint)
{
    if (kind == TARGET_PAGE)
        return fingerprint;
    return fingerprint ^ (kind == TARGET_SITEMAP ? UINT64_MAX : UINT64_MAX / 3);
}

/* The fingerprint of the URL, of a target's. */
static inline uint64_t target_url_fingerprint(enum target_kind kind,
                                              uint64_t fingerprint)
{
    return target_fingerprint(kind, fingerprint); /* it is its own inverse */
}

struct target {
    struct heap_node node; /* in its host's queue or among the retries */
    uint32_t depth;
    struct host *host;
    uint64_t fingerprint;
    uint64_t number; /* of the URL; a smaller one is older (web/partition.h) */
    union {
        uint64_t due_ms;    /* RETRYING: when it goes back to its queue */
        struct host *asker; /* TARGET_ROBOTS: the host whose rules these are */
    };
    uint32_t referrer_id; /* page where it was found, 0 for a seed */
    uint32_t found;       /* how often in pages */
    uint32_t priority;    /* in hundredths, when its turn came */
    uint32_t robots_line; /* that refused it */
    uint32_t changed_at;  /* position in the list of changes, + 1; 0: none */
    uint8_t tries;        /* fetches that ended in a retry */
    uint8_t redirects;    /* hops that led here */
    uint8_t state;        /* enum target_state */
    uint8_t kind;         /* enum target_kind */
    uint8_t nesting;      /* enum requisite_nesting, PAGE_KEPT or PAGE_AGAIN */
    uint8_t verdict;      /* enum verdict; not ACCEPT: refused at its turn */
    uint8_t last_outcome; /* of HOST_DEAD, ROBOTS_UNKNOWN: see frontier_note */
    bool opens_depth;     /* breadth-first: deeper ones wait for it */
    bool https, default_port_written; /* this and the offsets: see web/url.h */
    uint16_t host_start, host_end, path_start, path_end, port;
    uint16_t referrer_machine; /* of a fleet, which has that page; 0: this one,
                                * or there is no such page */
    uint16_t url_len;
    char url[]; /* NUL-terminated */
};
static_assert(sizeof(struct target) == 88, "there is one for every URL queued");

static inline struct str target_url(const struct target *target)
{
    return (struct str){target->url, target->url_len};
}

/* The URL with its parts; the text is the target's. Nobody needs to parse it
 * again. */
static inline struct url target_url_parts(const struct target *target)
{
    return (struct url){
        .href = target_url(target),
        .host_start = target->host_start,
        .host_end = target->host_end,
        .path_start = target->path_start,
        .path_end = target->path_end,
        .port = target->port,
        .https = target->https,
        .default_port_written = target->default_port_written,
    };
}

static inline bool target_is_https(const struct target *target)
{
    return target->https;
}

/* A target of this kind, all else 0. The caller frees it. */
struct target *target_new(struct host *host, enum target_kind kind,
                          const struct url *url);
void target_free(struct target *target);

#endif
