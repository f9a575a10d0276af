/* The Link header of HTTP (RFC 8288): `<URL>; rel="next"; title="a, b", ...` */
#ifndef PAGE_LINK_HEADER_H
#define PAGE_LINK_HEADER_H

#include "base/str.h"

/* The reference of the first link with this relation, a slice of `value`, or
 * NULL. What is not well-formed is skipped. */
struct str link_header_find(struct str value, struct str rel);

#endif
