/* Reads the store back into memory: everything that a crawl knew when its last
 * batch was committed. Used to go on with the crawl, and for reports on it. */
#ifndef CRAWLER_RESUME_H
#define CRAWLER_RESUME_H

#include "crawler/archivist.h"
#include "crawler/stats.h"
#include "frontier/validator.h"
#include "store/store.h"

struct resume_options {
    uint64_t fingerprint_seed;
    struct str robots_agent; /* our name in robots.txt; empty: ignore it */
    uint64_t now_ms;         /* the monotonic clock, and the wall clock, now */
    uint64_t wall_ms;
    struct seen *pages_kept;     /* gets the pages in the archive; or NULL */
    struct archivist *archivist; /* is told what the archive has; or NULL */
};

struct resumed {
    struct stats stats;
    uint32_t last_page; /* the last page in the record */
    uint32_t sitemaps;  /* sitemaps offered so far */
    uint64_t last_ms;   /* when the last fetch ended, by the monotonic clock;
                         * 0: before the machine was started, or never */
};

/* Fill a new validator, which has no listener yet. False with `error`. */
bool resume_load(struct store *store, struct validator *validator,
                 const struct resume_options *options, struct resumed *resumed,
                 struct store_error *error);

#endif
