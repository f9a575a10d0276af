/* Writing a package of an archive: WACZ 1.1.1, one ZIP file with the WARC
 * files, their index and a list of the pages.
 *
 *     struct wacz *wacz = wacz_new(fd, &options);
 *     wacz_add_page(wacz, &page);         the first is what a reader opens
 *     wacz_add_capture(wacz, &entry);
 *     wacz_add_file(wacz, "a.warc.gz", warc_fd, length);    after all pages
 *     wacz_finish(wacz);
 *     wacz_free(wacz);
 *
 * Memory stays small whatever the number of captures and pages. The package is
 * as replayweb.page 2.5 and py-wacz want it:
 *
 *   - "profile" is "data-package": version 1.2 does not open;
 *   - the index is indexes/index.cdx.gz, gzip members of some lines each, and
 *     indexes/index.idx, which has a line for each member;
 *   - a reader loads all of pages/pages.jsonl, so it has the first thousands
 *     only, and the seeds; the rest is in pages/extraPages.jsonl;
 *   - datapackage.json has the length and the SHA-256 of every file, and
 *     datapackage-digest.json that of datapackage.json.
 */
#ifndef ARCHIVE_WACZ_H
#define ARCHIVE_WACZ_H

#include "archive/cdxj.h"

enum {
    /* cdxj-indexer has 300, browsertrix 256, js-wacz 3,000. A look-up reads a
     * block or two, and opening a package reads a line for each. */
    WACZ_BLOCK_LINES = 300,
    WACZ_FIRST_PAGES = 2000,
    WACZ_FIRST_SEEDS = 10000,
};

struct wacz_options {
    uint64_t now_ms;      /* when it is made */
    const char *software; /* "crawler 1.0" */
    unsigned block_lines; /* 0: WACZ_BLOCK_LINES */
};

struct wacz_page {
    uint64_t number; /* 0: none */
    struct str url;
    struct str title; /* may be empty */
    uint64_t date_ms;
    uint32_t depth;
    bool has_depth;
    bool is_seed;
};

struct wacz;

/* Write to an empty file. NULL with errno. */
struct wacz *wacz_new(int fd, const struct wacz_options *options);
void wacz_free(struct wacz *wacz);

/* All are false with errno; then the file is of no use. */
bool wacz_add_page(struct wacz *wacz, const struct wacz_page *page);
bool wacz_add_capture(struct wacz *wacz, const struct cdxj_entry *entry);

/* Copy the first bytes of a WARC file. */
bool wacz_add_file(struct wacz *wacz, const char *name, int fd,
                   uint64_t length);

/* A WARC file that is put together from parts of others; at most `length_max`
 * bytes. */
bool wacz_begin_file(struct wacz *wacz, const char *name, uint64_t length_max);
bool wacz_copy(struct wacz *wacz, int fd, uint64_t at, uint64_t length);
bool wacz_end_file(struct wacz *wacz, const char *name);

bool wacz_finish(struct wacz *wacz);

#endif
