/* Dates of cookies, by the lenient rules of RFC 6265bis, section 5.1.1:
 * "Wed, 21 Oct 2015 07:28:00 GMT", "21-Oct-15 7:28:0", and many more. */
#ifndef PAGE_COOKIE_DATE_H
#define PAGE_COOKIE_DATE_H

#include "base/str.h"

/* Seconds since 1970; what is before that is 0. False if it is no date. */
bool cookie_date_parse(struct str text, uint64_t *seconds);

#endif
