/* International host names: Unicode ToASCII (UTS 46) with the URL standard's
 * parameters: non-transitional, no STD3 rules, any hyphens, any length.
 * Private to url/.
 *
 * The tables and most of the rules are libidn2's. It is stricter than the
 * standard, so idna.c asks it label by label and works around its refusals of
 * hyphens and of symbols. Differences that remain:
 *  - a label with characters beyond ASCII whose "xn--" form is longer than 63
 *    bytes is refused; no name server could know it;
 *  - the Unicode version is that of the library, but for what newer_maps in
 *    idna.c adds;
 *  - the Bidi rule is tested in each label by itself, and in one with symbols
 *    only as far as Latin letters go: some names that a browser refuses pass.
 */
#ifndef URL_IDNA_H
#define URL_IDNA_H

#include "base/str.h"

/* Write the ASCII form of `domain`, which is UTF-8 (invalid bytes count as
 * U+FFFD), to `to`, at most `room` bytes; false if it has none or it does not
 * fit. ASCII that a host may not have comes through: the caller looks. */
bool idna_to_ascii(struct str domain, char *to, size_t room, size_t *len);

#endif
