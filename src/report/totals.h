/* A crawl in figures: how its pages ended (store/codes.h), in all and for each
 * domain, and its requisites; sitemaps are no pages. The record is read once.
 */
#ifndef REPORT_TOTALS_H
#define REPORT_TOTALS_H

#include "frontier/verdict.h"
#include "page/outcome.h"
#include "report/equal.h"
#include "report/report.h"
#include "store/fold.h"

struct totals_domain {
    struct str name;
    uint64_t ends[URL_ENDS];
    uint64_t fetches;
    bool capped;
};

/* Pages that ended in the same way, and the first of them in the record. */
struct totals_kind {
    uint64_t count;
    struct str example;
};

/* The latest rows of hosts, by name. */
struct totals_hosts {
    struct store_host *host;
    size_t count;
};

struct totals {
    uint64_t ends[URL_ENDS];
    uint64_t requisites[URL_ENDS];
    /* Each of ends[URL_NOT_KEPT], [URL_FAILED] and [URL_REFUSED] is in one of
     * these. */
    struct totals_kind not_kept[OUTCOMES];
    struct totals_kind failed[OUTCOMES];
    struct totals_kind not_asked[VERDICTS]; /* failed too: of a dead host */
    struct totals_kind refused[VERDICTS];
    uint64_t retrying;            /* queued, and fetched before */
    uint64_t bytes;               /* of the pages that were saved */
    uint64_t equal;               /* of these, with content of an earlier one */
    uint64_t too_deep, too_large; /* for that reason alone */
    uint64_t captures, revisits;  /* exchanges in the archive */
    uint64_t noarchive;           /* fetches whose exchange was left out */
    uint64_t archives, archive_bytes;
    struct totals_domain *domain; /* the largest first */
    size_t domains, domains_capped;
    struct totals_hosts given_up;
    struct totals_hosts backing_off; /* they answer nothing but 5xx */
    uint64_t paused_ms;              /* by hand, since then; 0: it is not */
    struct arena arena;
};

/* Domains with nothing but URLs out of scope are left out. Release it in
 * any case. */
bool totals_read(struct totals *totals, struct report *report);
void totals_release(struct totals *totals);

#endif
