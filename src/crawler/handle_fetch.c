#include "crawler/crawler_thread.h"
#include "crawler/retry.h"
#include "crawler/viewing.h"

/* The fetch of a page, a sitemap or a requisite has ended: it is tried again,
 * or it is finished and its host gets its pause. */

static uint64_t delay_of(const struct crawler *crawler, const struct job *job)
{
    return frontier_delay_ms(crawler->validator.frontier, job->target);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* xorshift64: the waits of many hosts must not fall into step. */
static uint64_t next_random(struct crawler *crawler)
{
    uint64_t x = crawler->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return crawler->random = x;
}

uint64_t back_off_ms(struct crawler *crawler, enum outcome outcome,
                     unsigned tries, uint64_t retry_after_ms)
{
    uint64_t wait_ms = retry_wait_ms(outcome, tries);

    if (crawler->options->frontier.has_no_pauses)
        return 0;
    if (retry_after_ms)
        return retry_after_ms; /* the server knows best */
    return wait_ms + next_random(crawler) % (wait_ms / 4 + 1);
}

/* The pause of a host that answered 5xx many times in a row: as after 429,
 * longer each time. 0: no such pause. */
static uint64_t error_rest_ms(struct crawler *crawler, const struct job *job)
{
    unsigned backoffs = frontier_backoffs(job->target);

    return backoffs ? back_off_ms(crawler, HTTP_TOO_MANY, backoffs - 1, 0) : 0;
}

static bool is_tried_again(const struct crawler *crawler, const struct job *job)
{
    return retry_is_worthwhile(job->page.outcome) &&
           job->target->tries < crawler->options->retries;
}

/* The answer to HEAD may be about that method alone. */
static bool is_head_doubted(const struct crawler *crawler,
                            const struct job *job)
{
    const struct head_check *check = crawler->options->head_check;

    return job->page.is_only_head && !crawler->failed &&
           !check->is_enough(check->user, &job->page);
}

/* Ask by GET, after the host's usual pause, or when the server said. It is no
 * sign of trouble: many a server answers 501 to every HEAD. */
static void ask_whole(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;
    uint64_t wait_ms = page->exchange.retry_after_ms;

    if (page->exchange.status)
        frontier_note(crawler->validator.frontier, job->target, HOST_ANSWERED,
                      (uint8_t)page->outcome);
    record_fetch(crawler->record, job, 0, longer(wait_ms, 1),
                 longer(wait_ms, delay_of(crawler, job)));
    frontier_again(crawler->validator.frontier, job->target, ended_ms(page),
                   wait_ms, wait_ms > 0);
}

static void try_again(struct crawler *crawler, struct job *job)
{
    struct webpage *page = &job->page;
    uint64_t rest_ms = error_rest_ms(crawler, job);
    uint64_t wait_ms =
        longer(rest_ms, back_off_ms(crawler, page->outcome, job->target->tries,
                                    page->exchange.retry_after_ms));
    bool whole_host = retry_holds_host(page->outcome) ||
                      page->exchange.retry_after_ms || rest_ms;
    uint64_t delay_ms = delay_of(crawler, job);

    logr_retry(crawler->options->log, page, wait_ms);
    frontier_note_rest(job->target, (uint8_t)page->outcome);
    crawler->stats->retries++;
    record_fetch(crawler->record, job, 0, wait_ms,
                 whole_host ? longer(wait_ms, delay_ms) : delay_ms);
    frontier_again(crawler->validator.frontier, job->target, ended_ms(page),
                   wait_ms, whole_host);
}

/* The server said that it has had enough, or when to come back. */
static bool is_put_off(const struct webpage *page)
{
    return page->outcome == HTTP_TOO_MANY ||
           (page->outcome == HTTP_SERVER_ERROR &&
            page->exchange.retry_after_ms);
}

/* The pause of the host after a fetch that is not tried again: longer than
 * usual if the server answered "too many requests" or when to come back. */
static uint64_t last_pause_ms(struct crawler *crawler, const struct job *job)
{
    const struct webpage *page = &job->page;
    uint64_t pause_ms =
        longer(delay_of(crawler, job), error_rest_ms(crawler, job));

    if (!is_put_off(page))
        return pause_ms;
    return longer(pause_ms,
                  back_off_ms(crawler, page->outcome, job->target->tries,
                              page->exchange.retry_after_ms));
}

/* Tell the frontier how healthy the host is. A failed connection is always the
 * host's fault. A connection without an answer, or "too many requests", may be
 * this page's fault: it counts only when the page is given up, so that a host
 * is not given up for one bad page, but for a row of them. */
static void note_health(struct crawler *crawler, const struct job *job,
                        bool again)
{
    const struct webpage *page = &job->page;
    enum host_health health = HOST_NO_REPLY;

    if (page->exchange.status / 100 == 5 && !is_put_off(page)) {
        frontier_note_error(crawler->validator.frontier, job->target,
                            (uint8_t)page->outcome, ended_ms(page));
        return;
    }
    if (is_put_off(page))
        health = HOST_BUSY;
    else if (page->exchange.status || !retry_is_worthwhile(page->outcome))
        health = HOST_ANSWERED;
    else if (retry_holds_host(page->outcome))
        health = HOST_SILENT;
    if ((health == HOST_NO_REPLY || health == HOST_BUSY) && again)
        return;
    frontier_note(crawler->validator.frontier, job->target, health,
                  (uint8_t)page->outcome);
}

void note_promptness(struct crawler *crawler, const struct job *job)
{
    enum outcome outcome = job->page.outcome;
    bool is_late = outcome == TIMED_OUT || outcome == CONNECT_TIMED_OUT;

    /* A tarpit may well give its robots.txt: that proves nothing. */
    if (is_late || job->target->kind != TARGET_ROBOTS)
        frontier_note_prompt(crawler->validator.frontier, job->target,
                             !is_late);
}

/* A second signal came before the result was handled: the URL stays queued, to
 * be fetched again by a resume. */
static void abandon(struct crawler *crawler, struct webpage *page)
{
    pagesaver_discard(crawler->options->worker.saver, page);
    page->outcome = ABANDONED;
}

static void queue_abandoned(struct crawler *crawler, struct job *job)
{
    record_fetch(crawler->record, job, 0, 1, delay_of(crawler, job));
    frontier_abandoned(crawler->validator.frontier, job->target,
                       ended_ms(&job->page));
}

static void finish(struct crawler *crawler, struct job *job, uint64_t pause_ms)
{
    if (job->target->kind == TARGET_SITEMAP)
        finish_sitemap(crawler, job, pause_ms);
    else if (job->target->kind == TARGET_REQUISITE)
        finish_requisite(crawler, job, pause_ms);
    else
        finish_page(crawler, job, pause_ms);
}

/* The fetch was the last of its target. */
static void finish_fetch(struct crawler *crawler, struct job *job)
{
    struct webpage *page = &job->page;
    uint64_t pause_ms = last_pause_ms(crawler, job);

    if (!crawler->failed)
        finish(crawler, job, pause_ms);
    pagesaver_discard(crawler->options->worker.saver, page); /* if not saved */
    frontier_done(crawler->validator.frontier, job->target, ended_ms(page),
                  pause_ms);
}

void handle_fetch(struct crawler *crawler, struct job *job)
{
    struct webpage *page = &job->page;

    if (page->outcome == NOT_SAVED && !crawler->failed)
        fail_to_save(crawler, page->save_errno);
    if (crawler->signals > 1)
        abandon(crawler, page);
    crawler->stats->fetch_ms += exchange_ms(&page->exchange);
    if (page->outcome == ABANDONED) {
        queue_abandoned(crawler, job);
        return;
    }
    if (page->kind != WEBPAGE_REQUISITE)
        reasons_note_failure(reasons_of(crawler), page);
    viewing_note_fetch(crawler->viewing, page);
    if (is_head_doubted(crawler, job)) {
        ask_whole(crawler, job);
        return;
    }
    bool again = !crawler->failed && is_tried_again(crawler, job);
    note_health(crawler, job, again);
    note_promptness(crawler, job);
    if (again)
        try_again(crawler, job);
    else
        finish_fetch(crawler, job);
}
