/* Counters of a crawl, kept by the mind alone. */
#ifndef CRAWLER_STATS_H
#define CRAWLER_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "frontier/verdict.h"
#include "page/outcome.h"

/* Verdicts on the links of one page, or of all. */
struct tally {
    uint64_t verdict[VERDICTS];
};

struct stats {
    uint64_t saved;
    uint64_t bytes; /* of the pages saved */
    uint64_t retries;
    uint64_t outcome[OUTCOMES];
    struct tally links;
};

void stats_add_tally(struct stats *stats, const struct tally *tally);

/* Fetches that ended for good and gave neither a page nor a redirect. */
uint64_t stats_failed(const struct stats *stats);

#endif
