/* The normal form of the CS50 course, on top of a parsed URL. It holds with
 * the course's own internal prefix only; elsewhere URLs stay as they are.
 *
 *  - slashes in a row in the path are one: /a//b -> /a/b;
 *  - a port that was written stays, also the default one: http://host:80/
 *    is not http://host/;
 *  - the extension rule: what is unlikely to be HTML is not crawled. The last
 *    segment of the path may have no extension, or one that is empty ("a.")
 *    or begins with "htm", in lower case: /a.html, /a.htm, /a, /a/ pass,
 *    /a.pdf, /a.HTML, /v1.2 do not.
 */
#ifndef URL_COURSE_H
#define URL_COURSE_H

#include "url/url.h"

/* Put `url` into that form; a changed href is in `arena`. True if the name
 * passes the extension rule. Doing it twice changes nothing. */
bool course_normalize(struct url *url, struct arena *arena);

#endif
