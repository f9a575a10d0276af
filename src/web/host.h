/* The hosts of URLs, as the URL standard reads and writes them: international
 * names and IP addresses. For url.c, which parses URLs; others ask it.
 *
 * International names: Unicode ToASCII (UTS 46) with the URL standard's
 * parameters: non-transitional, no STD3 rules, any hyphens, any length. The
 * tables and most of the rules are libidn2's. It is stricter than the standard,
 * so host.c asks it label by label and works around its refusals of hyphens and
 * of symbols. Differences that remain:
 *  - a label with characters beyond ASCII whose "xn--" form is longer than 63
 *    bytes is refused; no name server could know it;
 *  - the Unicode version is that of the library, but for what newer_maps in
 *    host.c adds;
 *  - the Bidi rule is tested in each label by itself, and in one with symbols
 *    only as far as Latin letters go: some names that a browser refuses pass.
 */
#ifndef WEB_HOST_H
#define WEB_HOST_H

#include <arpa/inet.h>

#include "base/str.h"

/* Write the ASCII form of `domain`, which is UTF-8 (invalid bytes count as
 * U+FFFD), to `to`, at most `room` bytes; false if it has none or it does not
 * fit. ASCII that a host may not have comes through: the caller looks. */
bool idna_to_ascii(struct str domain, char *to, size_t room, size_t *len);

/* Punycode (RFC 3492) for one label, without its "xn--".
 *
 * The characters that `ascii` (letters in lower case) stands for, at most
 * `max` of them; false where it stands for none, or too many, or for no
 * Unicode scalar value. */
bool punycode_decode(struct str ascii, uint32_t *to, size_t max, size_t *len);

/* The reverse, for at most 2048 characters. Returns the length, at most
 * PUNYCODE_GROWTH_MAX for each character: a 32-bit number has no more digits,
 * each of which stands for a factor of 10 or more. Quadratic in `count`: for
 * labels, not for text. */
enum { PUNYCODE_GROWTH_MAX = 10 };
size_t punycode_encode(const uint32_t *from, size_t count, char *to);

/* The longest texts of IP addresses, with a NUL that is not counted. */
enum { IPV4_TEXT_MAX = INET_ADDRSTRLEN, IPV6_TEXT_MAX = INET6_ADDRSTRLEN };

/* Whether the last label is a number, decimal or hexadecimal: then the host
 * is an IPv4 address or nothing. */
bool ipv4_is_meant(struct str host);

/* The address in any of the forms browsers take: "0x7f.1" is 127.0.0.1. */
bool ipv4_parse(struct str host, uint32_t *address);
size_t ipv4_write(char to[static IPV4_TEXT_MAX], uint32_t address);

/* Without the brackets. */
bool ipv6_parse(struct str text, struct in6_addr *address);
size_t ipv6_write(char to[static IPV6_TEXT_MAX],
                  const struct in6_addr *address);

#endif
