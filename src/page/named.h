/* The hosts that the user named, and --connect-to.
 *
 * Only these may be at private addresses (page/address.h). A host is named
 * by being a seed's, by --internal, or as the target of a --connect-to rule
 * that applies to the URL.
 */
#ifndef PAGE_NAMED_H
#define PAGE_NAMED_H

#include "base/arena.h"
#include "base/str.h"
#include "url/nameset.h"

struct named_rule;

struct named {
    struct nameset hosts;
    struct named_rule *rules, **last_rule; /* the first that fits and
                                            * says anything counts */
    struct arena arena;
};

void named_init(struct named *named);
void named_release(struct named *named);

/* A host as it stands in a parsed URL. */
void named_add_host(struct named *named, struct str host);

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

bool named_has_host(const struct named *named, struct str host);

/* May the host of this URL be at a private address? */
bool named_allows_private(const struct named *named, struct str host,
                          uint16_t port);

#endif
