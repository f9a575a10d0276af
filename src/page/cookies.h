/* The cookies of a crawl, by RFC 6265bis with the public suffix list.
 *
 * One jar serves all workers. It is asked when a request is made and told when
 * a Set-Cookie header has come, each time under its own lock, so that what a
 * page sets is sent with the next request to its site, whichever worker makes
 * it.
 *
 * Everything in it is from strangers, so it is bounded: by the bytes of a
 * cookie, by the cookies of a registrable domain and by those of the crawl. If
 * there are too many, those go that were not used for longest, of a domain
 * first those that are not Secure. So a site cannot drive out the cookies of
 * another one as long as there are fewer than COOKIES_MAX.
 *
 * Cookies are secret: nothing here is logged, recorded or archived. Only
 * cookies_put_file shows them.
 */
#ifndef PAGE_COOKIES_H
#define PAGE_COOKIES_H

#include "base/buf.h"
#include "web/domain.h"
#include "web/url.h"

enum {
    COOKIES_MAX = 3000,
    COOKIES_PER_DOMAIN = 50,
    COOKIE_BYTES_MAX = 4096, /* of name and value */
    COOKIE_DOMAIN_MAX = 255,
    COOKIE_ATTRIBUTE_MAX = 1024, /* of an attribute's value */
    COOKIE_AGE_MAX_S = 400 * 24 * 3600,
    COOKIE_HEADER_MAX = 16 * 1024, /* of what is sent at once */
};

struct cookies;

/* `domains` must outlive it; `seed` is for hashes. */
struct cookies *cookies_new(const struct domains *domains, uint64_t seed);
void cookies_free(struct cookies *cookies);

/* An answer from `url` has this Set-Cookie header. */
void cookies_take(struct cookies *cookies, const struct url *url,
                  struct str header, uint64_t now_s);

/* Append the value of the Cookie header for a request to `url`, up to the
 * buffer's cap; nothing if there are no cookies for it. Returns a hash of it, 0
 * for nothing: other cookies have another one. */
uint64_t cookies_put(struct cookies *cookies, const struct url *url,
                     uint64_t now_s, struct buf *out);

/* --- cookie files (Netscape's format, as browsers' tools and curl have it) -
 *
 * A line without its newline: a comment, or domain, whether subdomains get it
 * too, path, whether it is Secure, when it expires (0: with the session), name
 * and value, with tabs in between. False if it is neither. A cookie that has
 * expired is left out. */
bool cookies_take_line(struct cookies *cookies, struct str line,
                       uint64_t now_s);

/* Append all cookies that have not expired. */
void cookies_put_file(struct cookies *cookies, uint64_t now_s, struct buf *out);

#endif
