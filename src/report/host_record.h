/* Everything that is recorded of one host: the robots.txt that the crawl
 * obeyed there, and the trouble that the host was in. */
#ifndef REPORT_HOST_RECORD_H
#define REPORT_HOST_RECORD_H

#include "base/arena.h"
#include "store/store.h"
#include "url/url.h"

struct host_record {
    bool has_rules;              /* a robots.txt was fetched: */
    struct store_robots rules;   /* the last one, or the one that refused */
    bool rules_failed;           /* the last try failed: */
    struct store_robots failure; /* that try */
    bool troubled;
    struct store_host trouble; /* the latest */
};

/* Of the host of `url`, for its scheme; texts in `arena`. `line` is 0, or the
 * line of robots.txt that refused the URL for `agent`: then `rules` is the last
 * text that does so, if there is one. False with `error`. */
bool host_record_read(struct host_record *host, struct store *store,
                      const struct url *url, struct str agent, unsigned line,
                      struct arena *arena, struct store_error *error);

/* May the agent fetch the URL, as far as the rules are known? `*line` as of
 * robots_allows. */
bool host_record_allows(const struct host_record *host, const struct url *url,
                        struct str agent, unsigned *line);

#endif
