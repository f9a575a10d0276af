/* Shared by the files of crawler verify; nobody else includes this. */
#ifndef REPORT_VERIFY_INTERNAL_H
#define REPORT_VERIFY_INTERNAL_H

#include "base/hashtable.h"
#include "frontier/seen.h"
#include "report/hand_orders.h"
#include "report/report.h"
#include "store/fold.h"

enum fault {
    FAULT_FILE,   /* a page file */
    FAULT_NUMBER, /* of a page */
    FAULT_DEPTH,
    FAULT_PAUSE,
    FAULT_RECORD, /* the state file, or rows that do not fit */
    FAULT_ARCHIVE,
    FAULTS,
};

/* The rows of URLs are read last. Until then, what other rows say of a URL is
 * kept here: some tens of bytes each, no texts. */
enum verify_flag {
    VERIFY_KNOWN = 1,     /* there is a row of the URL itself, */
    VERIFY_MENTIONED = 2, /* or another row that belongs to it */
    VERIFY_PAGE = 4,      /* it is not that of a sitemap */
    VERIFY_NO_NUMBER = 8, /* it has links, but asks not to be saved */
    VERIFY_LIVE = 16,     /* it was queued, and is not withdrawn: it takes each
                           * smaller depth that is found */
};

struct verify_url {
    uint32_t depth, referrer; /* the latest */
    uint32_t fetched_depth; /* at which its last fetch was made: `depth`, unless
                             * it was found nearer after that */
    uint32_t page;          /* the number it was saved under, or 0 */
    uint32_t via;           /* the URL that redirected here, or 0, */
    uint32_t first_depth;   /* and at which depth */
    uint8_t flags;
    const struct str *host; /* verify_host; NULL: it was not fetched */
};

struct verify_page {
    uint64_t size, digest;
    uint32_t number; /* of the URL; 0: there is no such page */
};

struct verify {
    struct report *report;
    const struct pagedir *dir; /* NULL: no files are looked at */
    uint64_t found[FAULTS];
    struct facts facts;

    /* by number, by page */
    struct verify_url *url;
    struct verify_page *page;
    uint64_t urls, last_number;
    uint32_t last_page;
    uint64_t pages, bytes;

    struct verify_fetch *fetch; /* all that were made */
    size_t fetches, fetch_room;
    struct hashtable hosts; /* their names, */
    struct arena arena;     /* in here */

    struct seen page_urls; /* fingerprints */
    uint64_t seed;         /* of all hashes */

    struct hand_orders orders;

    uint64_t left_out;              /* pages that asked not to be archived */
    struct verify_archive *archive; /* NULL: there are no rows of one */
};

/* Print one line on standard output, of every kind at most a hundred. */
void verify_found(struct verify *verify, enum fault kind, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* Were pages saved as files? The settings must be read. */
bool verify_has_files(const struct verify *verify);

/* The name of a page for people. */
#define PAGE_NAME(verify, page) (report_page((verify)->report, page).text)

/* report/verify_files.c: is this page's file as it was saved? And are there
 * numbered files that are no page's? Of a fleet these are the files of
 * report->own. */
void verify_page_file(struct verify *verify, uint32_t id, struct str url,
                      uint32_t depth);
void verify_unknown_files(struct verify *verify);

/* report/verify_pauses.c: add a fetch of a URL's `number` or, if that is 0,
 * from `host`; was any made before a pause was over? A URL's host must be known
 * by then, or its fetches are left out. */
void verify_add_fetch(struct verify *verify, uint64_t start_ms, uint64_t end_ms,
                      uint64_t pause_ms, uint32_t number,
                      const struct str *host);
void verify_pauses(struct verify *verify, uint32_t per_host);

/* report/verify_archive.c: are the records of the archive as the rows say? The
 * rows are given in order, after those of URLs; then the end of the archive is
 * looked at. */
bool verify_archive_file(struct verify *verify,
                         const struct store_archive *row);
bool verify_archive_capture(struct verify *verify,
                            const struct store_capture *row);
void verify_archive_end(struct verify *verify);
void verify_archive_free(struct verify_archive *archive);

/* How many exchanges and files there were. */
uint64_t verify_captures(const struct verify *verify);
size_t verify_archives(const struct verify *verify);

/* The one copy of a host's name, "example.org:8080", which stands for it. */
const struct str *verify_host(struct verify *verify, struct str name);

#endif
