/* Where a crawl starts: the argument, a file, a web search. Each adds to the
 * plan's seeds and to its scope; the status is 0 or an exit status, after one
 * line on standard error. */
#ifndef CLI_SEEDS_H
#define CLI_SEEDS_H

#include "cli/options.h"
#include "cli/plan.h"

int seeds_add_argument(struct plan *plan, const struct options *options,
                       const char *url);

/* One URL a line, '#' comments; a bad line is reported with its number and
 * skipped. */
int seeds_add_file(struct plan *plan, const struct options *options);

/* The result links of a search page (page/searchpage.h). Blocked, not
 * reachable and no results are three messages with CRAWL_NOTHING. */
int seeds_add_search(struct plan *plan, const struct options *options);

/* A link out of a page: its host is not named by the user. What is not
 * internal is left out. */
void seeds_add_result(struct plan *plan, const struct options *options,
                      struct str url);

/* Those of a crawl that goes on, as far as the user did not name them again. */
void seeds_add_record(struct plan *plan, const struct options *options);

/* Where sitemaps are all there is, the scope is that of their URLs. */
void seeds_scope_of_sitemaps(struct plan *plan, const struct options *options);

void seeds_add_sitemaps_to(struct scope *scope, enum scope_kind kind,
                           const struct options *options);

/* What can be wrong with --seeds, --search-url and --sitemap, before any of
 * them is used; the hosts of the latter two are named ones. */
int seeds_check(struct plan *plan, const struct options *options);

#endif
