/* References of another scheme than http and https that lead nowhere, whoever
 * follows them. Other schemes may be good ones: nothing is said of them. */
#ifndef URL_MISTAKE_H
#define URL_MISTAKE_H

#include "base/str.h"

/* What is wrong with the reference, for people; NULL: nothing that is certain.
 */
const char *url_mistake(struct str href);

#endif
