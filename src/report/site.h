/* The URLs of a crawl as a report on the site needs them: what became of each,
 * where redirects lead, and whether a page links to it.
 *
 * Memory: 24 bytes a URL of the record, about 32 more for one in the scope, 8
 * for a page, 16 for a host, and 32 MB at most for the texts of redirects, with
 * 32 bytes for each. Private to report/.
 */
#ifndef REPORT_SITE_H
#define REPORT_SITE_H

#include "report/report.h"
#include "store/fold.h"

/* Does a link to it work? */
enum link_judgement {
    LINK_GOOD,
    LINK_BROKEN,
    LINK_UNKNOWN, /* the answer says nothing of the page: 403, 429, time-outs */
};

/* By how a fetch ended, and the status of HTTP or 0. */
enum link_judgement judge_answer(enum outcome outcome, unsigned status);

enum site_flags {
    SITE_LINKED = 1,       /* by another page */
    SITE_FROM_SITEMAP = 2, /* no page had named it then, and no user */
    SITE_NO_TITLE = 4,     /* a page that has no title element */
    SITE_EMPTY_TITLE = 8,  /* or an empty one */
    SITE_NOT_HTML = 16,    /* saved for its type (--types): no title, no ids */
    SITE_SEED = 32,
    SITE_LISTED = 64,    /* a sitemap named it first, whatever became of it */
    SITE_FRAGMENT = 128, /* a redirect that names a fragment of its own */
    SITE_PAGE = 256,     /* not a sitemap, nor what a page needs */
    SITE_UNASKED = 512,  /* its host was given up before, but had answered */
};

struct site_url {
    uint64_t to;   /* the fingerprint of the target; 0: none */
    uint32_t page; /* the number it was saved under, or 0 */
    uint32_t line; /* of robots.txt, that refused it */
    uint16_t status;
    uint16_t flags;
    uint8_t outcome; /* of the last fetch, or of the host that was given up */
    uint8_t verdict;
    uint8_t end; /* enum url_end */
};

/* A URL whose host was given up before its turn came. */
struct site_unasked {
    uint64_t number, host;
};

/* Texts by the numbers of URLs. What is beyond `bytes_max` is not kept. */
struct site_texts {
    struct hashtable by_number; /* struct str */
    struct arena arena;
    size_t bytes_max;
};

struct site {
    struct report *report;
    struct site_url *url; /* by number */
    uint64_t last_number;
    struct hashtable by_fingerprint; /* numbers of pages in the scope */
    struct hashtable answered;       /* hosts, by the hash of their name */
    struct site_unasked *unasked;    /* until all URLs are known */
    size_t unasked_count, unasked_room;
    uint64_t *page; /* the URL's number, by page */
    size_t pages, page_room;
    struct site_texts fragments; /* of redirects */
    struct site_texts targets;   /* of redirects out of the scope */
    struct arena arena;          /* scratch */
};

void site_init(struct site *site, struct report *report);
void site_release(struct site *site);

/* The rows of the record, in the order in which they come. False if a row
 * cannot be valid. */
void site_begin(struct site *site, uint64_t last_number);
bool site_add_fetch(struct site *site, const struct store_fetch *row);
bool site_add_refusal(struct site *site, const struct store_refusal *row);
bool site_add_url(struct site *site, const struct url_record *url);

/* All URLs are known: from now on they can be judged. Again does nothing. */
void site_settle(struct site *site);

/* The number of the URL, or 0 if it is none of the scope. */
uint64_t site_find(struct site *site, struct str url);

/* Is the URL out of the scope of the crawl? */
bool site_is_outside(struct site *site, struct str url);

/* The text of a URL, until the next call; empty if it cannot be read. */
struct str site_url_text(struct site *site, uint64_t number);
struct str site_page_text(struct site *site, uint32_t page);

/* It is there, but is known to be no HTML. */
bool site_is_no_html(const struct site_url *url);

/* It is there, but the answer has no body. */
bool site_is_empty(const struct site_url *url);

/* Does a link to this URL work? */
enum link_judgement site_judge(const struct site *site, uint64_t number);

/* It was not fetched: it stands at the end of more redirects than the crawl
 * follows. Not so if it follows none at all. */
bool site_is_beyond_redirects(const struct site *site, uint64_t number);

/* It was not fetched for want of the host's robots.txt, and that alone: another
 * page of the host might have been had. */
bool site_lacks_robots(const struct site_url *url);

/* Where the redirects that begin at `number` lead. */
struct site_path {
    uint64_t last;     /* 0: out of the scope */
    uint64_t way_out;  /* the redirect that leads out of it; 0: none */
    uint64_t fragment; /* the last redirect that names a fragment; 0: none */
    unsigned hops;     /* 0: it is no redirect */
    bool is_loop;      /* or longer than SITE_HOPS_MAX */
    bool is_permanent; /* the first of them: 301 or 308 */
};
enum { SITE_HOPS_MAX = 50 };
struct site_path site_follow(const struct site *site, uint64_t number);

/* The fragment that a redirect names, which counts in place of the link's;
 * NULL: there were too many to remember them all. */
const struct str *site_fragment(const struct site *site, uint64_t number);

/* The URL out of the scope that a redirect leads to; NULL as above. */
const struct str *site_target(const struct site *site, uint64_t number);

/* The next URL of the path, or 0. */
uint64_t site_next(const struct site *site, uint64_t number);

/* The URL that a page gave way to (--canonical), or 0. */
uint64_t site_canonical(const struct site *site, uint64_t number);

#endif
