/* The seeds of a crawl: from the argument, a file, a web search, the record.
 * Each adds to the plan's seeds and to its scope. The status is 0, or an exit
 * status after one line on standard error. */
#ifndef CLI_SEEDS_H
#define CLI_SEEDS_H

#include "cli/plan.h"

/* Find what is wrong with --seeds, --search-url and --sitemap before any of
 * them is used, and trust the origins of the latter two. */
int seeds_check(struct plan *plan);
int seeds_plan_sitemaps(struct plan *plan); /* the same for --sitemap alone */

int seeds_add_argument(struct plan *plan, const char *url);

/* One URL a line, '#' comments; a bad line is reported with its number and
 * skipped. */
int seeds_add_file(struct plan *plan);

/* cli/search.c: the result links of a search page (page/searchpage.h). Blocked,
 * not reachable and no results are three messages with CRAWL_NOTHING. */
int seeds_add_search(struct plan *plan);

/* A search result: its origin is not trusted. It is left out if it is not
 * internal. */
void seeds_add_result(struct plan *plan, struct str url);

/* Add the seeds of the record that the user did not name again. */
void seeds_add_record(struct plan *plan);

/* If there are no seeds, make the scope of the URLs of the sitemaps. */
void seeds_scope_of_sitemaps(struct plan *plan);

#endif
