#include "crawler/crawler_thread.h"
#include "web/normalize.h"
#include "web/url.h"

/* Sitemaps: offered like pages, read for the URLs that they list. */

enum { SITEMAPS_MAX = 1000, SITEMAP_NESTING_MAX = 3 };

/* A sitemap that we already know does not count against the limit. */
static void leave_out(struct crawler *crawler, const struct offer *offer)
{
    if (validator_has_seen(&crawler->validator, offer->url, offer->fingerprint))
        return;
    crawler->sitemaps_left_out = true;
    logr_note(crawler->options->log,
              "more than %d sitemaps are named; the rest is left out",
              SITEMAPS_MAX);
}

void offer_sitemap(struct crawler *crawler, struct str text,
                   const struct url *base, uint32_t nesting)
{
    uint64_t seed = crawler->options->worker.scan.fingerprint_seed;
    struct arena arena;
    struct url url;

    if (nesting > SITEMAP_NESTING_MAX || crawler->sitemaps_left_out)
        return;
    arena_init(&arena);
    if (!url_parse(&url, &arena, text, base, NULL)) {
        login_drop(&url, &arena);
        const struct offer offer = {
            .url = &url,
            .fingerprint =
                target_fingerprint(TARGET_SITEMAP, url_fingerprint(&url, seed)),
            .kind = TARGET_SITEMAP,
            .referrer_id = nesting,
        };
        if (crawler->sitemaps >= SITEMAPS_MAX)
            leave_out(crawler, &offer);
        else if (validator_offer(&crawler->validator, &offer,
                                 crawler->now_ms) == ACCEPT)
            crawler->sitemaps++;
    }
    arena_release(&arena);
}

/* The sitemap redirects: its new URL replaces it. */
static void follow_sitemap(struct crawler *crawler, const struct job *job)
{
    const struct page_link *link = &job->page.links.link[0];
    const struct offer offer = {
        .url = &link->url,
        .fingerprint = target_fingerprint(TARGET_SITEMAP, link->fingerprint),
        .kind = TARGET_SITEMAP,
        .referrer_id = job->target->referrer_id,
        .via = job->target->number,
    };

    enum verdict verdict = validator_offer_redirect(
        &crawler->validator, job->target, &offer,
        crawler->options->max_redirects, crawler->now_ms);
    reasons_add_redirect(reasons_of(crawler), job->target, link, verdict);
}

static void offer_listed(struct crawler *crawler, const struct job *job)
{
    const struct webpage *page = &job->page;
    uint32_t nesting = job->target->referrer_id;

    if (page->outcome == FETCHED)
        reasons_add_sitemap(reasons_of(crawler), page);
    else
        reasons_add_fetch(reasons_of(crawler), page);
    if (page->links.beyond)
        logr_note(crawler->options->log,
                  "%s: only the first %zu URLs of this sitemap count",
                  page->url.ptr, page->links.count);
    for (size_t i = 0; i < page->links.count; i++) {
        const struct page_link *link = &page->links.link[i];
        const struct offer offer = {
            .url = &link->url,
            .fingerprint = link->fingerprint,
        };
        if (link->sitemap)
            offer_sitemap(crawler, link->url.href, NULL, nesting + 1);
        else if (link->not_html_name)
            validator_refuse(&crawler->validator, &offer, NOT_HTML_NAME);
        else
            crawler->stats->sitemap_urls +=
                validator_offer(&crawler->validator, &offer, crawler->now_ms) ==
                ACCEPT;
    }
}

void finish_sitemap(struct crawler *crawler, struct job *job, uint64_t pause_ms)
{
    logr_failure(crawler->options->log, &job->page);
    note_fetched(crawler, job, 0, pause_ms);
    if (job->page.outcome == REDIRECTED)
        follow_sitemap(crawler, job);
    else
        offer_listed(crawler, job);
}
