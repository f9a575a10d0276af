/* A crawl in figures: how its pages ended (store/codes.h), in all and of each
 * domain. One walk over its record. Sitemaps are no pages. */
#ifndef REPORT_TOTALS_H
#define REPORT_TOTALS_H

#include "report/report.h"
#include "store/fold.h"

struct totals_domain {
    struct str name;
    uint64_t ends[URL_ENDS];
    uint64_t fetches;
    bool capped;
};

/* A host that was given up, or that backs off. */
struct totals_host {
    struct str name;
    uint8_t outcome;   /* the last */
    uint8_t given_up;  /* enum given_up */
    uint8_t backoffs;  /* one after another */
    uint64_t until_ms; /* not to be asked before */
};

struct totals_hosts {
    struct totals_host *host; /* by name */
    size_t count;
};

struct totals {
    uint64_t ends[URL_ENDS];
    uint64_t retrying;            /* queued, and fetched before */
    uint64_t bytes;               /* of the pages that were saved */
    uint64_t too_deep, too_large; /* refused, failed for that reason */
    struct totals_domain *domain; /* the largest first */
    size_t domains, domains_capped;
    struct totals_hosts given_up, backing_off;
    struct arena arena;
};

/* Domains that have nothing but URLs out of scope are not listed. False with
 * `error`. In either case release it. */
bool totals_read(struct totals *totals, const struct report *report,
                 struct store_error *error);
void totals_release(struct totals *totals);

#endif
