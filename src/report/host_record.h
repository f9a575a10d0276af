/* Everything that is recorded of one host: the robots.txt that the crawl
 * obeyed there, and the trouble that it had. */
#ifndef REPORT_HOST_RECORD_H
#define REPORT_HOST_RECORD_H

#include "base/arena.h"
#include "store/store.h"
#include "url/url.h"

struct host_record {
    struct arena arena;
    bool has_rules;            /* a robots.txt was had: */
    struct store_robots rules; /* the last one, or the one that refused */
    bool rules_failed;         /* and the last try was in vain: */
    struct store_robots failure;
    bool troubled;
    struct store_host trouble; /* the latest */
};

/* Of the host of `url`, for its scheme. `line` is 0, or the line of robots.txt
 * that refused the URL for `agent`: if there are several texts, the rules are
 * those of the last text that does. False with `error`; in either case release
 * it. */
bool host_record_read(struct host_record *host, struct store *store,
                      const struct url *url, struct str agent, unsigned line,
                      struct store_error *error);
void host_record_release(struct host_record *host);

/* May the agent fetch the URL, as far as the rules are known? `*line` as of
 * robots_allows. */
bool host_record_allows(const struct host_record *host, const struct url *url,
                        struct str agent, unsigned *line);

#endif
