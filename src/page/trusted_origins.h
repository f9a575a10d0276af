/* The origins that the user named: they may get secret headers and logins, and
 * may be at private addresses. Also the rules of --connect-to.
 *
 * A host may be at a private address (page/private_address.h) if the user named
 * it, as a seed's or with --internal, or if a --connect-to rule gives it an
 * address. Secret headers go only to an origin (scheme, host and port) that the
 * user named. A login goes only to the origin that it was given for.
 */
#ifndef PAGE_TRUSTED_ORIGINS_H
#define PAGE_TRUSTED_ORIGINS_H

#include "base/hashtable.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/scope.h"
#include "web/url.h"

/* "HOST1:PORT1:HOST2:PORT2" of --connect-to. */
struct connect_rule {
    struct connect_rule *next;
    struct str from_host, from_port, to_host, to_port;
    struct str text; /* for libcurl; NUL-terminated */
};

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

/* The host that is connected to for this URL's host: itself, or the one that a
 * --connect-to rule puts in its place. */
struct str origins_connect_host(const struct trusted_origins *origins,
                                struct str host, uint16_t port);

/* Does a --connect-to rule apply to this URL? */
bool origins_has_rule(const struct trusted_origins *origins,
                      const struct url *url);

/* The port that a --connect-to rule puts in the place of this URL's port, as
 * text; empty if none does. */
struct str origins_connect_port(const struct trusted_origins *origins,
                                struct str host, uint16_t port);

/* May this URL be asked for with headers that prove who we are? Its origin
 * must be named. One exception: where plain http is named, https of the same
 * host, both at their own ports, is as good and better protected. */
bool origins_get_secrets(const struct trusted_origins *origins,
                         const struct url *url);

/* The login for the origin of this URL, copied. False if it has another one
 * already, which stays. */
bool origins_add_login(struct trusted_origins *origins, const struct url *url,
                       const struct login *login);

/* The login for the origin of this URL, or NULL. */
const struct login *origins_login(const struct trusted_origins *origins,
                                  const struct url *url);

/* May the host of this URL be at a private address? */
bool origins_allow_private(const struct trusted_origins *origins,
                           struct str host, uint16_t port);

#endif
