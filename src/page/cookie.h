/* One cookie, as a Set-Cookie header or a line of a file describes it. Private
 * to the jar (page/cookies.c). */
#ifndef PAGE_COOKIE_H
#define PAGE_COOKIE_H

#include "page/cookies.h"

/* The texts are slices of what was read, until the jar keeps it. */
struct cookie {
    struct str name, value;
    struct str domain; /* in small letters, without a dot before it */
    struct str path;   /* begins with '/' */
    bool host_only;    /* for this host alone, not for those below it */
    bool secure, http_only;
    bool is_session;    /* it has no time: it ends with the crawl */
    uint64_t expires_s; /* otherwise */
};

/* Read a Set-Cookie header of an answer from `url`. False if the rules say that
 * it is to be ignored; those that need other cookies are the jar's. */
bool cookie_parse(struct cookie *cookie, struct str header,
                  const struct url *url, const struct domains *domains,
                  uint64_t now_s);

static inline bool cookie_is_expired(const struct cookie *cookie,
                                     uint64_t now_s)
{
    return !cookie->is_session && cookie->expires_s <= now_s;
}

/* Is `host` this domain, or below it? An address is only itself. */
bool cookie_domain_matches(struct str host, struct str domain);

/* Is `path` this path, or below it? */
bool cookie_path_matches(struct str path, struct str cookie_path);

#endif
