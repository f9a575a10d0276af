/* The origins that the user named: what they may be sent, and where they may
 * be. Also the rules of --connect-to.
 *
 * A host may be at a private address (page/private_address.h) if the user named
 * it, as a seed's or with --internal, or if a --connect-to rule gives it an
 * address. Secret headers go only to an origin (scheme, host and port) that the
 * user named. A login goes only to the origin that it was given for.
 */
#ifndef PAGE_TRUSTED_ORIGINS_H
#define PAGE_TRUSTED_ORIGINS_H

#include "base/arena.h"
#include "base/str.h"
#include "ds/hashtable.h"
#include "url/login.h"
#include "url/nameset.h"
#include "url/url.h"

struct connect_rule;

struct origin_login {
    struct origin_login *next; /* in the order of naming */
    struct str host, origin;
    uint32_t number;
    struct login login;
};

struct trusted_origins {
    struct nameset hosts;
    struct connect_rule *rules, **last_rule; /* the first that fits and
                                              * says anything counts */
    struct hashtable login_table;
    struct origin_login *logins, **last_login;
    struct arena arena;
};

void origins_init(struct trusted_origins *origins);
void origins_release(struct trusted_origins *origins);

/* A URL that the user wrote. */
void origins_add(struct trusted_origins *origins, const struct url *url);

/* "HOST1:PORT1:HOST2:PORT2" with curl's meaning; false if it is not so. HOST1
 * may be written as in any URL: it is compared in the form of parsed ones. */
bool origins_add_connect_to(struct trusted_origins *origins, struct str rule);

/* The rules for libcurl, which compares letters: NULL at the end. They live
 * as long as `origins`. */
const char *const *origins_connect_to(struct trusted_origins *origins);

/* What is connected to for this URL's host: itself, or what a --connect-to
 * rule puts in its place. */
struct str origins_connect_host(const struct trusted_origins *origins,
                                struct str host, uint16_t port);

/* Does a --connect-to rule apply to this URL? */
bool origins_has_rule(const struct trusted_origins *origins,
                      const struct url *url);

/* May this URL be asked for with headers that prove who we are? Its origin
 * must be named. One exception: where plain http is named, https of the same
 * host, both at their own ports, is as good and better protected. */
bool origins_get_secrets(const struct trusted_origins *origins,
                         const struct url *url);

/* The login for the origin of this URL, copied. False if it has another one
 * already, which stays. */
bool origins_add_login(struct trusted_origins *origins, const struct url *url,
                       const struct login *login);

/* The one for the origin of this URL, that scheme, host and port; or NULL. */
const struct login *origins_login(const struct trusted_origins *origins,
                                  const struct url *url);

/* Whoever wrote a login into a link: to an origin that has one of the user's no
 * other is sent, nor is it written down. Drops it from the URL. */
void origins_drop_login(const struct trusted_origins *origins, struct url *url,
                        struct arena *arena);

/* May the host of this URL be at a private address? */
bool origins_allow_private(const struct trusted_origins *origins,
                           struct str host, uint16_t port);

#endif
