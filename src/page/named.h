/* The hosts and origins that the user named, and --connect-to.
 *
 * Only named hosts may be at private addresses (page/address.h). A host is
 * named by being a seed's, by --internal, or as the target of a --connect-to
 * rule that applies to the URL. Headers that are secret go to fewer: only to
 * the scheme, host and port of a URL that was named. A login, a name and a
 * password, is for one origin alone.
 */
#ifndef PAGE_NAMED_H
#define PAGE_NAMED_H

#include "base/arena.h"
#include "base/str.h"
#include "ds/hashtable.h"
#include "url/login.h"
#include "url/nameset.h"
#include "url/url.h"

struct named_rule;

struct named_login {
    struct named_login *next; /* in the order of naming */
    struct str host, origin;
    uint32_t number;
    struct login login;
};

struct named {
    struct nameset hosts;
    struct named_rule *rules, **last_rule; /* the first that fits and
                                            * says anything counts */
    struct hashtable login_table;
    struct named_login *logins, **last_login;
    struct arena arena;
};

void named_init(struct named *named);
void named_release(struct named *named);

/* A URL that the user wrote. */
void named_add(struct named *named, const struct url *url);

/* "HOST1:PORT1:HOST2:PORT2" with curl's meaning; false if it is not so. HOST1
 * may be written as in any URL: it is compared in the form of parsed ones. */
bool named_add_connect_to(struct named *named, struct str rule);

/* The rules for libcurl, which compares letters: NULL at the end. They live
 * as long as `named`. */
const char *const *named_connect_to(struct named *named);

/* What is connected to for this URL's host: itself, or what a --connect-to
 * rule puts in its place. */
struct str named_connect_host(const struct named *named, struct str host,
                              uint16_t port);

/* Does a --connect-to rule apply to this URL? */
bool named_has_rule(const struct named *named, const struct url *url);

/* May this URL be asked for with headers that prove who we are? Its origin
 * must be named. One exception: where plain http is named, https of the same
 * host, both at their own ports, is as good and better protected. */
bool named_gets_secrets(const struct named *named, const struct url *url);

/* The login for the origin of this URL, copied. False if it has another one
 * already, which stays. */
bool named_add_login(struct named *named, const struct url *url,
                     const struct login *login);

/* The one for the origin of this URL, that scheme, host and port; or NULL. */
const struct login *named_login(const struct named *named,
                                const struct url *url);

/* Whoever wrote a login into a link: to an origin that has one of the user's no
 * other is sent, nor is it written down. Drops it from the URL. */
void named_drop_login(const struct named *named, struct url *url,
                      struct arena *arena);

/* May the host of this URL be at a private address? */
bool named_allows_private(const struct named *named, struct str host,
                          uint16_t port);

#endif
