/* Finding a URL in a record, and everything that is recorded of it and of its
 * host. A record is a journal without an index, so each question reads all of
 * it, in little memory. The functions return false with `error`; texts are in
 * `arena`. */
#ifndef REPORT_DETAILS_H
#define REPORT_DETAILS_H

#include "page/pagescanner.h"
#include "store/fold.h"

struct url_details {
    struct url_record record;
    struct store_url row;         /* of the record */
    struct store_fetch fetch;     /* the last, if there was one */
    struct store_refusal refusal; /* the last, if it was refused late */
};

/* The number of a URL, or 0. If a page has several records, the best: queued
 * before refused, this very spelling before another one, the later before the
 * earlier. Sitemaps come last. */
bool url_find(struct store *store, const struct page_link *link,
              const struct scan_options *scan, uint64_t *number,
              struct store_error *error);

/* Everything of the URL of that number, which must be there. Digests are not
 * checked again: url_find() has read the record before. */
bool url_details_read(struct url_details *details, uint64_t number,
                      struct store *store, struct arena *arena,
                      struct store_error *error);

/* Other URLs that have to do with it. */
struct url_neighbours {
    uint64_t page;   /* the URL of the page where it was found, or 0 */
    uint64_t before; /* how many queued URLs a breadth-first crawl takes before
                      * this one */
};
bool url_neighbours_read(struct url_neighbours *neighbours,
                         const struct url_record *url, struct store *store,
                         struct store_error *error);

/* The robots.txt that the crawl obeyed on a host, and the trouble that the host
 * was in. */
struct host_details {
    bool has_rules;              /* a robots.txt was fetched: */
    struct store_robots rules;   /* the last one, or the one that refused */
    bool rules_failed;           /* the last try failed: */
    struct store_robots failure; /* that try */
    bool troubled;
    struct store_host trouble; /* the latest */
};

/* The details of the host of `url`, for its scheme. `line` is 0, or the line of
 * robots.txt that refused the URL for `agent`: then `rules` is the last text
 * that does so, if there is one. */
bool host_details_read(struct host_details *host, struct store *store,
                       const struct url *url, struct str agent, unsigned line,
                       struct arena *arena, struct store_error *error);

/* May the agent fetch the URL, as far as the rules are known? `*line` is that
 * of robots_allows(). */
bool host_details_allows(const struct host_details *host, const struct url *url,
                         struct str agent, unsigned *line);

#endif
