#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawler_thread.h"
#include "frontier/by_hand.h"

/* With --retry-failed a crawl that goes on asks again for the URLs that failed
 * for want of an answer, and gives their hosts another chance.
 *
 * The rows of a URL that has ended stay as they are. So it is withdrawn under
 * its old number and queued under a new one. Both rows are in one batch: a kill
 * leaves it either failed or queued. */

struct failed_url {
    struct failed_url *next;
    struct offer offer;
    struct url url;
    uint64_t number;
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

void restore_failed(void *user, const struct offer *offer, uint64_t number)
{
    struct crawler *crawler = user;
    struct failed_urls *urls = crawler->failed_urls;
    struct failed_url *failed = arena_new(&urls->arena, sizeof(*failed));

    failed->next = NULL;
    failed->number = number;
    failed->url = *offer->url;
    failed->url.href = arena_copy(&urls->arena, offer->url->href);
    failed->offer = *offer;
    failed->offer.url = &failed->url;
    failed->offer.domain = arena_copy(&urls->arena, offer->domain);
    *urls->end = failed;
    urls->end = &failed->next;
}

static void ask_again(struct crawler *crawler, const struct failed_url *failed)
{
    struct frontier *frontier = crawler->validator.frontier;
    const struct offer *offer = &failed->offer;
    unsigned line;

    if (frontier_precheck(frontier, offer->kind, offer->url, &line) ==
        HOST_DEAD)
        frontier_forget_trouble(frontier, offer->url, crawler->now_ms);
    note_failure_withdrawn(crawler, offer->kind, failed->number);
    validator_offer_again(&crawler->validator, offer, crawler->now_ms);
}

void retry_failed(struct crawler *crawler)
{
    struct failed_urls *urls = crawler->failed_urls;

    if (!urls)
        return;
    for (const struct failed_url *failed = urls->first;
         failed && !crawler->failed; failed = failed->next)
        ask_again(crawler, failed);
    arena_release(&urls->arena);
    free(urls);
    crawler->failed_urls = NULL;
}
