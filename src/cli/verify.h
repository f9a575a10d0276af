/* What the files of crawler verify share; nobody else includes this.
 *
 * Rows come kind by kind, URLs last, so what the others tell of a URL waits
 * here for it: some tens of bytes each, no texts. */
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "base/buf.h"
#include "cli/findings.h"
#include "cli/pauses.h"
#include "frontier/seen.h"
#include "page/pagedir.h"
#include "store/store.h"

enum verify_flag {
    VERIFY_KNOWN = 1,   /* there is a row of the URL itself */
    VERIFY_PAGE = 2,    /* it is not that of a sitemap */
    VERIFY_CHANGED = 4, /* it has been found again */
    VERIFY_FETCHED = 8,
    VERIFY_OVER = 16, /* fetched for the last time, or refused */
    VERIFY_NOINDEX = 32,
};

struct verify_url {
    uint32_t depth, referrer; /* the latest */
    uint32_t page;            /* under which it was saved, or 0 */
    uint32_t host;            /* of pauses_host; 0 where it was not fetched */
    uint8_t flags;
};

struct verify_page {
    uint64_t size, digest;
    uint32_t number; /* of the URL; 0: there is no such page */
};

struct verify {
    struct store *store;
    struct pagedir dir;
    struct findings findings;

    /* by number, by page */
    struct verify_url *url;
    struct verify_page *page;
    uint64_t urls, last_number;
    uint32_t last_page;
    uint64_t pages, bytes;

    struct pauses pauses;
    struct seen page_urls; /* fingerprints */
    uint64_t seed;         /* of those */
    struct buf file;

    /* settings */
    uint64_t saved, saved_bytes, per_host;
    bool unclean;
};

/* cli/verify_rows.c: what is recorded, and does it fit together? False with
 * `error` where it cannot be read. */
bool verify_rows(struct verify *verify, struct store_error *error);

/* The text of a URL, for people, until the next one is asked for. */
struct str verify_url_text(struct verify *verify, uint64_t number);

/* cli/verify_pages.c: is this page's file as it was saved? And are there files
 * that are no page's? */
void verify_page_file(struct verify *verify, uint32_t id, struct str url,
                      uint32_t depth);
void verify_strangers(struct verify *verify);

/* cli/verify_depths.c: when all rows are known. */
void verify_depths(struct verify *verify);

#endif
