/* crawler why: why a crawl fetched a URL, or did not. */
#ifndef REPORT_WHY_H
#define REPORT_WHY_H

#include "report/report.h"

/* Print the answer for a URL on standard output; `link` is parsed as a link of
 * the crawl would be. False with `error`. */
bool why_print(struct report *report, const struct page_link *link,
               struct store_error *error);

#endif
