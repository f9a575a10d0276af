/* Reasons why a crawl has no page.
 *
 * Counts each kind of reason, with its first example, until a page is saved, so
 * that a crawl that ends without a single page can print the true reason. Only
 * the crawler thread uses it.
 *
 *     struct reasons *reasons = reasons_new();
 *     ... the crawl ...
 *     const struct reason *reason = reasons_main(reasons);
 *     if (reason)
 *         reason_put(&line, reason);
 *     reasons_free(reasons);
 *
 * With NULL instead of the reasons every call does nothing.
 */
#ifndef CRAWLER_REASONS_H
#define CRAWLER_REASONS_H

#include "frontier/target.h"
#include "frontier/verdict.h"
#include "page/webpage.h"

enum reason_kind {
    REASON_OUTCOME,       /* the fetch failed, or the host was given up */
    REASON_VERDICT,       /* it was refused */
    REASON_NO_ROBOTS,     /* `url` is the robots.txt that gave no answer */
    REASON_REDIRECT,      /* it redirects to `target`, which was refused */
    REASON_LOOP,          /* it redirects to `target`, which leads back */
    REASON_EMPTY_SITEMAP, /* it is a sitemap that lists no URL */
};

struct reason {
    enum reason_kind kind;
    enum outcome outcome;
    enum verdict verdict;
    int status; /* of HTTP; 0: none */
    bool sitemap;

    uint64_t count; /* of URLs */
    struct str url; /* the first one, or the one of its host that was tried */
    struct str target;
    struct str text; /* the explanation */
};

struct reasons;

struct reasons *reasons_new(void);
void reasons_free(struct reasons *reasons);

/* --- while it runs ------------------------------------------------------ */

/* The fetch of a page or a sitemap failed and is not tried again. */
void reasons_add_fetch(struct reasons *reasons, const struct webpage *page);

/* A sitemap was read. */
void reasons_add_sitemap(struct reasons *reasons, const struct webpage *page);

/* The URL was not fetched: refused as a seed, or when its turn came. `cause` is
 * the outcome that its host was given up for, `line` the line of robots.txt. */
void reasons_add_verdict(struct reasons *reasons, struct str url,
                         enum verdict verdict, enum outcome cause,
                         unsigned line);

/* `from` redirects to `link`, which got this verdict. */
void reasons_add_redirect(struct reasons *reasons, const struct target *from,
                          const struct page_link *link, enum verdict verdict);

/* Material for explanations: a failed fetch, also of a robots.txt or of a page
 * that will be tried again; the text of a robots.txt. */
void reasons_note_failure(struct reasons *reasons, const struct webpage *page);
void reasons_note_robots(struct reasons *reasons, struct str host, bool https,
                         struct str text);

/* --- at the end --------------------------------------------------------- */

/* The most frequent reason, the oldest of several; NULL if there is none. */
const struct reason *reasons_main(const struct reasons *reasons);

/* The number of URLs that have a reason. */
uint64_t reasons_total(const struct reasons *reasons);

/* "http://example.org/: 404 Not Found", without an end of line. */
void reason_put(struct buf *out, const struct reason *reason);

#endif
