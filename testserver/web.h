/* A synthetic web of many hosts, computed and never stored.
 *
 * Every page of every host is a function of the seed: its links, its size,
 * how it is answered. So a web of millions of pages needs no disk, two
 * servers with the same options serve the same web, and what a complete
 * crawl must find can be listed without a crawl (truth.h).
 *
 * Shape: host 0 is the largest, page counts fall by a power law. The pages of
 * a host form a tree below its root, the hosts a tree below host 0, so that
 * all pages can be reached; on top of that come random links, more of them to
 * the first pages of the first hosts. URLs that are no pages (redirects, dead
 * links, errors, files, traps) are extra: no page lies behind one of them
 * alone.
 *
 * Names: the hosts h of a block of eight belong to four domains: two with a
 * host of its own (d0.example, d1.example), one with two (h2.d2.example,
 * h3.d2.example), one with four (h4.d3.example ...). The top-level domain is
 * reserved, so a forgotten --connect-to reaches nobody; by the public suffix
 * list's default rule the registrable domain is dN.example.
 */
#ifndef TESTSERVER_WEB_H
#define TESTSERVER_WEB_H

#include "base/buf.h"

enum {
    WEB_MAX_HOSTS = 10 * 1000 * 1000,
    WEB_MAX_RANDOM_LINKS = 500,
    WEB_MAX_LINKS = WEB_MAX_RANDOM_LINKS + 20,
    WEB_SECTIONS = 8, /* directories a host's pages are spread over */
    WEB_CALENDAR_DOOR = 2024 * 12, /* the month where that trap begins */
};

/* A share is a part of WEB_ALL. */
#define WEB_ALL (1ULL << 32)

struct web_options {
    const char *seed; /* any text; NULL: no web */
    uint64_t hosts, pages;
    uint64_t skew_percent; /* exponent of the power law, times 100 */
    uint64_t links;        /* random links a page, on average */
    uint64_t size;         /* bytes of a page, on average */

    /* URLs of that kind for each page, and share of the random links. */
    uint64_t broken, redirects, errors, files;
    /* Shares of the pages. */
    uint64_t slow, flaky, limited, gzip, noindex;
    uint64_t nofollow; /* share of the random links */
    uint64_t rules;    /* share of the hosts with rules in robots.txt */
    uint64_t traps;    /* share of the hosts with an endless part */
    uint64_t slow_ms;
    uint64_t crawl_delay_s; /* in those robots.txt; 0: none */
};

/* What a URL of the web is. */
enum web_kind {
    WEB_NOTHING, /* no page links to it */
    WEB_PAGE,
    WEB_REDIRECT,
    WEB_BROKEN,   /* 404 */
    WEB_ERROR,    /* 500, always */
    WEB_FILE,     /* no HTML */
    WEB_CALENDAR, /* traps: every one of them leads to the next */
    WEB_GROWING,
    WEB_SESSION,
    WEB_ROBOTS, /* robots.txt */
};

struct web_target {
    enum web_kind kind;
    uint32_t host;
    uint64_t n;    /* which one of the host's */
    bool nofollow; /* as a link */
};

/* How a page is answered. */
struct web_traits {
    bool slow, flaky, limited, gzip, noindex;
    uint32_t size;
};

struct web {
    struct web_options options;
    uint64_t seed;
    uint64_t
        *first_page; /* number of each host's first page, and of all pages */
};

/* The defaults; the seed is NULL. */
void web_defaults(struct web_options *options);

/* False with a sentence in `problem` if the options make no sense. */
bool web_init(struct web *web, const struct web_options *options,
              const char **problem);
void web_release(struct web *web);

/* --- hosts ------------------------------------------------------------- */

void web_put_host(const struct web *web, uint32_t host, struct buf *out);

/* The number of a host by its name. */
bool web_find_host(const struct web *web, struct str name, uint32_t *host);

uint32_t web_domain(uint32_t host);
uint64_t web_pages(const struct web *web, uint32_t host);

/* How many URLs of a kind (redirect, broken, error, file) the host has. */
uint64_t web_count(const struct web *web, uint32_t host, enum web_kind kind);

/* The rules of a host's robots.txt. */
enum web_rules {
    WEB_NO_RULES,
    WEB_NO_SECTION,      /* one section is forbidden, */
    WEB_NO_SECTION_BUT,  /* ... but for names that begin with p1, */
    WEB_NO_SECTION_HTML, /* ... only names that end in .html are */
    WEB_CLOSED,          /* everything is */
};
enum web_rules web_rules(const struct web *web, uint32_t host,
                         unsigned *section);

/* Does robots.txt allow it? */
bool web_allows(const struct web *web, const struct web_target *target);

/* --- pages and links --------------------------------------------------- */

struct web_traits web_traits(const struct web *web, uint32_t host, uint64_t n);

/* The links of a page or of a trap, in order; how many. */
size_t web_links(const struct web *web, const struct web_target *from,
                 struct web_target out[WEB_MAX_LINKS]);

/* Where a redirect leads. */
struct web_target web_redirect(const struct web *web,
                               const struct web_target *from);

/* --- URLs -------------------------------------------------------------- */

/* The path and query. */
void web_put_path(const struct web *web, const struct web_target *target,
                  struct buf *out);

/* "http://host/path?query" */
void web_put_url(const struct web *web, const struct web_target *target,
                 struct buf *out);

/* What a path with its query is at a host. */
struct web_target web_find(const struct web *web, uint32_t host,
                           struct str path);

#endif
