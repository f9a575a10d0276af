#include "crawler/crawler_thread.h"
#include "crawler/fleet.h"
#include "crawler/retry.h"

/* The results of host setup: a name was looked up, a robots.txt was fetched. */

/* --- names -------------------------------------------------------------- */

void handle_lookup(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;

    crawler->resolving--;
    if (job->address_found) {
        crawler->stats->resolved++;
        frontier_resolved(frontier, job->target, &job->ip, crawler->now_ms);
    } else {
        enum outcome outcome = job->name_servers_failed ? DNS_FAILED : NO_DNS;
        unsigned tries = frontier_failures(job->target);
        frontier_setup_failed(frontier, job->target, crawler->now_ms,
                              back_off_ms(crawler, outcome, tries, 0),
                              (uint8_t)outcome, false);
    }
}

/* --- robots.txt --------------------------------------------------------- */

static void offer_sitemaps_of(struct crawler *crawler,
                              const struct robots *rules,
                              const struct target *target)
{
    const struct url base = target_url_parts(target);
    struct str sitemap = {0};

    while (robots_next_sitemap(rules, &sitemap))
        offer_sitemap(crawler, sitemap, &base, 0);
}

/* Record the fetch of a robots.txt. Its answer is valid for `known_ms`; 0: it
 * was no answer. */
static void note_robots(struct crawler *crawler, const struct job *job,
                        const struct robots *rules, uint64_t known_ms,
                        uint64_t wait_ms)
{
    const struct frontier *frontier = crawler->validator.frontier;
    uint64_t pause_ms =
        known_ms ? frontier_robots_delay_ms(frontier, job->target, rules)
                 : frontier_delay_ms(frontier, job->target);
    /* The rules of a guest are not known here. */
    struct str host = frontier_robots_is_guest(job->target)
                          ? frontier_robots_asks(job->target)
                          : frontier_robots_host(job->target);

    record_robots(crawler->record, job, host, known_ms,
                  wait_ms > pause_ms ? wait_ms : pause_ms);
}

static bool follow_robots(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;

    if (!page->links.count || job->target->redirects >= ROBOTS_REDIRECTS_MAX)
        return false;
    const struct url *url = &page->links.link[0].url;
    if (!job->is_told)
        note_robots(crawler, job, NULL, 0, 0);
    return fleet_follows_robots(crawler, job->target, url, ended_ms(page)) ||
           frontier_robots_moved(crawler->validator.frontier, job->target, url,
                                 ended_ms(page));
}

static void fail_robots(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;
    uint64_t wait_ms =
        back_off_ms(crawler, page->outcome, frontier_failures(job->target),
                    page->exchange.retry_after_ms);

    note_robots(crawler, job, NULL, 0, wait_ms);
    reasons_note_failure(reasons_of(crawler), page);
    frontier_setup_failed(crawler->validator.frontier, job->target,
                          ended_ms(page), wait_ms, (uint8_t)page->outcome,
                          !retry_is_worthwhile(page->outcome));
}

/* Is the answer complete enough to use? A redirect needs only its head. */
static bool is_complete(enum outcome outcome)
{
    return outcome == FETCHED || outcome == HTTP_OTHER ||
           outcome == HTTP_CLIENT_ERROR || outcome == REDIRECTED ||
           outcome == BAD_REDIRECT;
}

/* RFC 9309 2.3.1: without a complete answer robots.txt is unreachable. A 2xx
 * other than 200 means that there are no rules. */
static enum robots_access access_of(const struct webpage *page)
{
    /* The crawl that made the archive may not have asked for it. */
    if (page->outcome == NOT_IN_ARCHIVE)
        return ROBOTS_UNAVAILABLE;
    return is_complete(page->outcome)
               ? robots_access_of_status(page->exchange.status)
               : ROBOTS_UNREACHABLE;
}

/* It was fetched for another machine, which judges it. */
static void answer_guest(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;
    uint64_t wait_ms = access_of(page) == ROBOTS_UNREACHABLE
                           ? back_off_ms(crawler, page->outcome, 0,
                                         page->exchange.retry_after_ms)
                           : 0;

    note_robots(crawler, job, NULL, 0, wait_ms);
    fleet_tells_robots(crawler, job);
    robots_free(job->robots);
    job->robots = NULL;
    frontier_robots_answered(crawler->validator.frontier, job->target,
                             ended_ms(page), wait_ms);
}

void handle_robots(struct crawler *crawler, struct job *job)
{
    const struct webpage *page = &job->page;

    crawler->stats->robots++;
    crawler->stats->fetch_ms += exchange_ms(&page->exchange);
    if (page->outcome == ABANDONED) {
        note_robots(crawler, job, NULL, 0, 0);
        frontier_setup_stopped(crawler->validator.frontier, job->target,
                               ended_ms(page));
        return;
    }
    note_promptness(crawler, job);
    if (frontier_robots_is_guest(job->target))
        answer_guest(crawler, job);
    else
        judge_robots(crawler, job);
}

void judge_robots(struct crawler *crawler, struct job *job)
{
    struct frontier *frontier = crawler->validator.frontier;
    const struct webpage *page = &job->page;
    enum robots_access access = access_of(page);
    struct robots *rules = job->robots;

    job->robots = NULL;
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
        offer_sitemaps_of(crawler, rules, job->target);
    note_robots(crawler, job, rules, FRONTIER_ROBOTS_KEPT_MS, 0);
    frontier_robots(frontier, job->target, rules, ended_ms(page));
}
