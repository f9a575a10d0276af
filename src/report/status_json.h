/* crawler status --json: the figures of a crawl as one JSON object on a line.
 */
#ifndef REPORT_STATUS_JSON_H
#define REPORT_STATUS_JSON_H

#include "report/totals.h"

void status_put_json(struct buf *out, const struct report *report,
                     const struct totals *totals);

#endif
