#include "crawler/crawler_thread.h"
#include "crawler/fleet.h"
#include "crawler/relax.h"

/* Limits of the user: may another fetch start, and is the crawl over? */

/* Requisites do not count as pages: those of the last page are fetched too. */
static bool has_requisites(const struct crawler *crawler)
{
    return crawler->stats->requisite_ends[URL_QUEUED] > 0;
}

/* --max-pages or --max-bytes is reached. */
static bool has_limit_of_pages(const struct crawler *crawler)
{
    return crawler->stats->saved >= crawler->options->max_pages ||
           crawler->stats->bytes >= crawler->options->max_bytes;
}

bool is_stopping(const struct crawler *crawler)
{
    return crawler->signals || crawler->failed ||
           crawler->now_ms - crawler->start_ms >=
               crawler->options->max_time_ms ||
           (has_limit_of_pages(crawler) && !has_requisites(crawler));
}

bool has_enough_pages(const struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    uint64_t max_pages =
        options->fleet ? fleet_page_limit(options->fleet) : options->max_pages;

    return has_limit_of_pages(crawler) ||
           crawler->stats->saved + workers_busy(crawler->workers) -
                   crawler->requisites_in_flight >=
               max_pages;
}

bool may_fetch_more(const struct crawler *crawler)
{
    return !is_stopping(crawler) && !crawler->paused &&
           fleet_may_fetch(crawler->options->fleet) &&
           crawler->now_ms >= crawler->hold_ms &&
           workers_has_room(crawler->workers) &&
           !record_holds(crawler->record) &&
           !outlet_is_full(&crawler->options->log->out) &&
           (!has_enough_pages(crawler) || has_requisites(crawler));
}

/* --max-pages is reached, and the requisites that are left are on disk behind
 * pages: a resume that may fetch more pages will find them. */
static bool is_stuck(const struct crawler *crawler)
{
    return has_enough_pages(crawler) &&
           frontier_idle(crawler->validator.frontier, crawler->now_ms).reason ==
               IDLE_EMPTY;
}

bool is_over(const struct crawler *crawler)
{
    struct frontier_counts counts =
        frontier_counts(crawler->validator.frontier);
    const struct fleet *fleet = crawler->options->fleet;

    /* The result of a look-up is not needed any more. */
    if ((is_stopping(crawler) || (fleet && fleet_is_over(fleet))) &&
        counts.in_flight == crawler->resolving && !relax_is_in_flight(crawler))
        return true;
    /* As long as others go on, there may be mail. */
    if (fleet)
        return false;
    return !counts.in_flight &&
           (is_stuck(crawler) || (!counts.queued && !relax_is_open(crawler)));
}

void wait_for_rate(struct crawler *crawler, const struct job *job)
{
    uint64_t rate = crawler->options->limit_rate;
    double cost_ms;

    if (rate == UINT64_MAX || job->target->kind == TARGET_RESOLVE)
        return;
    if (crawler->rate_ms < (double)crawler->now_ms)
        crawler->rate_ms = (double)crawler->now_ms;
    cost_ms = (double)job->page.exchange.received * 1000 / (double)rate;
    crawler->rate_ms += cost_ms;
    if (crawler->rate_ms > (double)crawler->hold_ms)
        crawler->hold_ms = (uint64_t)crawler->rate_ms;
}
