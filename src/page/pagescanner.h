/* The pagescanner: the links of a page as they are offered to the validator:
 * absolute, normalised, with their fingerprints, in document order, repeats
 * included. Pure and without state, so any thread may use it. */
#ifndef PAGE_PAGESCANNER_H
#define PAGE_PAGESCANNER_H

#include "page/webpage.h"
#include "web/normalize.h"

struct scan_options {
    uint64_t fingerprint_seed;
    bool course;             /* the course's normalisation (web/normalize.h) */
    bool want_canonical;     /* fill page->canonical */
    bool want_text;          /* of `a`, for those who print it */
    bool want_title;         /* page->title */
    bool want_content;       /* page->content: for a report on the site */
    struct str robots_agent; /* obey meta robots and rel; empty: do not */
    /* These keys are taken out of the queries of pages' URLs; or NULL. */
    const struct query_keys *strip;
};

/* The parts that are kept of requisites that are mixed content. */
enum { PAGE_MIXED_MAX = 100, PAGE_BAD_MAX = 100 };

/* A limit on the memory for the links of one page or sitemap: a small page
 * with a long base has as many long URLs as it has links. */
enum { PAGE_LINK_BYTES_MAX = 16 << 20 };

/* Fill page->links and page->requisites from page->exchange.body, as far as
 * they are wanted. URLs of other schemes than http and https are left out. */
void pagescanner_scan(struct webpage *page, const struct scan_options *options);

/* Fill page->requisites from a requisite that names more: a stylesheet, or a
 * document of HTML. */
void pagescanner_requisite(struct webpage *page,
                           const struct scan_options *options);

/* Copy the texts of the links, which are parts of the body, so that they stay
 * valid when the body is gone. Of the references only fragments are kept. */
void pagescanner_keep_texts(struct webpage *page);

/* Fill page->links with the one place a redirect leads to, or turn the
 * outcome into BAD_REDIRECT. */
void pagescanner_follow(struct webpage *page,
                        const struct scan_options *options);

/* Fill page->links from a sitemap: pages, and sitemaps that it names; or turn
 * the outcome into TOO_LARGE or NOT_SITEMAP. */
void pagescanner_sitemap(struct webpage *page,
                         const struct scan_options *options);

/* Parse a URL as a link of this crawl is parsed. Seeds are parsed so, too. A
 * login in it is dropped; those that the user wrote are taken out before
 * (web/url.h). */
MUST_CHECK enum err pagescanner_link(struct page_link *link,
                                     struct arena *arena, struct str href,
                                     const struct url *base,
                                     const struct url_query_encoder *encoder,
                                     const struct scan_options *options);

#endif
