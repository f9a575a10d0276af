/* Shared by the files of crawler verify; nobody else includes this. */
#ifndef REPORT_VERIFY_INTERNAL_H
#define REPORT_VERIFY_INTERNAL_H

#include "base/buf.h"
#include "frontier/seen.h"
#include "page/pagedir.h"
#include "report/pauses.h"
#include "store/facts.h"
#include "store/fold.h"

enum finding {
    FINDING_FILE,   /* a page file */
    FINDING_NUMBER, /* of a page */
    FINDING_DEPTH,
    FINDING_PAUSE,
    FINDING_RECORD, /* the state file, or rows that do not fit */
    FINDINGS,
};

struct findings {
    uint64_t count[FINDINGS];
};

/* What a finding is about: a page or a URL, or neither. */
struct subject {
    uint32_t page;
    struct str url;
};

/* Print "page 7: ..." or "...: URL", one line on standard output, of every kind
 * at most a hundred. */
void findings_add(struct findings *findings, enum finding kind,
                  struct subject subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline struct subject of_page(uint32_t page)
{
    return (struct subject){.page = page};
}

static inline struct subject of_url(struct str url)
{
    return (struct subject){.url = url};
}

static inline struct subject of_crawl(void)
{
    return (struct subject){0};
}

/* The rows of URLs are read last, so what is known of them before waits here:
 * some tens of bytes each, no texts. */
enum verify_flag {
    VERIFY_KNOWN = 1,     /* there is a row of the URL itself, */
    VERIFY_MENTIONED = 2, /* or another row that belongs to it */
    VERIFY_PAGE = 4,      /* it is not that of a sitemap */
    VERIFY_NOINDEX = 8,
};

struct verify_url {
    uint32_t depth, referrer; /* the latest */
    uint32_t page;            /* the number it was saved under, or 0 */
    uint8_t flags;
    const struct str *host; /* pauses_host; NULL: it was not fetched */
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

/* report/verify_files.c: is this page's file as it was saved? And are there
 * numbered files that are no page's? */
void verify_page_file(struct verify *verify, uint32_t id, struct str url,
                      uint32_t depth);
void verify_unknown_files(struct verify *verify);

#endif
