/* The pages of `crawler serve` itself, at the address where it listens: what
 * there is and how to look at it, the package, the authority's certificate.
 *
 * Recorded pages are never among them. Their scripts would run in our origin.
 */
#ifndef REPLAY_OWN_PAGES_H
#define REPLAY_OWN_PAGES_H

#include "http/conn.h"

enum { OWN_PAGES_SEEDS_MAX = 100 };

struct own_pages {
    uint64_t captures;
    struct buf seeds; /* URLs, each with a line feed */
    size_t seed_count;
    struct str pem; /* the certificate of the authority */
    int package_fd; /* the WACZ; -1: none */
    uint64_t package_len;
    const char *why_no_package; /* a sentence without a full stop */
    /* If set: it makes the package when one asks for it first. It returns the
     * descriptor of the file, or -1. All other requests wait until it
     * returns. */
    int (*make_package)(void *user);
    void *make_user;
    bool has_failed; /* to make it */
};

void own_pages_init(struct own_pages *pages);
void own_pages_release(struct own_pages *pages); /* closes the package */

/* List a URL at "/", unless it is there already, the list is full or the URL is
 * neither http nor https. */
void own_pages_add_seed(struct own_pages *pages, struct str url);

void own_pages_answer(struct own_pages *pages, struct http_exchange *exchange);

/* A line of text as the body: for every refusal, on recorded origins too. The
 * `detail` may be empty. */
void own_pages_refuse(struct http_exchange *exchange, unsigned status,
                      struct str text, struct str detail);

#endif
