/* Why a crawl fetched nothing. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/plan.h"

/* Print one line with the true reason and with what would help. */
void explain_nothing(const struct plan *plan, const struct stats *stats);

#endif
