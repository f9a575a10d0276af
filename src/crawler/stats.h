/* The counters of a crawl. Only the crawler thread changes them. */
#ifndef CRAWLER_STATS_H
#define CRAWLER_STATS_H

#include <stdint.h>

#include "base/buf.h"
#include "frontier/frontier.h"
#include "frontier/verdict.h"
#include "page/outcome.h"
#include "page/webpage.h"
#include "store/codes.h"
#include "store/facts.h"

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
    uint64_t ends[URL_ENDS]; /* URLs of pages, by how they ended so far */
    uint64_t may_recover;    /* URLs of all kinds that failed and may answer
                              * later */
    uint64_t requisite_ends[URL_ENDS]; /* the same for requisites */
    uint64_t requisite_bytes;          /* of those that were fetched */
    uint64_t
        requisites_beyond; /* left out: a page or stylesheet has too many */
    uint64_t saved;
    uint64_t bytes; /* of the pages saved */
    uint64_t retries;
    uint64_t robots, resolved, sitemap_urls;
    uint64_t captures;      /* exchanges kept in the archive, */
    uint64_t revisits;      /* those among them whose payload it had before */
    uint64_t captures_cut;  /* ... whose body was larger than the limit */
    uint64_t noarchive;     /* not kept: they ask for that */
    uint64_t noindex;       /* the same, by asking not to be indexed */
    uint64_t scanned_again; /* pages found nearer after they were saved: their
                             * links were offered once more */
    uint64_t fetched_again; /* the same, fetched for it: they were not saved */
    uint64_t outcome[OUTCOMES]; /* of pages; once for one asked again for */
    bool has_withdrawn;         /* some were taken back */
    uint64_t status[STATS_STATUS_MAX];   /* [0]: no answer */
    struct mime_count mime[STATS_MIMES]; /* the last one: all others */
    uint64_t depth[STATS_DEPTHS]; /* of saved pages; the last: and deeper */
    struct tally links;           /* verdicts when links were found */
    struct tally late;            /* verdicts when the turn of a URL came */
    uint64_t fetch_ms; /* the sum over all fetches, also simultaneous ones */
    /* Only stats_add_time changes these: elapsed_ms is the sum of the others.
     */
    uint64_t busy_ms, pause_ms, idle_ms, elapsed_ms;

    struct frontier_counts counts; /* at the end */
    enum crawl_state state;        /* at the end */
};

/* How time is spent: with fetches in flight, in pauses, or neither. */
enum stats_time { TIME_BUSY, TIME_PAUSE, TIME_IDLE };

void stats_add_time(struct stats *stats, enum stats_time kind, uint64_t ms);

/* After the counters were read from a record: time that is missing in the sum
 * counts as idle. */
void stats_settle_time(struct stats *stats);

void stats_add_page(struct stats *stats, const struct webpage *page);
/* A saved page is found nearer. */
void stats_move_page(struct stats *stats, uint32_t from, uint32_t to);
void stats_add_tally(struct stats *stats, const struct tally *tally);

/* The most frequent outcome of pages that were not saved, or OUTCOMES. */
enum outcome stats_main_failure(const struct stats *stats);

/* As one JSON object, as one line and as some more lines for people. */
void stats_put_json(const struct stats *stats, struct buf *out);
void stats_put_summary(const struct stats *stats, struct buf *out);
void stats_put_details(const struct stats *stats, struct buf *out);

#endif
