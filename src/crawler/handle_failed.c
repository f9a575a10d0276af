#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "crawler/crawler_thread.h"
#include "crawler/record_codes.h"
#include "frontier/by_hand.h"

/* With --retry-failed a crawl that goes on asks again for URLs that failed and
 * may answer later, and gives their hosts another chance. Pauses hold.
 *
 * The rows of a URL that has ended stay as they are. So it is withdrawn under
 * its old number and queued under a new one. Both rows are in one batch: a kill
 * leaves it either failed or queued. */

struct failed_url {
    struct failed_url *next;
    struct offer offer;
    struct url url;
    uint64_t number;
    enum outcome outcome;
};

/* In the order of their numbers. */
struct failed_urls {
    struct arena arena;
    struct failed_url *first, **end;
};

void failed_init(struct crawler *crawler)
{
    struct failed_urls *urls = NEW(struct failed_urls);

    arena_init(&urls->arena);
    urls->end = &urls->first;
    crawler->failed_urls = urls;
}

void restore_failed(void *user, const struct offer *offer, uint64_t number,
                    enum outcome outcome)
{
    struct crawler *crawler = user;
    struct failed_urls *urls = crawler->failed_urls;
    struct failed_url *failed = arena_new(&urls->arena, sizeof(*failed));

    failed->next = NULL;
    failed->number = number;
    failed->outcome = outcome;
    failed->url = *offer->url;
    failed->url.href = arena_copy(&urls->arena, offer->url->href);
    failed->offer = *offer;
    failed->offer.url = &failed->url;
    failed->offer.domain = arena_copy(&urls->arena, offer->domain);
    *urls->end = failed;
    urls->end = &failed->next;
}

/* A URL that a rule would refuse at its turn stays as it is, for good. */
static void ask_again(struct crawler *crawler, const struct failed_url *failed)
{
    struct frontier *frontier = crawler->validator.frontier;
    const struct offer *offer = &failed->offer;
    unsigned line;
    enum verdict verdict =
        frontier_precheck(frontier, offer->kind, offer->url, &line);

    if (verdict != ACCEPT && verdict_end(verdict) != URL_FAILED) {
        crawler->stats->may_recover--;
        return;
    }
    if (verdict != ACCEPT)
        frontier_revive_host(frontier, offer->url, crawler->now_ms);
    canonical_forget(crawler, offer->fingerprint);
    note_failure_withdrawn(crawler, offer->kind, failed->number,
                           failed->outcome);
    validator_offer_again(&crawler->validator, offer, crawler->now_ms);
}

/* There may be a million. */
static void ask_all(struct crawler *crawler, const struct failed_url *failed)
{
    for (; failed && !crawler->failed && !crawler->signals;
         failed = failed->next) {
        ask_again(crawler, failed);
        check_time_and_signals(crawler, clock_mono_ms());
        if (record_is_full(crawler->record))
            commit_if_due(crawler);
    }
}

void retry_failed(struct crawler *crawler)
{
    struct failed_urls *urls = crawler->failed_urls;

    if (!urls)
        return;
    ask_all(crawler, urls->first);
    arena_release(&urls->arena);
    free(urls);
    crawler->failed_urls = NULL;
}
