/* Verdicts and outcomes as the record knows them: the one place that says how
 * a URL ends with each. */
#ifndef CRAWLER_CODES_H
#define CRAWLER_CODES_H

#include "frontier/verdict.h"
#include "page/outcome.h"
#include "store/codes.h"

const struct store_codes *crawler_codes(void);

/* How a URL ends that is refused so, or whose last fetch ended so. */
enum url_end verdict_end(enum verdict verdict);
enum url_end outcome_end(enum outcome outcome);

#endif
