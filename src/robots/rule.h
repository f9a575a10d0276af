/* Rules of robots.txt as they are kept and compared. Private to robots/. */
#ifndef ROBOTS_RULE_H
#define ROBOTS_RULE_H

#include <assert.h>

#include "base/buf.h"
#include "robots/robots.h"

/* Two spellings of a path are compared in one form (RFC 9309, 2.2.2): what
 * is unreserved is not percent-encoded, all else that a URL cannot hold is,
 * in capitals. '*' and '$' of a path are encoded, because in a rule they are
 * special. */
enum path_form {
    PATH_PLAIN,
    PATH_QUERY,   /* %2F and %3A behind a '?' are decoded too, so that
                     "?u=http://x" and "?u=http%3A%2F%2Fx" are the same */
    PATH_WRITTEN, /* nothing is decoded */
    PATH_FORMS,
};

enum rule_flag {
    RULE_ALLOW = 1,
    RULE_STAR = 2,     /* has a '*' */
    RULE_END = 4,      /* ended in '$': the path must end there */
    RULE_QUERY = 8,    /* has a '?': compared in PATH_QUERY */
    RULE_WRITTEN = 16, /* compared in PATH_WRITTEN */
    RULE_FLAG_BITS = 5,
};

/* A pattern in canonical form. Its text follows that of the rule before. */
struct rule {
    uint32_t line_and_flags; /* line << RULE_FLAG_BITS | flags */
    uint16_t len;            /* of the text */
    uint16_t octets;         /* as written, '*' and '$' included: longer wins */
};
static_assert(sizeof(struct rule) == 8, "a cache holds many");

struct robots {
    uint32_t size; /* of this block */
    uint32_t rule_count;
    uint32_t sitemap_len; /* the values, each ended by '\n' */
    uint32_t crawl_delay_ms;
    uint32_t flags;      /* of all rules */
    struct rule rules[]; /* then the rules' text, then the sitemaps */
};

/* True where all forms of `path` are the path itself. */
bool robots_path_is_canonical(struct str path);

/* Append the form; what does not fit into the cap of `out` is cut off. */
void robots_put_path(struct str path, enum path_form form, struct buf *out);

/* Make a rule of a line's value; `flags` is RULE_ALLOW or 0. The text goes to
 * `out`. False if it cannot match any path; nothing is added then. */
bool robots_rule_init(struct rule *rule, struct str value, uint32_t flags,
                      struct buf *out);

static inline enum path_form rule_form(uint32_t flags)
{
    if (flags & RULE_WRITTEN)
        return PATH_WRITTEN;
    return flags & RULE_QUERY ? PATH_QUERY : PATH_PLAIN;
}

#endif
