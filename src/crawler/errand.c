#include "crawler/internal.h"
#include "crawler/retry.h"
#include "url/key.h"

enum { SITEMAPS_MAX = 1000, SITEMAP_NESTING_MAX = 3 };

/* --- names -------------------------------------------------------------- */

void handle_lookup(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;

    crawler->resolving--;
    if (job->address_found) {
        crawler->stats->resolved++;
        frontier_resolved(frontier, job->target, &job->ip, crawler->now_ms);
    } else {
        unsigned tries = frontier_failures(job->target);
        frontier_setup_failed(frontier, job->target, crawler->now_ms,
                              back_off_ms(crawler, NO_DNS, tries, 0), NO_DNS,
                              false);
    }
}

/* --- robots.txt --------------------------------------------------------- */

static void offer_sitemaps_of(struct crawler *crawler,
                              const struct robots *rules,
                              const struct webpage *page)
{
    struct arena arena;
    struct url base;

    arena_init(&arena);
    struct str sitemap = {0};
    if (!url_parse(&base, &arena, page->url, NULL, NULL))
        while (robots_next_sitemap(rules, &sitemap))
            offer_sitemap(crawler, sitemap, &base, 0);
    arena_release(&arena);
}

/* Asked, with an answer that counts for `known_ms` or with none. */
static void note_robots(struct crawler *crawler, const struct job *job,
                        const struct robots *rules, uint64_t known_ms,
                        uint64_t wait_ms)
{
    const struct frontier *frontier = crawler->validator.frontier;
    uint64_t pause_ms =
        known_ms ? frontier_robots_delay_ms(frontier, job->target, rules)
                 : frontier_delay_ms(frontier, job->target);

    record_robots(crawler->record, job, frontier_robots_host(job->target),
                  known_ms, wait_ms > pause_ms ? wait_ms : pause_ms);
}

static bool follow_robots(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;

    if (!page->links.count || job->target->redirects >= ROBOTS_REDIRECTS_MAX)
        return false;
    note_robots(crawler, job, NULL, 0, 0);
    return frontier_robots_moved(crawler->validator.frontier, job->target,
                                 &page->links.link[0].url, ended_ms(page));
}

static void fail_robots(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;
    uint64_t wait_ms =
        back_off_ms(crawler, page->outcome, frontier_failures(job->target),
                    page->exchange.retry_after_ms);

    note_robots(crawler, job, NULL, 0, wait_ms);
    reasons_note_failure(reasons_of(crawler), page);
    if (page->exchange.retry_after_ms)
        record_at_once(crawler->record);
    frontier_setup_failed(crawler->validator.frontier, job->target,
                          ended_ms(page), wait_ms, (uint8_t)page->outcome,
                          !retry_is_worthwhile(page->outcome));
}

/* An answer that is whole as far as it counts: of a redirect, its headers. */
static bool is_answer(enum outcome outcome)
{
    return outcome == FETCHED || outcome == HTTP_OTHER ||
           outcome == HTTP_CLIENT_ERROR || outcome == REDIRECTED ||
           outcome == BAD_REDIRECT;
}

void handle_robots(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;
    struct webpage *page = &job->page;
    enum robots_access access = robots_access_of_status(page->exchange.status);
    struct robots *rules = job->robots;

    job->robots = NULL;
    crawler->stats->robots++;
    crawler->stats->fetch_ms += exchange_ms(&page->exchange);
    if (page->outcome == ABANDONED) {
        note_robots(crawler, job, NULL, 0, 0);
        frontier_setup_stopped(frontier, job->target, ended_ms(page));
        return;
    }
    /* No whole answer, or one that the rules call unreachable. A 2xx that is
     * not 200 has no rules. */
    if (!is_answer(page->outcome))
        access = ROBOTS_UNREACHABLE;
    if (access == ROBOTS_FOLLOW && follow_robots(crawler, job))
        return;
    if (access == ROBOTS_UNREACHABLE) {
        fail_robots(crawler, job);
        return;
    }
    if (rules)
        reasons_note_robots(
            reasons_of(crawler), frontier_robots_host(job->target),
            frontier_robots_is_https(job->target), page->robots_text);
    if (rules && crawler->options->robots_sitemaps)
        offer_sitemaps_of(crawler, rules, page);
    note_robots(crawler, job, rules, FRONTIER_ROBOTS_KEPT_MS, 0);
    frontier_robots(frontier, job->target, rules, ended_ms(page));
}

/* --- sitemaps ----------------------------------------------------------- */

/* One that was named before is not one more. */
static void leave_out(struct crawler *crawler, const struct offer *offer)
{
    if (seen_has(&crawler->validator.seen, offer->fingerprint))
        return;
    crawler->left_out = true;
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

    if (nesting > SITEMAP_NESTING_MAX || crawler->left_out)
        return;
    arena_init(&arena);
    if (!url_parse(&url, &arena, text, base, NULL)) {
        named_drop_login(crawler->options->worker.fetch.named, &url, &arena);
        /* Of its own kind, so that a page of the same URL is another. */
        const struct offer offer = {
            .url = &url,
            .fingerprint = ~url_fingerprint(&url, seed),
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

/* To another URL of the same sitemap. */
static void follow_sitemap(struct crawler *crawler, const struct job *job)
{
    const struct page_link *link = &job->page.links.link[0];
    const struct offer offer = {
        .url = &link->url,
        .fingerprint = ~link->fingerprint,
        .kind = TARGET_SITEMAP,
        .referrer_id = job->target->referrer_id,
        .via = job->target->age,
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

void handle_sitemap(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;

    if (is_retried(crawler, job))
        return;
    uint64_t pause_ms = last_pause_ms(crawler, job);
    if (!crawler->failed) {
        logr_failure(crawler->options->log, page);
        note_fetched(crawler, job, 0, pause_ms);
        if (page->outcome == REDIRECTED)
            follow_sitemap(crawler, job);
        else
            offer_listed(crawler, job);
    }
    frontier_done(crawler->validator.frontier, job->target, ended_ms(page),
                  pause_ms);
}
