/* A recorded crawl, as the reports see it: its record, open to be read, and
 * the rules that it was run with. The command line fills this in. Reports
 * change nothing, so the crawl may be at work. Functions that read the record
 * return false with the reason in `error`. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "ds/hashtable.h"
#include "frontier/validator.h"
#include "page/pagedir.h"
#include "page/pagescanner.h"
#include "store/facts.h"

struct report {
    const char *dir_path;
    struct store *store;
    struct store_error error;
    const struct facts *facts;
    bool locked; /* a crawl is at work there */
    uint64_t now_ms, wall_ms;

    const struct scope *scope;
    const struct domains *domains;
    uint32_t max_depth, max_redirects;
    struct frontier_options frontier;
    struct scan_options scan;
    /* Options whose values were not kept: " --header ...". */
    const char *secret_options;

    /* Load everything that a resumed crawl would know into `validator`. */
    bool (*load)(struct report *report);
    bool loaded;
    struct validator validator; /* once loaded; the command line releases it */
};

/* Load it unless it is loaded: it takes a second for a million URLs. */
bool report_load(struct report *report);

/* Find or make the entry of that name, of `size` bytes. Its first member is the
 * name, a struct str; both are in `arena`. `seed` is for the hash. */
void *report_entry(struct hashtable *table, struct arena *arena,
                   struct str name, uint64_t seed, size_t size);

/* Can the crawl go on? */
bool report_can_go_on(const struct report *report);

/* The command that goes on with it, onto a line. */
void report_put_resume(const struct report *report, struct buf *line);

/* --- the reports ---------------------------------------------------------
 *
 * Each prints on standard output. */

/* crawler status: how the crawl is, on one screen. */
bool status_print(struct report *report);

/* crawler why: why the crawl fetched a URL, or did not; `link` is parsed as a
 * link of the crawl would be. */
bool why_print(struct report *report, const struct page_link *link);

/* crawler verify: read everything again, record and page files, and find what
 * is not as it was recorded. `*clean` is true if nothing is found. `seed` is
 * for hash tables. */
bool verify_print(struct report *report, const struct pagedir *dir,
                  uint64_t seed, bool *clean);

#endif
