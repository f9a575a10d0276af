/* Shared by the files of crawler verify; nobody else includes this.
 *
 * URLs come last, so facts of their pages wait here for them: some tens of
 * bytes each, no texts. */
#ifndef REPORT_VERIFY_INTERNAL_H
#define REPORT_VERIFY_INTERNAL_H

#include "base/buf.h"
#include "frontier/seen.h"
#include "page/pagedir.h"
#include "report/findings.h"
#include "report/pauses.h"
#include "store/facts.h"
#include "store/fold.h"

enum verify_flag {
    VERIFY_KNOWN = 1,     /* there is a row of the URL itself, */
    VERIFY_MENTIONED = 2, /* or another row that belongs to it */
    VERIFY_PAGE = 4,      /* it is not that of a sitemap */
    VERIFY_NOINDEX = 8,
};

struct verify_url {
    uint32_t depth, referrer; /* the latest */
    uint32_t page;            /* the number it was saved under, or 0 */
    uint32_t host;            /* of pauses_host; 0: it was not fetched */
    uint8_t flags;
};

struct verify_page {
    uint64_t size, digest;
    uint32_t number; /* of the URL; 0: there is no such page */
};

struct verify {
    struct store *store;
    const struct pagedir *dir;
    struct findings findings;
    struct facts facts;

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
};

/* report/verify_rows.c: does the record fit together? False with `error` if it
 * cannot be read. */
bool verify_rows(struct verify *verify, struct store_error *error);

/* The text of a URL, for people, until the next one is asked for. */
struct str verify_url_text(struct verify *verify, uint64_t number);

/* report/verify_pages.c: is this page's file as it was saved? And are there
 * numbered files that are no page's? */
void verify_page_file(struct verify *verify, uint32_t id, struct str url,
                      uint32_t depth);
void verify_unknown_files(struct verify *verify);

/* report/verify_depths.c: when all rows are known. */
void verify_depths(struct verify *verify);

#endif
