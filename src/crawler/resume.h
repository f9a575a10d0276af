/* Reads the store back into memory: everything that a crawl knew when its last
 * batch was committed. Used to go on with the crawl, and for reports on it. */
#ifndef CRAWLER_RESUME_H
#define CRAWLER_RESUME_H

#include "crawler/archivist.h"
#include "crawler/hand_rules.h"
#include "crawler/stats.h"
#include "frontier/validator.h"
#include "store/store.h"

struct resume_options {
    uint64_t fingerprint_seed;
    struct str robots_agent; /* our name in robots.txt; empty: ignore it */
    uint64_t now_ms;         /* the monotonic clock, and the wall clock, now */
    uint64_t wall_ms;
    struct seen *pages_kept; /* gets the pages in the archive; or NULL */
    struct seen *settled; /* gets the URLs that need no other fetch; or NULL */
    /* With --canonical, else NULL: the set gets the URLs that were saved, and
     * the function each page that gave way (handle_canonical.c). */
    struct seen *saved_urls;
    void (*gave_way)(void *user, uint64_t canonical, const struct offer *offer);
    /* With a cookie jar, else NULL: gets each page that redirects, and each
     * that is or was asked again (handle_cookies.c). */
    void (*redirecting)(void *user, uint64_t fingerprint, bool is_again,
                        bool is_queued);
    /* Or NULL: gets each URL that failed and may answer later, with its number
     * and the outcome that it was counted with (handle_failed.c). */
    void (*failed)(void *user, const struct offer *offer, uint64_t number,
                   enum outcome outcome);
    void *user;
    struct archivist *archivist; /* is told what the archive has; or NULL */
    struct hand_rules *rules;    /* get the orders in force; or NULL */
    bool is_copy; /* of a fleet's record: the numbers of URLs tell no order */
};

struct resumed {
    struct stats stats;
    uint32_t last_page;   /* the last page in the record */
    uint32_t sitemaps;    /* sitemaps offered so far */
    uint64_t last_number; /* that a URL has */
    uint64_t last_ms;     /* when the last fetch ended, by the monotonic clock;
                           * 0: before the machine was started, or never */
};

/* A URL of the record. False if it is not written as URLs are. */
bool resume_parse_url(struct arena *arena, struct str text, struct url *url);

/* Add one slice to a validator that has others. */
bool resume_load_slice(struct store *store, unsigned slice,
                       struct validator *validator,
                       const struct resume_options *options,
                       struct resumed *resumed, struct store_error *error);

/* Fill a new validator, which has no listener yet. False with `error`. */
bool resume_load(struct store *store, struct validator *validator,
                 const struct resume_options *options, struct resumed *resumed,
                 struct store_error *error);

#endif
