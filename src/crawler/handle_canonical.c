#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawler_thread.h"

/* With --canonical a page that names another URL as its own gives way to it:
 * it is not saved, and the other URL is fetched at its depth, as after a
 * redirect. Its links are followed all the same.
 *
 * It is only a hint, and many are wrong. So a page gives way only to a URL that
 * was saved, is in flight or will be fetched; it does not to one that was
 * fetched and not saved, such as one that redirects back here. If the other URL
 * fails in the end, the first page that gave way to it is fetched again, and
 * then kept. So something of each page is saved, once.
 *
 * Such pages are remembered until the other URL has ended, which may be queued
 * for long. Their memory has a cap (`canonical_bytes_max`); once it is used up
 * a page that would have to be remembered does not give way, but is saved under
 * its own URL: rather one page too many than one too few. */

/* A page that gave way, and is wanted if the other URL fails. */
struct gave_way {
    struct url url;
    uint64_t fingerprint;
    uint32_t found;
    char text[];
};

/* What a page takes, with its place in a table that is half full. */
static size_t bytes_of(size_t url_len)
{
    return sizeof(struct gave_way) + url_len + 1 +
           2 * sizeof(struct hashtable_slot);
}

static bool has_room(const struct crawler *crawler, uint64_t canonical,
                     size_t url_len)
{
    return hashtable_get(&crawler->gave_way, canonical) ||
           crawler->gave_way_bytes + bytes_of(url_len) <=
               crawler->options->canonical_bytes_max;
}

static void forget(struct crawler *crawler, struct gave_way *page)
{
    if (page)
        crawler->gave_way_bytes -= bytes_of(page->url.href.len);
    free(page);
}

static void remember(struct crawler *crawler, uint64_t canonical,
                     const struct url *url, const struct offer *offer)
{
    struct gave_way *page;

    if (hashtable_get(&crawler->gave_way, canonical))
        return; /* one is enough */
    crawler->gave_way_bytes += bytes_of(url->href.len);
    page = mem_new(sizeof(*page) + url->href.len + 1);
    memcpy(page->text, url->href.ptr, url->href.len);
    page->url = *url;
    page->url.href.ptr = page->text;
    page->fingerprint = offer->fingerprint;
    page->found = offer->found;
    hashtable_put(&crawler->gave_way, canonical, page);
}

void restore_gave_way(void *user, uint64_t canonical, const struct offer *offer)
{
    remember(user, canonical, offer->url, offer);
}

void canonical_init(struct crawler *crawler)
{
    seen_init(&crawler->saved_urls);
    hashtable_init(&crawler->gave_way);
    hashtable_init(&crawler->in_flight);
}

void canonical_fetch_starts(struct crawler *crawler, struct target *target)
{
    if (crawler->options->canonical && target->kind == TARGET_PAGE &&
        !hashtable_get(&crawler->in_flight, target->fingerprint))
        hashtable_put(&crawler->in_flight, target->fingerprint, target);
}

void canonical_fetch_ended(struct crawler *crawler, const struct target *target)
{
    if (crawler->in_flight.count && target->kind == TARGET_PAGE)
        hashtable_take(&crawler->in_flight, target->fingerprint);
}

/* Is the URL, which was not saved, in flight, or will it be fetched? */
static bool is_at_hand(struct crawler *crawler, const struct job *job,
                       const struct page_link *canonical)
{
    const struct offer offer = {
        .url = &canonical->url,
        .fingerprint = canonical->fingerprint,
        .depth = job->page.depth,
        .referrer_id = job->target->referrer_id,
        .referrer_machine = job->target->referrer_machine,
        .found = job->target->found,
        .via = job->target->number,
    };

    if (frontier_find(crawler->validator.frontier, canonical->fingerprint) ||
        hashtable_get(&crawler->in_flight, canonical->fingerprint))
        return true;
    /* A chain of such pages must end, as one of redirects must. */
    uint32_t max_hops = crawler->options->max_redirects;
    return job->target->redirects < max_hops &&
           validator_offer_redirect(&crawler->validator, job->target, &offer,
                                    max_hops, crawler->now_ms) == ACCEPT;
}

