/* The functions that the files of the crawler thread share. Only those files
 * include this header. */
#ifndef CRAWLER_CRAWLER_THREAD_H
#define CRAWLER_CRAWLER_THREAD_H

#include "crawler/archivist.h"
#include "crawler/crawler.h"
#include "crawler/hand_rules.h"
#include "crawler/record.h"
#include "crawler/resolver.h"
#include "crawler/workers.h"
#include "frontier/listing.h"
#include "frontier/validator.h"

struct crawler {
    const struct crawl_options *options;
    struct validator validator;
    struct workers *workers;
    struct resolver *resolver;   /* NULL: names are not looked up here */
    struct archivist *archivist; /* NULL: the crawl has no archive */
    struct record *record;       /* NULL: the crawl has no record */
    struct viewing *viewing;     /* NULL: nobody can watch it */
    struct stats *stats;
    struct part_ends *part_ends; /* in a fleet, by partition: see ends.c */
    uint64_t start_ms, now_ms;
    uint64_t hold_ms;            /* no fetch starts before this time */
    double rate_ms;              /* when the bytes so far are paid for */
    uint64_t shown_ms;           /* when progress was last shown */
    uint64_t signals_checked_ms; /* when signals were last read */
    uint64_t flushed_ms; /* when the archive was last written; used without a
                            record */
    uint64_t random;     /* state of the jitter */
    uint32_t resolving;  /* look-ups under way */
    uint32_t sitemaps;   /* sitemaps offered so far */
    unsigned signals;    /* 1: stop, 2: stop at once */
    bool paused;         /* by order: no fetch starts */
    struct slowest_host slowest; /* when progress is shown */
    struct hand_rules rules;     /* the orders in force */
    bool failed;                 /* a file could not be written or read back */
    bool is_unread;              /* ... as it was told to stop meanwhile */
    bool awaits_record;          /* it does not say yet that the crawl runs */
    bool sitemaps_left_out;      /* the limit of sitemaps was reported */
    uint32_t requisites_in_flight;
    struct seen seed_urls;  /* of seeds and what they redirected to, where the
                             * scope can move with them: by fingerprint */
    size_t moved;           /* how many of those were recorded */
    struct seen saved_urls; /* with `canonical`: by fingerprint */
    struct hashtable gave_way;    /* see handle_canonical.c */
    size_t gave_way_bytes;        /* that these take */
    struct hashtable in_flight;   /* with `canonical`: pages, by fingerprint */
    struct hashtable redirecting; /* with cookies: URLs that redirect, by
                                   * fingerprint; see handle_cookies.c */
    struct arena redirecting_items;  /* of that table */
    uint64_t last_number;            /* of a URL, when the record was loaded */
    struct relax *relax;             /* see relax.c */
    struct failed_urls *failed_urls; /* of earlier runs, until they are queued
                                      * again; or NULL: see handle_failed.c */
    struct seen pages_kept;          /* with `requisites`: by fingerprint */
    struct seen settled; /* URLs that need not be asked for again, as a page or
                          * as a requisite: see handle_requisite.c */
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
/* The second half of it: also of what another machine has fetched. */
void judge_robots(struct crawler *crawler, struct job *job);

/* The fetch has ended and is not tried again: count it, record it, and offer
 * the URLs found. */
void finish_page(struct crawler *crawler, struct job *job, uint64_t pause_ms);
void finish_sitemap(struct crawler *crawler, struct job *job,
                    uint64_t pause_ms);
void finish_requisite(struct crawler *crawler, struct job *job,
                      uint64_t pause_ms);

/* --- handle_canonical.c ------------------------------------------------- */

void canonical_init(struct crawler *crawler);

/* The target is sent to a worker; it came back, however it went. */
void canonical_fetch_starts(struct crawler *crawler, struct target *target);
void canonical_fetch_ended(struct crawler *crawler,
                           const struct target *target);

/* The page was fetched. If it names another URL as its own, and that is at
 * hand: offer that, and do not save the page. */
bool gives_way(struct crawler *crawler, const struct job *job);

/* Pages may have given way to this target. canonical_moved: it redirects, and
 * the redirect is followed. canonical_ended: it has ended for good, perhaps by
 * giving way itself; if it was not saved, the first page that gave way is
 * fetched again. */
void canonical_moved(struct crawler *crawler, const struct target *from,
                     const struct page_link *to);
void canonical_ended(struct crawler *crawler, const struct target *target,
                     bool is_saved, bool gave_way);

/* The URL with this fingerprint failed in an earlier run, so the page that had
 * given way to it was fetched again then. */
void canonical_forget(struct crawler *crawler, uint64_t canonical);

/* For a resume: the offered page gave way to the URL with this fingerprint.
 * `user` is the crawler. */
void restore_gave_way(void *user, uint64_t canonical,
                      const struct offer *offer);
void canonical_release(struct crawler *crawler);

/* --- handle_cookies.c --------------------------------------------------- */

void redirecting_init(struct crawler *crawler);
void redirecting_release(struct crawler *crawler);

/* The page answered with a redirect. Call it before the redirect is offered. */
void note_redirecting(struct crawler *crawler, const struct job *job);

/* The redirect is followed; it may lead to another spelling of its own URL. */
void note_queued_again(struct crawler *crawler, uint64_t fingerprint);

/* The redirect of `job` leads to a URL that was seen before. May it be fetched
 * again, because other cookies would go with it? Then it counts as queued. */
bool is_asked_again(struct crawler *crawler, const struct job *job,
                    const struct page_link *to);

/* For a resume: the URL redirects, or a redirect led back to it (`is_again`)
 * and it is queued or has ended otherwise (`is_queued`). `user` is the crawler.
 */
void restore_redirecting(void *user, uint64_t fingerprint, bool is_again,
                         bool is_queued);

/* --- handle_failed.c ---------------------------------------------------- */

void failed_init(struct crawler *crawler);

/* For a resume: the offered URL failed under this number. `user` is the
 * crawler. */
void restore_failed(void *user, const struct offer *offer, uint64_t number,
                    enum outcome outcome);

/* Queue those that failed, if the user wants that. */
void retry_failed(struct crawler *crawler);

/* --- handle_seed.c ------------------------------------------------------ */

void note_seeds(struct crawler *crawler);

/* `from` redirects to `to`: if it is a seed the scope may grow. Call it before
 * `to` is offered. */
void move_scope(struct crawler *crawler, const struct target *from,
                const struct page_link *to);

/* --- handle_page.c, handle_sitemap.c, handle_requisite.c, handle_fetch.c -- */

/* Offer a link of a page, unless it is not to be followed. */
enum verdict offer_link(struct crawler *crawler, const struct webpage *page,
                        const struct page_link *link,
                        const struct offer *offer);

/* Do the user's rules let it in? */
bool is_wanted(const struct crawler *crawler, const struct url *url);

/* The next page cannot be written; `why` is an errno. */
void fail_to_save(struct crawler *crawler, int why);

void offer_sitemap(struct crawler *crawler, struct str url,
                   const struct url *base, uint32_t nesting);

/* The URL of the job, which was fetched for good, may need no other fetch. */
void note_settled(struct crawler *crawler, const struct job *job);

/* Is it in the archive, so that it need not be fetched as a requisite? By the
 * fingerprint of the URL. */
bool is_kept(const struct crawler *crawler, uint64_t fingerprint);

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

/* Tell the frontier whether the fetch ended without a time-out. */
void note_promptness(struct crawler *crawler, const struct job *job);

/* --- wait.c: time, signals, progress ------------------------------------ */

/* Wait until a result is there, a host is due, a limit is reached or a signal
 * came. */
void wait_for_results(struct crawler *crawler);

/* The log has more lines of one page than are kept: wait until its reader goes
 * on. False, with a signal: do not wait. `user` is the crawler. */
bool wait_for_reader(void *user);

/* Was the crawler told to stop? For store_watch. */
bool is_told_to_stop(void *user);

/* Wait until all of the log is read, but not for long once the crawl was told
 * to stop. Pages are made durable and orders are taken meanwhile. */
void end_log(struct crawler *crawler);

/* Call it between pieces of work. Signals are read every 5 ms, however short
 * the pieces are. */
void check_time_and_signals(struct crawler *crawler, uint64_t now_ms);

/* Set now_ms. Only this function counts elapsed time. */
void note_time(struct crawler *crawler, uint64_t now_ms);

/* Print why the crawl cannot go on ("cannot write ...") and end it. */
void fail_crawl(struct crawler *crawler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- handle_orders.c: orders by hand ----------------------------------- */

struct order_answer {
    size_t slot;
    bool ok;
    uint64_t number;
    char says[VIEW_SAYS_MAX];
};

/* Carry out the orders that wait; how many there were. They are answered when
 * a snapshot shows what they have done. */
size_t take_orders(struct crawler *crawler,
                   struct order_answer answer[VIEW_ORDERS_MAX]);
void answer_orders(const struct crawler *crawler,
                   const struct order_answer answer[], size_t count);

/* A crawl that goes on is not paused any more: record that, or its record would
 * say that it still is. */
void end_old_pause(struct crawler *crawler);

/* --- ends.c: every URL ends once, in the figures and in the record ------ */

void listen_to_validator(struct crawler *crawler);

/* The ends of a machine in a fleet are those of all URLs of the partitions that
 * it has, so a partition that comes brings its ends along, and one that goes
 * takes them away. Then the ends of all machines add up to those of the crawl.
 */
void part_ends_init(struct crawler *crawler, uint32_t partitions);
void part_ends_release(struct crawler *crawler);
void part_ends_add(struct crawler *crawler, uint32_t part,
                   const struct stats *loaded);
void part_ends_drop(struct crawler *crawler, uint32_t part);

/* The URL was refused when its turn came. */
void note_refused(struct crawler *crawler, const struct target *target);

/* A URL that failed with this outcome, under this number, is asked for again
 * under another. */
void note_failure_withdrawn(struct crawler *crawler, enum target_kind kind,
                            uint64_t number, enum outcome outcome);

/* A page that was read and not saved, with this outcome, is fetched once more
 * under another number. */
void note_read_withdrawn(struct crawler *crawler, uint64_t number,
                         enum outcome outcome);

/* The URL was fetched and will not be tried again. */
void note_fetched(struct crawler *crawler, const struct job *job,
                  uint32_t page_id, uint64_t pause_ms);

/* --- keep.c: the archive of the crawl ----------------------------------- */

/* A page was handled: keep its exchange, if a worker made records of it. */
void keep_exchange(struct crawler *crawler, struct webpage *page);

/* The record could not be written, or the archive before it. */
void fail_to_write(struct crawler *crawler, const struct store_error *error);

/* Without a record the archive is written every second. */
void flush_archive_if_due(struct crawler *crawler);
uint64_t archive_due_ms(const struct crawler *crawler);

/* Complete the files, before the record says that the crawl has ended. */
void end_archive(struct crawler *crawler);

/* --- durable.c: the record of the crawl --------------------------------- */

void restore_crawl(struct crawler *crawler);
/* Every host and every address rests for a whole pause from now on. */
void rest_all_hosts(struct crawler *crawler);
void begin_record(struct crawler *crawler);
void commit_if_due(struct crawler *crawler);
void end_record(struct crawler *crawler, enum crawl_end end);

/* Call it before a page is saved. It waits for the disk before the first page
 * of a run, and before old page files are removed. False after one line. */
bool may_save(struct crawler *crawler);

/* Fail the crawl if the frontier could not read its file. */
void check_queue(struct crawler *crawler);

/* --- limits.c ------------------------------------------------------------ */

/* Is --max-pages or --max-bytes reached, or will --max-pages be if all pages in
 * flight are saved? */
bool has_enough_pages(const struct crawler *crawler);

bool is_stopping(const struct crawler *crawler);
bool may_fetch_more(const struct crawler *crawler);
bool is_over(const struct crawler *crawler);

/* --limit-rate: the bytes that came are paid for with time in which no fetch
 * starts. So the average holds, however fast a single answer came. */
void wait_for_rate(struct crawler *crawler, const struct job *job);

#endif
