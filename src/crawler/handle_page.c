#include <errno.h>

#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "crawler/viewing.h"

/* --- links -------------------------------------------------------------- */

enum verdict offer_link(struct crawler *crawler, const struct webpage *page,
                        const struct page_link *link, const struct offer *offer)
{
    enum verdict verdict = link->not_html_name                ? NOT_HTML_NAME
                           : page->nofollow || link->nofollow ? NOFOLLOW
                                                              : ACCEPT;

    if (verdict == ACCEPT)
        return validator_offer(&crawler->validator, offer, crawler->now_ms);
    validator_refuse(&crawler->validator, offer, verdict);
    return verdict;
}

static void note_link(struct crawler *crawler, const struct job *job,
                      const struct page_link *link, enum verdict verdict,
                      struct tally *tally)
{
    tally->verdict[verdict]++;
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
        enum verdict verdict = offer_link(crawler, &job->page, link, &offer);
        note_link(crawler, job, link, verdict, tally);
        record_link(crawler->record, job, page_id, link, verdict);
    }
    for (size_t i = 0; i < links->bad_count; i++)
        record_link(crawler->record, job, page_id, &links->bad_link[i],
                    BAD_URL);
    for (size_t i = 0; i < links->aside_count; i++)
        record_link(crawler->record, job, page_id, &links->aside[i],
                    NOT_FOLLOWED);
    tally->verdict[BAD_URL] += links->bad;
    tally->verdict[TOO_MANY_LINKS] += links->beyond;
}

/* A redirect that leads back to where it came from, with other cookies. */
static enum verdict offer_again(struct crawler *crawler, const struct job *job,
                                const struct offer *offer,
                                const struct page_link *link)
{
    struct offer again = *offer;

    if (!is_asked_again(crawler, job, link))
        return DUPLICATE;
    again.redirects = (uint8_t)(job->target->redirects + 1);
    again.nesting = PAGE_AGAIN;
    validator_offer_again(&crawler->validator, &again, crawler->now_ms);
    return ACCEPT;
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
        .referrer_machine = job->target->referrer_machine,
        .found = job->target->found,
        .via = job->target->number,
    };
    enum verdict verdict = NOT_HTML_NAME;

    note_redirecting(crawler, job);
    if (link->not_html_name) {
        validator_refuse(&crawler->validator, &offer, verdict);
    } else {
        move_scope(crawler, job->target, link);
        verdict = validator_offer_redirect(
            &crawler->validator, job->target, &offer,
            crawler->options->max_redirects, crawler->now_ms);
        if (verdict == DUPLICATE)
            verdict = offer_again(crawler, job, &offer, link);
        else if (verdict == ACCEPT)
            note_queued_again(crawler, link->fingerprint);
    }
    if (verdict == ACCEPT)
        canonical_moved(crawler, job->target, link);
    reasons_add_redirect(reasons_of(crawler), job->target, link, verdict);
    note_link(crawler, job, link, verdict, tally);
}

/* --- pages -------------------------------------------------------------- */

void fail_to_save(struct crawler *crawler, int why)
{
    fail_crawl(crawler, "cannot write page %u in %s: %s",
               (unsigned)pagesaver_last(crawler->options->worker.saver) + 1,
               crawler->options->dir_path, strerror(why));
}

/* The number of the page, or 0 where there is nothing to save. */
static uint32_t save(struct crawler *crawler, struct webpage *page)
{
    struct pagesaver *saver = crawler->options->worker.saver;

    if (page->outcome != FETCHED)
        return 0;
    bool had_old = pagesaver_holds_old(saver);
    if (!may_save(crawler))
        return 0;
    uint32_t id = pagesaver_commit(saver, page);
    if (!id) {
        fail_to_save(crawler, errno);
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

void finish_page(struct crawler *crawler, struct job *job, uint64_t pause_ms)
{
    struct logr *log = crawler->options->log;
    struct webpage *page = &job->page;
    struct tally tally = {0};
    if (page->outcome == FETCHED && gives_way(crawler, job))
        page->outcome = CANONICAL;
    uint32_t id = save(crawler, page);

    if (crawler->failed)
        return;
    note_fetched(crawler, job, id, pause_ms);
    viewing_note_page(crawler->viewing, page, id, crawler->now_ms);
    stats_add_page(crawler->stats, page);
    if (id)
        record_content(crawler->record, id, &page->content);
    logr_page(log, page, id);
    if (page->outcome == FETCHED || page->outcome == NOINDEX ||
        page->outcome == NOARCHIVE || page->outcome == CANONICAL)
        offer_links(crawler, job, id, &tally);
    else if (page->outcome == REDIRECTED)
        offer_redirect(crawler, job, &tally);
    /* A page that is not in the archive is not shown. */
    if (id && !page->noarchive)
        offer_requisites(crawler, job, id);
    canonical_ended(crawler, job->target, id > 0, page->outcome == CANONICAL);
    if (page->outcome != REDIRECTED)
        reasons_add_fetch(reasons_of(crawler), page);
    stats_add_tally(crawler->stats, &tally);
    logr_page_end(log, page, job->target, id, &tally, clock_wall_ms());
}
