/* The lines of a response's head that are read again with the page that was
 * saved of it: for the record, one line each.
 *
 *     charset=UTF-8                        of Content-Type; the type stands apart
 *     X-Robots-Tag: noindex, nofollow      as far as it is for us and obeyed
 *     Link: <https://example.org/a>; rel=canonical
 *     Refresh: 5; url=/b
 *     Content-Language: en
 */
#ifndef PAGE_HEAD_LINES_H
#define PAGE_HEAD_LINES_H

#include "base/arena.h"
#include "page/exchange.h"

/* In `arena`; {NULL, 0}: there is none of them, as in most heads but for the
 * charset. */
struct str head_lines_of(const struct exchange *exchange, struct arena *arena);

/* Fill in what the exchange had of them. `lines` is kept. */
void head_lines_read(struct exchange *exchange, struct str lines,
                     struct arena *arena);

#endif
