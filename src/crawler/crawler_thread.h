/* The functions that the files of the crawler thread share. Only those files
 * include this header. */
#ifndef CRAWLER_CRAWLER_THREAD_H
#define CRAWLER_CRAWLER_THREAD_H

#include "crawler/archivist.h"
#include "crawler/crawler.h"
#include "crawler/record.h"
#include "crawler/resolver.h"
#include "crawler/workers.h"
#include "frontier/validator.h"

struct crawler {
    const struct crawl_options *options;
    struct validator validator;
    struct workers *workers;
    struct resolver *resolver;   /* NULL: names are not looked up here */
    struct archivist *archivist; /* NULL: the crawl has no archive */
    struct record *record;       /* NULL: the crawl has no record */
    struct stats *stats;
    uint64_t start_ms, now_ms;
    uint64_t hold_ms;            /* no fetch starts before this time */
    uint64_t shown_ms;           /* when progress was last shown */
    uint64_t signals_checked_ms; /* when signals were last read */
    uint64_t flushed_ms;         /* when the archive was, without a record */
    uint64_t random;             /* state of the jitter */
    uint32_t resolving;          /* look-ups under way */
    uint32_t sitemaps;           /* sitemaps offered so far */
    unsigned signals;            /* 1: stop, 2: stop at once */
    bool failed;                 /* a file could not be written or read back */
    bool awaits_record;          /* it does not say yet that the crawl runs */
    bool sitemaps_left_out;      /* the limit of sitemaps was reported */
    uint32_t requisites_in_flight;
    struct seen pages_kept; /* with `requisites`: by fingerprint */
};

/* Reasons for having no page are noted only until the first page is saved. */
static inline struct reasons *reasons_of(const struct crawler *crawler)
{
    return crawler->stats->saved ? NULL : crawler->options->reasons;
}

/* A time at which the fetch is certainly over. The clock is cut to
 * milliseconds, so a pause counted from end_ms could be short by up to one. */
static inline uint64_t ended_ms(const struct webpage *page)
{
    return page->exchange.end_ms + 1;
}

/* --- handle_*.c: results ------------------------------------------------ */

void handle_fetch(struct crawler *crawler, struct job *job);
void handle_lookup(struct crawler *crawler, struct job *job);
void handle_robots(struct crawler *crawler, struct job *job);

/* The fetch has ended and is not tried again: count it, record it, and offer
 * the URLs found. */
void finish_page(struct crawler *crawler, struct job *job, uint64_t pause_ms);
void finish_sitemap(struct crawler *crawler, struct job *job,
                    uint64_t pause_ms);
void finish_requisite(struct crawler *crawler, struct job *job,
                      uint64_t pause_ms);

/* The next page cannot be written; `why` is an errno. */
void fail_to_save(struct crawler *crawler, int why);

void offer_sitemap(struct crawler *crawler, struct str url,
                   const struct url *base, uint32_t nesting);

/* Offer what the page needs to be shown. */
void offer_requisites(struct crawler *crawler, const struct job *job,
                      uint32_t page_id);

/* What is wanted of a page that is fetched now. */
struct page_wishes wishes_for(const struct crawler *crawler,
                              const struct target *target);

/* The wait before the next try. It doubles with each try, with some jitter; a
 * Retry-After of the server is taken as it is. */
uint64_t back_off_ms(struct crawler *crawler, enum outcome outcome,
                     unsigned tries, uint64_t retry_after_ms);

/* --- wait.c: time, signals, progress ------------------------------------ */

/* Wait until a result is there, a host is due, a limit is reached or a signal
 * came. */
void wait_for_results(struct crawler *crawler);
void flush_log(struct crawler *crawler);

/* Call it between pieces of work. Signals are read every 5 ms, however short
 * the pieces are. */
void check_time_and_signals(struct crawler *crawler, uint64_t now_ms);

/* Set now_ms. Only this function counts elapsed time. */
void note_time(struct crawler *crawler, uint64_t now_ms);

/* Print why the crawl cannot go on ("cannot write ...") and end it. */
void fail_crawl(struct crawler *crawler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- ends.c: every URL ends once, in the figures and in the record ------ */

void listen_to_validator(struct crawler *crawler);

/* The URL was refused when its turn came. */
void note_refused(struct crawler *crawler, const struct target *target);

/* The URL was fetched and will not be tried again. */
void note_fetched(struct crawler *crawler, const struct job *job,
                  uint32_t page_id, uint64_t pause_ms);

/* --- keep.c: the archive of the crawl ----------------------------------- */

/* A page was handled: keep its exchange, if a worker made records of it. */
void keep_exchange(struct crawler *crawler, struct webpage *page);

/* Without a record the archive is written every second. */
void flush_archive_if_due(struct crawler *crawler);
uint64_t archive_due_ms(const struct crawler *crawler);

/* Complete the files, before the record says that the crawl has ended. */
void end_archive(struct crawler *crawler);

/* --- durable.c: the record of the crawl --------------------------------- */

void restore_crawl(struct crawler *crawler);
void begin_record(struct crawler *crawler);
void commit_if_due(struct crawler *crawler);
void end_record(struct crawler *crawler, enum crawl_end end);

/* Call it before a page is saved. It waits for the disk before the first page
 * of a run, and before old page files are removed. False after one line. */
bool may_save(struct crawler *crawler);

/* Fail the crawl if the frontier could not read its file. */
void check_queue(struct crawler *crawler);

/* --- crawler.c: limits -------------------------------------------------- */

bool is_stopping(const struct crawler *crawler);

/* --max-pages is reached, or will be if all pages in flight are saved. */
bool has_enough_pages(const struct crawler *crawler);
bool may_fetch_more(const struct crawler *crawler);
bool is_over(const struct crawler *crawler);

#endif
