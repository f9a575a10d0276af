/* The scope of a crawl, for people: "what begins with http://example.org/a/",
 * "the host example.org". */
#ifndef CLI_SCOPE_TEXT_H
#define CLI_SCOPE_TEXT_H

#include "cli/plan.h"

/* In `arena`. */
const char *scope_text(const struct plan *plan, const struct options *options,
                       struct arena *arena);

#endif
