/* The key by which two URLs count as the same page for "seen".
 *
 * The URL is fetched as it stands; only the comparison is a little more
 * generous. The rules, all of them:
 *
 *   1. the fragment is not there (struct url has none);
 *   2. the hexadecimal digits of an escape are in upper case: %c3 -> %C3;
 *   3. an escaped letter, digit, '-', '.', '_' or '~' is that character:
 *      %7Euser -> ~user; unless it would make an escape together with what
 *      is before it: "%%341" stays;
 *   4. a query that is empty is none: /a? -> /a;
 *   5. a host name does not end with a dot: "example.org." is "example.org".
 *
 * Default ports, letter case of the host and dot segments are the parser's
 * business already. Nothing else is touched: not the order of the query, not
 * "index.html", not "www.", not a '/' at the end; servers do tell those apart.
 * The key of a key is the key itself.
 */
#ifndef URL_KEY_H
#define URL_KEY_H

#include "url/url.h"

/* Write the key and return its length, at most that of the href. */
size_t url_key(const struct url *url, char to[static URL_LEN_MAX]);

/* The hash of the key (base/hash.h). Most URLs are their own key: then none is
 * written. */
uint64_t url_fingerprint(const struct url *url, uint64_t seed);

/* Does the host end with a dot that does not count (domain_trim_dot)? */
bool url_has_final_dot(const struct url *url);

#endif
