/* Verdicts and outcomes as codes of the record. Only this module says how a URL
 * ends with each of them. */
#ifndef CRAWLER_RECORD_CODES_H
#define CRAWLER_RECORD_CODES_H

#include "frontier/verdict.h"
#include "page/outcome.h"
#include "store/codes.h"

const struct store_codes *crawler_codes(void);

/* The end of a URL that got this verdict, or whose last fetch had this
 * outcome. */
enum url_end verdict_end(enum verdict verdict);
enum url_end outcome_end(enum outcome outcome);

#endif
