/* Punycode (RFC 3492) for one label, without its "xn--". Private to url/. */
#ifndef URL_PUNYCODE_H
#define URL_PUNYCODE_H

#include "base/str.h"

/* The characters that `ascii` (letters in lower case) stands for, at most
 * `max` of them; false where it stands for none, or too many, or for no
 * Unicode scalar value. */
bool punycode_decode(struct str ascii, uint32_t *to, size_t max, size_t *len);

/* The reverse, for at most 2048 characters. Returns the length, at most
 * PUNYCODE_GROWTH_MAX for each character: a 32-bit number has no more digits,
 * each of which stands for a factor of 10 or more. Quadratic in `count`: for
 * labels, not for text. */
enum { PUNYCODE_GROWTH_MAX = 10 };
size_t punycode_encode(const uint32_t *from, size_t count, char *to);

#endif
