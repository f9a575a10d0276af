/* Why URLs gave no page.
 *
 * A crawl that ends without a single page owes the user the true reason: each
 * kind of reason is counted here, with its first example, for as long as there
 * is no page. The crawler thread alone uses it.
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
    REASON_OUTCOME,       /* the fetch ended so, or that of its host's others */
    REASON_VERDICT,       /* it was refused */
    REASON_NO_ROBOTS,     /* `url` is the robots.txt, which could not be had */
    REASON_REDIRECT,      /* it leads to `target`, which was refused */
    REASON_LOOP,          /* it leads to `target`, which leads back */
    REASON_EMPTY_SITEMAP, /* it is a sitemap that lists nothing */
};

struct reason {
    enum reason_kind kind;
    enum outcome outcome;
    enum verdict verdict;
    int status; /* of HTTP; 0: none */
    bool sitemap;

    uint64_t count; /* of URLs */
    struct str url; /* the first of them, or its host's one that was tried */
    struct str target;
    struct str text; /* what there is to say of it */
};

struct reasons;

struct reasons *reasons_new(void);
void reasons_free(struct reasons *reasons);

/* --- while it runs ------------------------------------------------------ */

/* The fetch of a page or a sitemap ended for good, without either. */
void reasons_add_fetch(struct reasons *reasons, const struct webpage *page);

/* A sitemap was read. */
void reasons_add_sitemap(struct reasons *reasons, const struct webpage *page);

/* It was refused or has failed, without being asked for: as a seed, or when its
 * turn had come. `cause` is the outcome that its host was given up for, `line`
 * of robots.txt. */
void reasons_add_verdict(struct reasons *reasons, struct str url,
                         enum verdict verdict, enum outcome cause,
                         unsigned line);

/* It redirects to `link`, of which this is the verdict. */
void reasons_add_redirect(struct reasons *reasons, const struct target *from,
                          const struct page_link *link, enum verdict verdict);

/* What the reasons are explained with: a fetch failed, of a page that may be
 * tried again or of a robots.txt; the text of the robots.txt of an origin
 * ("http://example.org:8080"). */
void reasons_note_failure(struct reasons *reasons, const struct webpage *page);
void reasons_note_robots(struct reasons *reasons, struct str host, bool https,
                         struct str text);

/* --- at the end --------------------------------------------------------- */

/* The commonest one, of several the oldest; NULL where there is none. */
const struct reason *reasons_main(const struct reasons *reasons);

/* URLs that have a reason, all together. */
uint64_t reasons_total(const struct reasons *reasons);

/* "http://example.org/: 404 Not Found", without an end of line. */
void reason_put(struct buf *out, const struct reason *reason);

/* A URL for people: its beginning, where it is very long. */
void reason_put_url(struct buf *out, struct str url);

#endif
