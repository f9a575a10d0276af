/* Everything that is recorded of a URL and of its host. A record is a journal
 * without an index, so each function reads all of it, once or twice, in little
 * memory. Texts are in `arena`. */
#ifndef REPORT_DETAILS_H
#define REPORT_DETAILS_H

#include "report/report.h"
#include "store/fold.h"

struct url_details {
    struct url_record record;     /* without its row, which is: */
    struct store_url row;         /* number 0: the URL is not recorded */
    struct store_fetch fetch;     /* the last, if there was one */
    struct store_refusal refusal; /* the last, if it was refused late */
    uint64_t referrer; /* the URL of the page where it was found, if it is in
                        * the same store; or 0 */
    struct str referrer_url; /* that URL, in any case; empty: it is not known */
    uint64_t before;         /* how many queued URLs a breadth-first crawl takes
                              * before this one */
};

/* Find the record of a URL. If a page has several records, the best counts:
 * queued before refused, this very spelling before another one, the later
 * before the earlier. Sitemaps come last.
 *
 * Where a partition is read (report.turn_to), that of the URL is, and if it
 * does not know the URL that of `from`, a URL that redirected to it, or NULL:
 * there it may have been refused. */
bool url_details_read(struct url_details *details, struct report *report,
                      const struct page_link *link, const struct url *from,
                      struct arena *arena);

/* Is that all that the record has of it? Else read all partitions. */
bool url_details_are_whole(const struct url_details *details);

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
 * robots.txt that refused the URL: then `rules` is the last text that does so,
 * if there is one. */
bool host_details_read(struct host_details *host, struct report *report,
                       const struct url *url, unsigned line,
                       struct arena *arena);

/* May the agent fetch the URL, as far as the rules are known? `*line` is that
 * of robots_allows(). */
bool host_details_allows(const struct host_details *host, const struct url *url,
                         struct str agent, unsigned *line);

#endif
