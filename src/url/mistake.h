/* References of another scheme than http and https that lead nowhere, whoever
 * follows them. Other schemes may be good ones: nothing is said of them. */
#ifndef URL_MISTAKE_H
#define URL_MISTAKE_H

#include "base/str.h"

/* The mistake in the reference, in words for people; NULL: none is certain. */
const char *url_mistake(struct str href);

#endif
