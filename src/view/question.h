/* The query of a request to a running crawl: "after=17", "url=http%3A...".
 * Pure. A parameter that nobody asks for is ignored; of one that is there twice
 * the first counts. */
#ifndef VIEW_QUESTION_H
#define VIEW_QUESTION_H

#include "base/str.h"

/* The number of that name, decimal digits only. Without one `value` stays as it
 * is; false where it is no number, or one beyond 64 bits. */
bool question_number(struct str query, struct str name, uint64_t *value);

/* The URL of "url=", percent-decoded and with a NUL at its end. NULL, or a
 * sentence that says what is wrong with it. */
const char *question_url(struct str query, char *to, size_t room);

#endif
