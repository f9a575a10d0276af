/* Which URLs are "internal": those that one rule of a set takes in.
 *
 *     struct scope *scope = scope_new(domains);
 *     scope_add_seed(scope, SCOPE_HOST, &seed);
 *     if (scope_contains(scope, &url)) ...
 *     scope_free(scope);
 *
 * The cost of a question does not grow with the number of rules made from
 * seeds. Threads may share a scope to which no more rules are added.
 */
#ifndef WEB_SCOPE_H
#define WEB_SCOPE_H

#include "base/buf.h"
#include "base/hashtable.h"
#include "web/domain.h"
#include "web/url.h"

/* The part of a seed that a rule is about. */
enum scope_kind {
    SCOPE_PREFIX, /* its directory: what begins with the URL up to the last
                   * '/' of its path */
    SCOPE_HOST,   /* its host name and port; with the default ports of http
                   * and https the scheme does not matter */
    SCOPE_DOMAIN, /* its registrable domain (web/domain.h), any port */
    SCOPE_ANY,    /* everything is internal */
    SCOPE_KINDS,
};

/* "prefix", "host", "domain" or "any". */
const char *scope_kind_name(enum scope_kind kind);

struct scope;

/* `domains` must outlive the scope. */
struct scope *scope_new(const struct domains *domains);
void scope_free(struct scope *scope);

/* Internal is what begins with this URL, letter for letter, after parsing:
 * "http://host/a" takes in "http://host/ab". Nothing of `prefix` is kept. */
void scope_add_prefix(struct scope *scope, const struct url *prefix);
void scope_add_seed(struct scope *scope, enum scope_kind kind,
                    const struct url *seed);

bool scope_contains(const struct scope *scope, const struct url *url);

/* May a seed that moved from the one URL to the other take its scope along? It
 * may to another host of its registrable domain and to https, but not to
 * another port, because that is another server. */
bool scope_may_move(const struct scope *scope, const struct url *from,
                    const struct url *to);

/* For people: "what begins with http://example.org/a/", "the host example.org";
 * a few names of each kind, in no order. */
void scope_describe(const struct scope *scope, struct buf *out);

/* A set of names with a number each, as a scope is made of: filled once, then
 * only read, by many threads. The names are the caller's and must stay. */
struct nameset_entry {
    struct str name;
    uint32_t number;
};

/* All 0: empty. */
struct nameset {
    struct hashtable entries;
    size_t longest; /* name: nothing longer needs to be looked up */
};

void nameset_release(struct nameset *set);

/* Without effect if it is there. */
void nameset_add(struct nameset *set, struct str name, uint32_t number);
bool nameset_has(const struct nameset *set, struct str name, uint32_t number);

#endif
