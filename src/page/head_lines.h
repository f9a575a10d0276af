/* The lines of a response's head that are read again with the page that was
 * saved of it: for the record, one line each.
 *
 *     charset=latin1                       of Content-Type, if that is not
 * UTF-8; nothing behind '=': it names none X-Robots-Tag: noindex, nofollow as
 * far as it is for us and obeyed Link: <https://example.org/a>; rel=canonical
 *     Refresh: 5; url=/b
 *     Content-Language: en
 */
#ifndef PAGE_HEAD_LINES_H
#define PAGE_HEAD_LINES_H

#include "base/arena.h"
#include "page/exchange.h"

/* In `arena`; {NULL, 0}: the charset is UTF-8 and there is nothing else, as in
 * most heads. */
struct str head_lines_of(const struct exchange *exchange, struct arena *arena);

/* Of a page that an earlier version saved: nothing is known. */
#define HEAD_LINES_UNKNOWN STR("charset=")

/* Fill in what the exchange had of them. `lines` is kept. */
void head_lines_read(struct exchange *exchange, struct str lines,
                     struct arena *arena);

#endif
