/* crawler status: how a crawl is, on one screen. */
#ifndef REPORT_STATUS_H
#define REPORT_STATUS_H

#include "report/report.h"

/* Print it on standard output. False with `error`. */
bool status_print(struct report *report, struct store_error *error);

#endif
