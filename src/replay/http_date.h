/* Dates as HTTP writes them: "Sun, 06 Nov 1994 08:49:37 GMT". */
#ifndef REPLAY_HTTP_DATE_H
#define REPLAY_HTTP_DATE_H

#include "base/str.h"

enum { HTTP_DATE_LEN = 29 };

/* What is later than the year 9999 is its end. */
void http_date_format(uint64_t wall_ms, char out[HTTP_DATE_LEN + 1]);

/* False if it is not written in this form, or is before 1970. The name of the
 * day must be one, but need not be that of the date. */
bool http_date_parse(struct str text, uint64_t *wall_ms);

#endif
