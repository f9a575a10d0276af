#include "crawler/crawler.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "crawler/crew.h"
#include "crawler/retry.h"
#include "frontier/validator.h"

struct crawler {
    const struct crawl_options *options;
    struct validator validator;
    struct crew *crew;
    struct stats *stats;
    uint64_t start_ms, now_ms;
    uint64_t shown_ms; /* when progress was last told */
    unsigned signals;  /* 1: stop, 2: at once */
    bool failed;       /* something could not be written */
};

static void offer_seeds(struct crawler *crawler);
static bool is_over(const struct crawler *crawler);
static void hand_out(struct crawler *crawler);
static void wait_for_news(struct crawler *crawler);
static void take_back(struct crawler *crawler);
static void flush_log(struct crawler *crawler);
static enum crawl_end how_it_ended(const struct crawler *crawler);

enum crawl_end crawler_run(const struct crawl_options *options,
                           struct stats *stats)
{
    uint64_t now_ms = clock_mono_ms();
    struct crawler crawler = {
        .options = options,
        .crew = crew_start(options->threads, options->workers, &options->hand),
        .stats = stats,
        .start_ms = now_ms,
        .now_ms = now_ms,
    };
    validator_init(&crawler.validator, options->scope, options->max_depth,
                   &options->frontier);

    offer_seeds(&crawler);
    while (!is_over(&crawler)) {
        hand_out(&crawler);
        wait_for_news(&crawler);
        take_back(&crawler);
    }

    flush_log(&crawler);
    enum crawl_end end = how_it_ended(&crawler);
    crew_free(crawler.crew);
    validator_release(&crawler.validator);
    return end;
}

/* --- into the frontier ------------------------------------------------- */

static void offer_seeds(struct crawler *crawler)
{
    for (size_t i = 0; i < crawler->options->seed_count; i++) {
        const struct page_link *seed = &crawler->options->seeds[i];
        const struct offer offer = {&seed->url, seed->fingerprint, 0, 0};
        validator_offer(&crawler->validator, &offer, crawler->now_ms);
    }
}

static void offer_links(struct crawler *crawler, const struct job *job,
                        uint32_t page_id, struct tally *tally)
{
    const struct page_links *links = &job->page.links;

    for (size_t i = 0; i < links->count; i++)
        validator_expect(&crawler->validator, links->link[i].fingerprint);
    for (size_t i = 0; i < links->count; i++) {
        const struct page_link *link = &links->link[i];
        const struct offer offer = {&link->url, link->fingerprint,
                                    job->page.depth + 1, page_id};
        enum verdict verdict =
            link->not_html_name
                ? NOT_HTML_NAME
                : validator_offer(&crawler->validator, &offer, crawler->now_ms);
        tally->verdict[verdict]++;
        logr_link(crawler->options->log, &job->page, link->url.href, verdict);
    }
    tally->verdict[BAD_URL] += links->bad;
}

/* A redirect is a link of the same depth, from where the first one was. */
static void offer_redirect(struct crawler *crawler, const struct job *job,
                           struct tally *tally)
{
    const struct page_link *link = &job->page.links.link[0];
    const struct offer offer = {&link->url, link->fingerprint, job->page.depth,
                                job->target->referrer_id};
    enum verdict verdict =
        link->not_html_name
            ? NOT_HTML_NAME
            : validator_offer_redirect(&crawler->validator, job->target, &offer,
                                       crawler->options->max_redirects,
                                       crawler->now_ms);

    tally->verdict[verdict]++;
    logr_link(crawler->options->log, &job->page, link->url.href, verdict);
}

/* --- out of the frontier ----------------------------------------------- */

static bool is_stopping(const struct crawler *crawler)
{
    return crawler->signals || crawler->failed ||
           crawler->now_ms - crawler->start_ms >=
               crawler->options->max_time_ms ||
           crawler->stats->saved >= crawler->options->max_pages;
}

/* Every page in flight may be saved, so it counts against the limit. */
static bool may_fetch_more(const struct crawler *crawler)
{
    return !is_stopping(crawler) && crew_has_room(crawler->crew) &&
           crawler->stats->saved + crew_busy(crawler->crew) <
               crawler->options->max_pages;
}

static void hand_out(struct crawler *crawler)
{
    struct target *target;

    while (
        may_fetch_more(crawler) &&
        (target = frontier_take(crawler->validator.frontier, crawler->now_ms)))
        crew_fetch(crawler->crew, target,
                   target->depth < crawler->options->max_depth);
    crew_send(crawler->crew);
}

static bool is_over(const struct crawler *crawler)
{
    struct frontier_counts counts =
        frontier_counts(crawler->validator.frontier);

    return !counts.in_flight && (!counts.queued || is_stopping(crawler));
}

static enum crawl_end how_it_ended(const struct crawler *crawler)
{
    if (crawler->failed)
        return CRAWL_FAILED;
    if (crawler->signals || frontier_counts(crawler->validator.frontier).queued)
        return CRAWL_STOPPED;
    return crawler->stats->saved ? CRAWL_FINISHED : CRAWL_NOTHING;
}

/* --- waiting ----------------------------------------------------------- */

static uint64_t until(uint64_t time_ms, uint64_t now_ms)
{
    return time_ms > now_ms ? time_ms - now_ms : 0;
}

