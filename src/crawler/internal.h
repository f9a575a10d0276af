/* What the files of the crawler thread share; nobody else includes this. */
#ifndef CRAWLER_INTERNAL_H
#define CRAWLER_INTERNAL_H

#include "crawler/crawler.h"
#include "crawler/record.h"
#include "crawler/resolver.h"
#include "crawler/workers.h"
#include "frontier/validator.h"

struct crawler {
    const struct crawl_options *options;
    struct validator validator;
    struct workers *workers;
    struct resolver *resolver; /* NULL where names need no look-up */
    struct record *record;     /* NULL where nothing is remembered */
    struct stats *stats;
    uint64_t start_ms, now_ms;
    uint64_t hold_ms;            /* nothing is fetched before */
    uint64_t shown_ms;           /* when progress was last told */
    uint64_t signals_checked_ms; /* when signals were last looked for */
    uint64_t random;             /* state of the jitter */
    uint32_t resolving;          /* look-ups under way */
    uint32_t sitemaps;           /* asked for so far */
    unsigned signals;            /* 1: stop, 2: at once */
    bool failed;   /* something could not be written, or read again */
    bool left_out; /* sitemaps beyond the limit, which was told */
};

/* Where to note why there is no page: nowhere once there is one. */
static inline struct reasons *reasons_of(const struct crawler *crawler)
{
    return crawler->stats->saved ? NULL : crawler->options->reasons;
}

/* crawler/handle_page.c: a page, a redirect or a failure is back. */
void handle_page(struct crawler *crawler, struct job *job);

/* After every fetch of a page or a sitemap: true where it has to be tried
 * again and waits for that. */
bool is_retried(struct crawler *crawler, struct job *job);

/* A time that the fetch did not outlast: the clock is cut to milliseconds, so
 * that a pause from end_ms on would be short by up to one. */
static inline uint64_t ended_ms(const struct webpage *page)
{
    return page->exchange.end_ms + 1;
}

/* crawler/handle_setup.c, handle_sitemap.c: other answers. */
void handle_lookup(struct crawler *crawler, struct job *job);
void handle_robots(struct crawler *crawler, struct job *job);
void handle_sitemap(struct crawler *crawler, struct job *job);
void offer_sitemap(struct crawler *crawler, struct str url,
                   const struct url *base, uint32_t nesting);

/* crawler/wait.c: until a page is back, a host is due, a limit is reached, a
 * signal came. */
void wait_for_news(struct crawler *crawler);
void flush_log(struct crawler *crawler);

/* In the middle of much work, after each piece of it: it is `now_ms`. Signals
 * are looked for every 5 ms, however short the pieces are. */
void check_time_and_signals(struct crawler *crawler, uint64_t now_ms);

/* Set now_ms. All time that passes is counted here, and nowhere else. */
void note_time(struct crawler *crawler, uint64_t now_ms);

/* Say that the crawl cannot go on, and why: "cannot write ..." */
void fail_crawl(struct crawler *crawler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* crawler/ends.c: every URL ends once, in the figures and in the record. */
void listen_to_validator(struct crawler *crawler);
/* It was refused when its turn came, or it was fetched for good. */
void note_refused(struct crawler *crawler, const struct target *target);
void note_fetched(struct crawler *crawler, const struct job *job,
                  uint32_t page_id, uint64_t pause_ms);

/* crawler/durable.c: the record of the crawl. */
void begin_record(struct crawler *crawler);
void restore_crawl(struct crawler *crawler);
void commit_if_due(struct crawler *crawler);
/* Before pages go that are old: the record of the crawl that this one replaces
 * goes, and which pages are old is durable. False after one line. */
bool replace_old_crawl(struct crawler *crawler);
void check_queue(struct crawler *crawler); /* can it be read? */
void end_record(struct crawler *crawler, enum crawl_end end);

/* crawler/crawler.c: limits. */
bool is_stopping(const struct crawler *crawler);
bool may_fetch_more(const struct crawler *crawler);
bool is_over(const struct crawler *crawler);

/* crawler/handle_page.c: how long to wait before another try, longer each time
 * and never quite the same. */
/* After a fetch that is not tried again: the host's pause, or longer where the
 * server said that it has had enough, or when to come back. */
uint64_t last_pause_ms(struct crawler *crawler, const struct job *job);
uint64_t back_off_ms(struct crawler *crawler, enum outcome outcome,
                     unsigned tries, uint64_t retry_after_ms);

#endif
