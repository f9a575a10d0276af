/* Normal forms of URLs, for which URLs count as the same page. A parsed URL is
 * what the URL standard says (web/url.h); beyond that, in this order,
 *
 *   - query_strip takes out keys of the query that do not decide which page is
 *     meant;
 *   - course_normalize makes the form of the CS50 course, with the course's own
 *     internal prefix only;
 *   - url_key makes what "seen" compares. The URL is fetched without it.
 */
#ifndef WEB_NORMALIZE_H
#define WEB_NORMALIZE_H

#include "base/buf.h"
#include "web/url.h"

/* --- the keys of a query -------------------------------------------------
 *
 * Visits are counted with some, others name a session. They are taken out of a
 * URL before it is compared with others and before it is fetched.
 *
 *     struct query_keys *keys = query_keys_new();
 *     query_keys_add(keys, STR("utm_*,sessionid"), &fault);
 *     query_strip(keys, &url, &arena);
 *     query_keys_free(keys);
 *
 * Letter case counts. An escape in a key is read (utm%5Fsource), '*' and '?' of
 * a key match any characters. The rest of the query stays as it is, byte for
 * byte; a query that becomes empty goes with its '?'. Once the keys are there
 * they are only read: threads may share them.
 */

struct query_keys;

struct query_keys *query_keys_new(void);
void query_keys_free(struct query_keys *keys);

/* Add keys, separated by commas; "tracking" stands for a list of well-known
 * ones. False with the reason in `fault`. */
bool query_keys_add(struct query_keys *keys, struct str list,
                    struct buf *fault);

/* Take the keys out of the URL, whose new text is in `arena`. False: there are
 * none, and nothing has changed. */
bool query_strip(const struct query_keys *keys, struct url *url,
                 struct arena *arena);

/* --- the form of the course ----------------------------------------------
 *
 *  - slashes in a row in the path are one: /a//b -> /a/b;
 *  - a port that was written stays, also the default one: http://host:80/
 *    is not http://host/;
 *  - the extension rule: what is unlikely to be HTML is not crawled. The last
 *    segment of the path may have no extension, or one that is empty ("a.")
 *    or begins with "htm", in lower case: /a.html, /a.htm, /a, /a/ pass,
 *    /a.pdf, /a.HTML, /v1.2 do not.
 */

/* Put `url` into that form; a changed href is in `arena`. True if the name
 * passes the extension rule. Doing it twice changes nothing. */
bool course_normalize(struct url *url, struct arena *arena);

/* --- the key -------------------------------------------------------------
 *
 * By the key two URLs count as the same page for "seen". The rules, all of
 * them:
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

/* Write the key and return its length, at most that of the href. */
size_t url_key(const struct url *url, char to[static URL_LEN_MAX]);

/* The hash of the key (base/hashtable.h). Most URLs are their own key: then
 * none is written. */
uint64_t url_fingerprint(const struct url *url, uint64_t seed);

/* Does the host end with a dot that does not count (domain_trim_dot)? */
bool url_has_final_dot(const struct url *url);

#endif
