/* A recorded crawl, as the reports see it: its record, open to be read, and
 * the rules that it was run with. The command line fills this in. Reports
 * change nothing, so the crawl may be at work. Functions that read the record
 * return false with the reason in `error`. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/hashtable.h"
#include "frontier/validator.h"
#include "page/pagedir.h"
#include "page/pagescanner.h"
#include "store/facts.h"

/* A machine of a fleet. Pages are numbered one machine after the other in its
 * record. */
struct report_machine {
    uint32_t number;
    uint32_t pages_before, pages;
    struct str directory; /* what identifies its page directory */
    bool has_left;        /* as it should; else there may be more files */
};

struct report {
    const char *dir_path; /* or the engine of a fleet, without a password */
    struct store *store;
    struct store_error error;
    const struct facts *facts;
    bool locked; /* a crawl is at work there */
    uint64_t now_ms, wall_ms;

    const struct scope *scope;
    struct filter *filter; /* the user's rules; or NULL */
    const struct domains *domains;
    uint32_t max_depth, max_redirects;
    struct frontier_options frontier;
    struct scan_options scan;
    /* Options whose values were not kept: " --header ...". */
    const char *secret_options;

    /* Load everything that a resumed crawl would know into `validator`. */
    bool (*load)(struct report *report);
    /* Of a fleet, where the record is read in place: `store` has one partition
     * at a time, from this call on that of the URL. NULL: `store` has all. */
    void (*turn_to)(struct report *report, const struct url *url);
    /* The same, of any page: its URL, in `arena`; empty: it is not known. */
    struct str (*find_page)(struct report *report, uint32_t page,
                            struct arena *arena);
    /* Of a fleet; `machines` is 0 for a crawl in a page directory. */
    const struct report_machine *machine;
    size_t machines;
    const struct report_machine *own; /* whose page files are there; or NULL */
    struct str crawl_key;             /* identifies the crawl */
    bool has_lost_referrers; /* pages were lost, or their machine not kept */

    bool loaded;
    struct validator validator; /* once loaded; the command line releases it */
};

static inline void report_turn_to(struct report *report, const struct url *url)
{
    if (report->turn_to)
        report->turn_to(report, url);
}

/* Load it unless it is loaded: it takes a second for a million URLs. */
bool report_load(struct report *report);

/* Find or make the entry of that name, of `size` bytes. Its first member is the
 * name, a struct str; both are in `arena`. `seed` is for the hash. */
void *report_entry(struct hashtable *table, struct arena *arena,
                   struct str name, uint64_t seed, size_t size);

/* The name of a page for people: "17", or "3.17" for page 17 of machine 3. */
struct report_page {
    uint32_t machine; /* 0: it is no fleet */
    uint32_t number;
    char text[24];
};
struct report_page report_page(const struct report *report, uint32_t page);

/* Can the crawl go on? */
bool report_can_go_on(const struct report *report);

/* Where a URL was found if no page is known that links to it. */
struct str report_nowhere(const struct report *report, uint32_t depth);

/* The command that goes on with it, onto a line. */
void report_put_resume(const struct report *report, struct buf *line);

/* The same for a crawl that ended so; one that is over asks again for what
 * failed. `secret_options` as above. */
void report_put_command(struct buf *line, enum crawl_state state,
                        const char *secret_options, const char *dir_path);

/* "finished", "stopped: --max-pages was reached" */
const char *report_state_text(enum crawl_state state);

/* The same for this crawl, which may also have been killed. */
const char *report_state(const struct report *report);

/* --- the reports ---------------------------------------------------------
 *
 * Each prints on standard output. */

/* crawler status: how the crawl is, on one screen, or as one JSON object. */
bool status_print(struct report *report, bool json);

/* crawler why: why the crawl fetched a URL, or did not; `link` is parsed as a
 * link of the crawl would be, `details` are what is recorded of it. */
struct url_details;
bool why_print(struct report *report, const struct page_link *link,
               const struct url_details *details);

/* crawler verify: read everything again, record and page files, and find what
 * is not as it was recorded. `*clean` is true if nothing is found. `seed` is
 * for hash tables. */
bool verify_print(struct report *report, const struct pagedir *dir,
                  uint64_t seed, bool *clean);

#endif
