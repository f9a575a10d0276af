/* A webpage: what is asked for, what came back, and what was made of it.
 *
 * It makes the whole round: filled in with a URL, through pagefetcher,
 * pagescanner and pagesaver, and back to whoever asked. All that belongs to
 * it is in its arena; the bytes of the exchange are the fetcher's and are gone
 * once the page is given back to it. A webpage is used again for the next URL.
 */
#ifndef PAGE_WEBPAGE_H
#define PAGE_WEBPAGE_H

#include "base/arena.h"
#include "html/scan.h"
#include "page/exchange.h"
#include "url/url.h"

/* A link as it is offered to the validator: absolute, normalised. */
struct page_link {
    struct url url;
    uint64_t fingerprint;
    const struct html_link *html; /* kind, rel, text; NULL for a redirect */
    bool not_html_name; /* the course's rule: not the name of an HTML page */
    bool nofollow;      /* rel says so, and we obey */
    bool sitemap;       /* not a page: a sitemap that a sitemap names */
};

struct page_links {
    struct page_link *link;
    size_t count;
    size_t bad;      /* that have a web scheme but are no valid URL */
    size_t baseless; /* relative ones of a page of which the URL is not known */
    size_t beyond;   /* that do not count: too many, or too long all together */
};

/* What is fetched, and so what is done with it. */
enum webpage_kind {
    WEBPAGE_HTML,
    WEBPAGE_ROBOTS,  /* any type, cut at the size that counts, not saved */
    WEBPAGE_SITEMAP, /* any type, a larger cap, not saved */
};

struct webpage {
    /* asked for */
    enum webpage_kind kind;
    struct str url; /* NUL-terminated */
    uint32_t depth;
    bool want_links;
    bool is_host_needed;     /* more of its host is queued: keep the connection
                              * for that */
    struct str dns_override; /* the address to connect to, "192.0.2.1" or
                              * "[2001:db8::1]"; empty: look the name up */

    /* came back: the fetcher's, and nobody changes it */
    struct exchange exchange;

    uint64_t origin; /* scheme, host and port, as pagefetcher_origin has it */

    /* was made of it */
    enum outcome outcome;    /* of all: at first that of the exchange */
    bool noindex, nofollow;  /* the exchange or meta robots say so, if obeyed */
    uint64_t digest;         /* of the body, if it was saved and asked for */
    struct str robots_text;  /* of a robots.txt that has rules */
    void *prepared;          /* by the pagesaver; NULL where nothing is */
    int save_errno;          /* of NOT_SAVED */
    struct page_links links; /* of the page, or the redirect's one */

    struct arena arena;
};

void webpage_init(struct webpage *page);
void webpage_release(struct webpage *page);

/* Nobody needs what came back any more: a page that waits for its next round
 * holds little memory. */
void webpage_rest(struct webpage *page);

/* What outcome_put can say of it. */
static inline struct outcome_details webpage_details(const struct webpage *page)
{
    return (struct outcome_details){
        .status = page->exchange.status,
        .mime = str_of(page->exchange.mime),
        .certificate_for = page->exchange.certificate_for,
    };
}

/* Forget the last round and ask for a URL, borrowed until the page is back. */
void webpage_ask(struct webpage *page, struct str url, uint32_t depth,
                 bool want_links);

/* The exchange is over: what is made of it begins with what it says. */
void webpage_take_exchange(struct webpage *page);

#endif
