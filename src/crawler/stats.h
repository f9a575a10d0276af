/* Counters of a crawl, kept by the crawler thread alone. */
#ifndef CRAWLER_STATS_H
#define CRAWLER_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "frontier/frontier.h"
#include "frontier/verdict.h"
#include "page/outcome.h"
#include "page/webpage.h"
#include "store/codes.h"

/* Verdicts on the links of one page, or of all. */
struct tally {
    uint64_t verdict[VERDICTS];
};

enum { STATS_STATUS_MAX = 1000, STATS_MIMES = 32, STATS_DEPTHS = 64 };

struct mime_count {
    char mime[MIME_MAX + 1];
    uint64_t count;
};

struct stats {
    uint64_t ends[URL_ENDS]; /* of pages' URLs, by how they ended so far */
    uint64_t saved;
    uint64_t bytes; /* of the pages saved */
    uint64_t retries;
    uint64_t robots, resolved, sitemap_urls;
    uint64_t outcome[OUTCOMES];
    uint64_t status[STATS_STATUS_MAX];   /* [0]: no answer */
    struct mime_count mime[STATS_MIMES]; /* the last one: all others */
    uint64_t depth[STATS_DEPTHS]; /* of saved pages; the last: and deeper */
    struct tally links;           /* at the time they were found */
    struct tally late;            /* when the turn of a queued one had come */
    uint64_t fetch_ms; /* of all fetches, side by side ones added up */
    /* Only stats_add_time changes these: elapsed_ms is the sum of the others.
     */
    uint64_t busy_ms, pause_ms, idle_ms, elapsed_ms;

    struct frontier_counts counts; /* at the end */
};

/* Where the time goes: something is in flight, only pauses are waited for, or
 * neither. */
enum stats_time { TIME_BUSY, TIME_PAUSE, TIME_IDLE };

void stats_add_time(struct stats *stats, enum stats_time kind, uint64_t ms);

/* The counters come from a state file: what is not accounted for was idle. */
void stats_settle_time(struct stats *stats);

void stats_add_page(struct stats *stats, const struct webpage *page);
void stats_add_tally(struct stats *stats, const struct tally *tally);

/* The commonest reason of failure, OUTCOMES where there is none. */
enum outcome stats_main_failure(const struct stats *stats);

/* As one JSON object, as one line and as some more lines for people. */
void stats_put_json(const struct stats *stats, struct buf *out);
void stats_put_summary(const struct stats *stats, struct buf *out);
void stats_put_details(const struct stats *stats, struct buf *out);

#endif
