#include <errno.h>

#include "base/clock.h"
#include "crawler/internal.h"
#include "crawler/retry.h"

/* --- links -------------------------------------------------------------- */

static enum verdict offer_link(struct crawler *crawler, const struct job *job,
                               const struct page_link *link,
                               const struct offer *offer)
{
    enum verdict verdict = link->not_html_name ? NOT_HTML_NAME
                           : job->page.nofollow || link->nofollow ? NOFOLLOW
                                                                  : ACCEPT;

    if (verdict == ACCEPT)
        return validator_offer(&crawler->validator, offer, crawler->now_ms);
    validator_refuse(&crawler->validator, offer, verdict);
    return verdict;
}

static void note_link(struct crawler *crawler, const struct job *job,
                      const struct page_link *link, enum verdict verdict,
                      uint32_t page_id, struct tally *tally)
{
    tally->verdict[verdict]++;
    if (page_id)
        record_link(crawler->record, page_id, link, verdict);
    logr_link(crawler->options->log, &job->page, link->url.href, verdict);
}

static void offer_links(struct crawler *crawler, const struct job *job,
                        uint32_t page_id, struct tally *tally)
{
    const struct page_links *links = &job->page.links;

    if (!job->page.want_links)
        return;
    for (size_t i = 0; i < links->count; i++)
        validator_expect(&crawler->validator, links->link[i].fingerprint);
    for (size_t i = 0; i < links->count; i++) {
        const struct page_link *link = &links->link[i];
        const struct offer offer = {
            .url = &link->url,
            .fingerprint = link->fingerprint,
            .depth = job->page.depth + 1,
            .referrer_id = page_id,
            .found = 1,
        };
        note_link(crawler, job, link, offer_link(crawler, job, link, &offer),
                  page_id, tally);
    }
    tally->verdict[BAD_URL] += links->bad;
    tally->verdict[TOO_MANY_LINKS] += links->beyond;
}

/* The target of a redirect takes over depth, referrer and importance of the
 * URL that redirects. */
static void offer_redirect(struct crawler *crawler, const struct job *job,
                           struct tally *tally)
{
    const struct page_link *link = &job->page.links.link[0];
    const struct offer offer = {
        .url = &link->url,
        .fingerprint = link->fingerprint,
        .depth = job->page.depth,
        .referrer_id = job->target->referrer_id,
        .found = job->target->found,
        .via = job->target->age,
    };
    enum verdict verdict = NOT_HTML_NAME;

    if (link->not_html_name)
        validator_refuse(&crawler->validator, &offer, verdict);
    else
        verdict = validator_offer_redirect(
            &crawler->validator, job->target, &offer,
            crawler->options->max_redirects, crawler->now_ms);
    reasons_add_redirect(reasons_of(crawler), job->target, link, verdict);
    note_link(crawler, job, link, verdict, 0, tally);
}

/* --- pages -------------------------------------------------------------- */

static void fail(struct crawler *crawler, int why)
{
    fail_crawl(crawler, "cannot write page %u in %s: %s",
               (unsigned)pagesaver_last(crawler->options->worker.saver) + 1,
               crawler->options->dir_path, strerror(why));
}

static void discard(struct crawler *crawler, struct webpage *page)
{
    pagesaver_discard(crawler->options->worker.saver, page);
}

/* The number of the page, or 0 where there is nothing to save. */
static uint32_t commit(struct crawler *crawler, struct webpage *page)
{
    if (page->outcome != FETCHED)
        return 0;
    bool had_old = pagesaver_holds_old(crawler->options->worker.saver);
    if ((had_old || !crawler->stats->saved) && !replace_old_crawl(crawler)) {
        discard(crawler, page);
        return 0;
    }
    uint32_t id = pagesaver_commit(crawler->options->worker.saver, page);
    if (!id) {
        fail(crawler, errno);
        discard(crawler, page);
        return 0;
    }
    if (had_old)
        record_old_pages(crawler->record, 0);
    /* URLs outside the scope were also needed as reasons for having no page;
     * from now on only the record wants them. */
    crawler->validator.listener.outside = crawler->record != NULL;
    crawler->stats->saved++;
    crawler->stats->bytes += page->exchange.body_len;
    return id;
}

static uint64_t delay_of(const struct crawler *crawler, const struct job *job)
{
    return frontier_delay_ms(crawler->validator.frontier, job->target);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void finish_page(struct crawler *crawler, struct job *job,
                        uint64_t pause_ms)
{
    struct logr *log = crawler->options->log;
    struct webpage *page = &job->page;
    struct tally tally = {0};
    uint32_t id = commit(crawler, page);

    if (crawler->failed)
        return;
    note_fetched(crawler, job, id, pause_ms);
    stats_add_page(crawler->stats, page);
    logr_page(log, page, id);
    if (page->outcome == FETCHED || page->outcome == NOINDEX)
        offer_links(crawler, job, id, &tally);
    else if (page->outcome == REDIRECTED)
        offer_redirect(crawler, job, &tally);
    if (page->outcome != REDIRECTED)
        reasons_add_fetch(reasons_of(crawler), page);
    stats_add_tally(crawler->stats, &tally);
    logr_page_end(log, page, job->target, id, &tally, clock_wall_ms());
}

/* --- tries -------------------------------------------------------------- */

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
    crawler->stats->retries++;
    record_fetch(crawler->record, job, 0, wait_ms,
                 whole_host ? longer(wait_ms, delay_ms) : delay_ms);
    if (page->exchange.retry_after_ms)
        record_at_once(crawler->record);
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

uint64_t last_pause_ms(struct crawler *crawler, const struct job *job)
{
    const struct webpage *page = &job->page;
    uint64_t pause_ms =
        longer(delay_of(crawler, job), error_rest_ms(crawler, job));

    if (!is_put_off(page))
        return pause_ms;
    if (page->exchange.retry_after_ms)
        record_at_once(crawler->record);
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

bool is_retried(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;
    const struct webpage *page = &job->page;

    crawler->stats->fetch_ms += exchange_ms(&page->exchange);
    if (page->outcome == ABANDONED) {
        record_fetch(crawler->record, job, 0, 1, delay_of(crawler, job));
        frontier_again(frontier, job->target, ended_ms(page), 0, false);
        return true;
    }
    reasons_note_failure(reasons_of(crawler), page);
    bool again = !crawler->failed && is_tried_again(crawler, job);
    note_health(crawler, job, again);
    if (again)
        try_again(crawler, job);
    return again;
}

/* A second signal came before the page was handled: it stays queued, to be
 * fetched again by a resume. */
static void abandon(struct crawler *crawler, struct webpage *page)
{
    discard(crawler, page);
    page->outcome = ABANDONED;
}

void handle_page(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;
    struct webpage *page = &job->page;

    if (page->outcome == NOT_SAVED && !crawler->failed)
        fail(crawler, page->save_errno);
    if (crawler->signals > 1)
        abandon(crawler, page);
    if (is_retried(crawler, job))
        return;
    uint64_t pause_ms = last_pause_ms(crawler, job);
    if (crawler->failed)
        discard(crawler, page);
    else
        finish_page(crawler, job, pause_ms);
    frontier_done(frontier, job->target, ended_ms(page), pause_ms);
}