static int wait_ms(const struct crawler *crawler, const struct idle *idle)
{
    const struct crawl_options *options = crawler->options;
    uint64_t wait = UINT64_MAX;

    if (may_fetch_more(crawler))
        wait = until(idle->until_ms, crawler->now_ms);
    if (!is_stopping(crawler) && options->max_time_ms != UINT64_MAX) {
        uint64_t left =
            until(crawler->start_ms + options->max_time_ms, crawler->now_ms);
        wait = left < wait ? left : wait;
    }
    if (options->progress_ms && options->progress_ms < wait)
        wait = options->progress_ms;
    return wait < INT32_MAX ? (int)wait : -1;
}

static void show_progress(struct crawler *crawler, const struct idle *idle)
{
    const struct crawl_options *options = crawler->options;

    if (!options->progress_ms ||
        crawler->now_ms - crawler->shown_ms < options->progress_ms)
        return;
    crawler->shown_ms = crawler->now_ms;
    const struct crawl_progress progress = {
        .stats = crawler->stats,
        .counts = frontier_counts(crawler->validator.frontier),
        .idle = *idle,
        .now_ms = crawler->now_ms,
        .elapsed_ms = crawler->now_ms - crawler->start_ms,
        .stopping = is_stopping(crawler),
    };
    options->on_progress(options->user, &progress);
}

static void take_signals(struct crawler *crawler)
{
    struct signalfd_siginfo info;

    while (read(crawler->options->signal_fd, &info, sizeof(info)) ==
           sizeof(info))
        if (++crawler->signals == 2)
            crew_abandon(crawler->crew);
}

static void flush_log(struct crawler *crawler)
{
    if (logr_flush(crawler->options->log) || crawler->failed)
        return;
    int why = errno;
    logr_make_room(crawler->options->log);
    fprintf(stderr, "crawler: cannot write the log: %s\n", strerror(why));
    crawler->failed = true;
    crew_abandon(crawler->crew);
}

/* Until a page is back, a host is due, a limit is reached, a signal came. */
static void wait_for_news(struct crawler *crawler)
{
    struct idle idle =
        frontier_idle(crawler->validator.frontier, crawler->now_ms);
    struct pollfd fd[] = {
        {.fd = crew_fd(crawler->crew), .events = POLLIN},
        {.fd = crawler->options->signal_fd, .events = POLLIN},
    };

    flush_log(crawler);
    show_progress(crawler, &idle);
    if (is_over(crawler))
        return; /* nothing is in flight that could wake us */
    poll(fd, ARRAY_LEN(fd), wait_ms(crawler, &idle));
    crawler->now_ms = clock_mono_ms();
    if (fd[1].revents & POLLIN)
        take_signals(crawler);
}

/* --- what came back ---------------------------------------------------- */

static bool is_tried_again(const struct crawler *crawler, const struct job *job)
{
    return retry_is_worthwhile(job->page.outcome) &&
           job->target->tries < crawler->options->retries;
}

static void fail(struct crawler *crawler, int why)
{
    logr_make_room(crawler->options->log);
    fprintf(stderr, "crawler: cannot write page %u in %s: %s\n",
            (unsigned)crawler->options->dir->last_id + 1,
            crawler->options->dir_path, strerror(why));
    crawler->failed = true;
    crew_abandon(crawler->crew);
}

/* The number of the page, or 0 where there is nothing to publish. */
static uint32_t publish(struct crawler *crawler, const struct webpage *page)
{
    struct pagedir *dir = crawler->options->dir;

    if (page->outcome != FETCHED)
        return 0;
    if (!pagedir_publish(dir, page->file)) {
        fail(crawler, errno);
        pagedir_discard(dir, page->file);
        return 0;
    }
    crawler->stats->saved++;
    crawler->stats->bytes += page->body_len;
    return dir->last_id;
}

static void judge(struct crawler *crawler, struct job *job)
{
    struct logr *log = crawler->options->log;
    struct tally tally = {0};
    uint32_t id = publish(crawler, &job->page);

    if (crawler->failed)
        return;
    crawler->stats->outcome[job->page.outcome]++;
    logr_page(log, &job->page, id);
    if (job->page.outcome == FETCHED)
        offer_links(crawler, job, id, &tally);
    else if (job->page.outcome == REDIRECTED)
        offer_redirect(crawler, job, &tally);
    stats_add_tally(crawler->stats, &tally);
    logr_page_end(log, &job->page, id, job->target->referrer_id, &tally,
                  clock_wall_ms());
}

/* A time that the fetch did not outlast: the clock is cut to milliseconds, so
 * that a pause from end_ms on would be short by up to one. */
static uint64_t after_end_ms(const struct webpage *page)
{
    return page->end_ms + 1;
}

static void take_back_one(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;
    struct webpage *page = &job->page;

    if (page->outcome == NOT_SAVED && !crawler->failed)
        fail(crawler, page->save_errno);
    if (crawler->failed) {
        pagedir_discard(crawler->options->dir, page->file);
    } else if (page->outcome == ABANDONED || is_tried_again(crawler, job)) {
        uint64_t wait_ms = retry_wait_ms(page->outcome, job->target->tries);
        if (page->outcome != ABANDONED) {
            logr_retry(crawler->options->log, page, wait_ms);
            crawler->stats->retries++;
        }
        frontier_again(frontier, job->target, after_end_ms(page), wait_ms,
                       retry_holds_host(page->outcome));
        return;
    } else {
        judge(crawler, job);
    }
    frontier_done(frontier, job->target, after_end_ms(page));
}

static void take_back(struct crawler *crawler)
{
    struct job *job;

    while ((job = crew_take(crawler->crew))) {
        take_back_one(crawler, job);
        crew_put_back(crawler->crew, job);
    }
}
