/* A webpage: the request for one URL, the exchange that answered it, and the
 * results of scanning and saving.
 *
 * The crawler thread fills in the URL. The page then passes through the
 * pagefetcher, the pagescanner and the pagesaver and returns to the crawler
 * thread. Everything that belongs to it is in its arena, except the bytes of
 * the exchange: the fetcher owns those and frees them when it gets the page
 * back. A webpage is used again for the next URL.
 */
#ifndef PAGE_WEBPAGE_H
#define PAGE_WEBPAGE_H

#include "base/mem.h"
#include "page/exchange.h"
#include "web/html.h"
#include "web/url.h"

struct body_budget;
struct warc_pair;

/* A link as it is offered to the validator: absolute, normalised. */
struct page_link {
    struct url url;
    uint64_t fingerprint;
    const struct html_link *html; /* kind, rel, text; NULL for a redirect */
    bool not_html_name; /* the course's rule: not the name of an HTML page */
    bool nofollow;      /* rel says so, and we obey */
    bool sitemap;       /* not a page: a sitemap that a sitemap names */
    bool document;      /* a requisite: a frame, an object */
    bool link_too;      /* a requisite: a frame, which is also a link */
    bool named;         /* a seed: the user named it */
};

struct page_links {
    struct page_link *link;
    size_t count;
    size_t bad; /* links with a web scheme that are no valid URL */
    struct page_link *bad_link; /* the first of these and of other mistakes
                                 * (web/url.h), if the contents are wanted:
                                 * `url` has only the text as written */
    size_t bad_count;           /* at most PAGE_BAD_MAX */
    struct page_link *aside;    /* of link elements and forms, which are not
                                 * followed, if the contents are wanted */
    size_t aside_count;
    size_t baseless; /* relative links of a page whose URL is not known */
    size_t beyond;   /* links left out: too many, or too long in all */
};

/* A page of https needs this, which has http. */
struct page_mixed {
    enum html_requisite_kind kind;
    struct str url;
};

/* The statements of a page about itself, for a report on the site. */
struct page_content {
    bool is_known;  /* it was asked for, and the page was scanned */
    struct str ids; /* that a fragment can name, one a line */
    size_t ids_beyond;
    struct page_mixed *mixed;
    size_t mixed_count, mixed_beyond;
};

/* The kind of file that is fetched; it decides what is done with it. */
enum webpage_kind {
    WEBPAGE_HTML,
    WEBPAGE_ROBOTS,    /* any type, cut at the size that counts, not saved */
    WEBPAGE_SITEMAP,   /* any type, a larger cap, not saved */
    WEBPAGE_REQUISITE, /* any type, not saved, read for more requisites */
};

struct webpage {
    /* the request */
    enum webpage_kind kind;
    struct str url;   /* NUL-terminated */
    struct url parts; /* of `url`; without a text: see webpage_url_parts */
    uint32_t depth;
    bool want_links;
    bool want_requisites;
    bool is_document;        /* a requisite: read it for more if it is HTML */
    bool is_only_head;       /* ask for the head alone (HEAD): an answer with
                              * status 200 ends as EMPTY_BODY */
    bool is_body_unwanted;   /* of an answer to GET: cut it off at once */
    bool is_host_needed;     /* more of its host is queued: keep the connection
                              * for that */
    struct str dns_override; /* the address to connect to, "192.0.2.1" or
                              * "[2001:db8::1]"; empty: look the name up */

    /* the answer: the fetcher fills it in, nobody changes it */
    struct exchange exchange;

    uint64_t origin; /* scheme, host and port, as pagefetcher_origin has it */

    /* the results */
    enum outcome outcome; /* begins as the outcome of the exchange */
    /* of the exchange or meta robots, if obeyed */
    bool noindex, nofollow, noarchive;
    uint64_t digest;         /* of the body, if it was saved and asked for */
    struct str robots_text;  /* the text of a robots.txt that has rules */
    void *prepared;          /* the pagesaver's; NULL: nothing is prepared */
    int save_errno;          /* why the outcome is NOT_SAVED */
    struct page_links links; /* of the page, or the one of a redirect */
    struct str fragment;     /* that a redirect names; {NULL, 0}: none */
    struct page_links requisites; /* if wanted; `html` is NULL */
    /* The URL that the page names as its own, if wanted; or NULL. */
    struct page_link *canonical;
    struct page_content content;
    bool is_settled;  /* it is in the archive, and nobody has to ask for the URL
                       * again, as a page or as a requisite */
    struct str title; /* if wanted; {NULL, 0}: it has none */
    struct warc_pair *pair; /* the pagerecorder's; NULL: nothing is kept */
    struct body_budget *pair_budget; /* where the pair counts ... */
    size_t pair_held;                /* ... for so much; 0: it does not */

    struct arena arena;
};

void webpage_init(struct webpage *page);
void webpage_release(struct webpage *page);

/* Free the answer and the results, so that a page that waits for its next URL
 * holds little memory. */
void webpage_rest(struct webpage *page);

/* Free the records of the exchange, if there are any. */
void webpage_drop_pair(struct webpage *page);

/* The details that outcome_put prints. */
static inline struct outcome_details webpage_details(const struct webpage *page)
{
    return (struct outcome_details){
        .status = page->exchange.status,
        .mime = str_of(page->exchange.mime),
        .certificate_for = page->exchange.certificate_for,
        .proxy_at_fault = page->exchange.proxy_at_fault,
    };
}

/* Forget the last round and ask for a URL, borrowed until the page is back. */
void webpage_ask(struct webpage *page, struct str url, uint32_t depth,
                 bool want_links);

/* The same for a URL that is parsed already. */
void webpage_ask_parsed(struct webpage *page, const struct url *url,
                        uint32_t depth, bool want_links);

/* The page's URL, parsed now if it was given as text; NULL if it is not valid.
 */
const struct url *webpage_url_parts(struct webpage *page);

/* Is it a requisite that may name more: a stylesheet, or a document of HTML
 * that is to be read? */
bool webpage_names_more(const struct webpage *page);

/* Keep a copy of the URL, which is only borrowed. */
void webpage_own_url(struct webpage *page);

/* The exchange is over: copy its outcome and robots flags into the results. */
void webpage_take_exchange(struct webpage *page);

#endif