/* The other URL has the depth of this page, as after a redirect, also if it was
 * found before. */
static void offer_nearer(struct crawler *crawler, const struct job *job,
                         const struct page_link *canonical)
{
    const struct offer offer = {
        .url = &canonical->url,
        .fingerprint = canonical->fingerprint,
        .depth = job->page.depth,
        .referrer_id = job->target->referrer_id,
        .referrer_machine = job->target->referrer_machine,
    };

    if (validator_has_seen(&crawler->validator, &canonical->url,
                           canonical->fingerprint))
        validator_offer(&crawler->validator, &offer, crawler->now_ms);
}

bool gives_way(struct crawler *crawler, const struct job *job)
{
    const struct page_link *canonical = job->page.canonical;
    const struct target *target = job->target;
    struct url own = target_url_parts(target);

    if (!crawler->options->canonical || !canonical ||
        target->nesting == PAGE_KEPT || canonical->not_html_name ||
        canonical->fingerprint == target->fingerprint)
        return false;
    bool is_saved = seen_has(&crawler->saved_urls, canonical->fingerprint);
    offer_nearer(crawler, job, canonical);
    if (!is_saved &&
        (!has_room(crawler, canonical->fingerprint, own.href.len) ||
         !is_at_hand(crawler, job, canonical)))
        return false;
    if (!is_saved)
        remember(crawler, canonical->fingerprint, &own,
                 &(struct offer){
                     .fingerprint = target->fingerprint,
                     .found = target->found,
                 });
    return true;
}

void canonical_moved(struct crawler *crawler, const struct target *from,
                     const struct page_link *to)
{
    struct gave_way *page =
        crawler->gave_way.count
            ? hashtable_take(&crawler->gave_way, from->fingerprint)
            : NULL;

    if (!page)
        return;
    if (hashtable_get(&crawler->gave_way, to->fingerprint))
        forget(crawler, page);
    else
        hashtable_put(&crawler->gave_way, to->fingerprint, page);
}

void canonical_forget(struct crawler *crawler, uint64_t canonical)
{
    if (crawler->gave_way.count)
        forget(crawler, hashtable_take(&crawler->gave_way, canonical));
}

/* Is it fetched once more, after a redirect that leads back to it? */
static bool is_queued_again(const struct crawler *crawler,
                            const struct target *target)
{
    return crawler->gave_way.count &&
           frontier_find(crawler->validator.frontier, target->fingerprint);
}

void canonical_ended(struct crawler *crawler, const struct target *target,
                     bool is_saved, bool gave_way)
{
    if (!is_saved && is_queued_again(crawler, target))
        return;
    struct gave_way *page =
        crawler->gave_way.count
            ? hashtable_take(&crawler->gave_way, target->fingerprint)
            : NULL;

    if (is_saved && crawler->options->canonical)
        seen_add(&crawler->saved_urls, target->fingerprint);
    if (page && !is_saved && !gave_way) {
        const struct offer offer = {
            .url = &page->url,
            .fingerprint = page->fingerprint,
            .depth = target->depth,
            .referrer_id = target->referrer_id,
            .referrer_machine = target->referrer_machine,
            .found = page->found,
            .via = target->number,
            .redirects = target->redirects,
            .nesting = PAGE_KEPT,
        };
        validator_offer_again(&crawler->validator, &offer, crawler->now_ms);
    }
    forget(crawler, page);
}

void canonical_release(struct crawler *crawler)
{
    struct gave_way *page;

    for (size_t at = 0; (page = hashtable_next(&crawler->gave_way, &at));)
        forget(crawler, page);
    hashtable_release(&crawler->gave_way);
    hashtable_release(&crawler->in_flight);
    seen_release(&crawler->saved_urls);
}
