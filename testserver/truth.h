/* What a complete crawl of the synthetic web must find, without a crawl.
 *
 * A breadth-first walk over web_links: a redirect leads on at its own depth,
 * a page at the greatest depth is found but not looked into. One line each,
 * tab separated: depth, URL, kind, in the order of the depth. Kinds of pages:
 *
 *     page       answered at once
 *     flaky      503 the first time it is asked, good after that
 *     limited    429 with Retry-After the first time, good after that
 *
 * and, only if all URLs are asked for, those that a crawl comes upon but must
 * not save: noindex, redirect, broken (404), error (500 always), file (not
 * HTML), disallowed (by robots.txt).
 */
#ifndef TESTSERVER_TRUTH_H
#define TESTSERVER_TRUTH_H

#include "testserver/web.h"

enum truth_scope { SCOPE_ANY, SCOPE_DOMAIN, SCOPE_HOST, SCOPE_PREFIX };

enum { TRUTH_MAX_STARTS = 64 };

struct truth_options {
    struct web_target start[TRUTH_MAX_STARTS];
    size_t start_count;
    enum truth_scope scope; /* like the crawler's --scope, of any start */
    uint64_t depth;         /* UINT64_MAX: no limit */
    bool ignore_robots;
    bool all;
};

/* Called once for each line, in order. */
typedef void truth_fn(void *context, uint64_t depth, struct str url,
                      const char *kind);

void truth(const struct web *web, const struct truth_options *options,
           truth_fn *found, void *context);

/* "prefix", "host", "domain", "any" */
bool truth_parse_scope(struct str name, enum truth_scope *scope);

/* "http://host/path" of the web; false if it has no such URL. */
bool truth_parse_url(const struct web *web, struct str url,
                     struct web_target *target);

#endif
