/* The lines of a response's head that are read again with the page that was
 * saved of it: for the record, one line each.
 *
 *     X-Robots-Tag: noindex, nofollow
 *     Link: <https://example.org/a>; rel=canonical
 *     Refresh: 5; url=/b
 *     Content-Language: en
 *     charset=latin1
 *
 * The charset is that of Content-Type, whose type stands apart. X-Robots-Tag
 * has only what is for us and obeyed.
 */
#ifndef PAGE_HEAD_LINES_H
#define PAGE_HEAD_LINES_H

#include "base/mem.h"
#include "page/exchange.h"

/* In `arena`; {NULL, 0}: charset=utf-8 and nothing else, as of most heads;
 * empty: nothing at all. */
struct str head_lines_of(const struct exchange *exchange, struct arena *arena);

/* An earlier version saved the page: nothing is known. */
#define HEAD_LINES_UNKNOWN STR("")

/* Fill in what the exchange had of them. `lines` is kept. */
void head_lines_read(struct exchange *exchange, struct str lines,
                     struct arena *arena);

#endif
