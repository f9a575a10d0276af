/* A crawl that ended without a single page: one line with the true reason, and
 * with what would help. */
#ifndef CLI_NOTHING_H
#define CLI_NOTHING_H

#include "cli/options.h"
#include "cli/plan.h"

void nothing_tell(const struct plan *plan, const struct options *options,
                  const struct stats *stats);

#endif
