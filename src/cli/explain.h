/* A crawl explained to people: its scope, and why it fetched nothing. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/plan.h"

/* "what begins with http://example.org/a/", "the host example.org"; in
 * `arena`. */
const char *explain_scope(const struct plan *plan, struct arena *arena);

/* A crawl ended without a single page: print one line with the true reason and
 * with what would help. */
void explain_nothing(const struct plan *plan, const struct stats *stats);

#endif
