#include "crawler/crawler_thread.h"

/* Requisites: what pages need to be shown. They are offered like pages, at the
 * depth of their page and also outside the scope; they are fetched for the
 * archive, get no number and are no pages in any figure.
 *
 * A URL may be a page and a requisite: an image that is shown and linked. It is
 * asked for once, whichever comes first, if its answer is in the archive and no
 * more can come of it (is_settled in worker.c); the other target is dropped
 * when its turn comes. Three are asked for twice, because each fetch has its
 * own use:
 *
 *   - HTML that was fetched as a requisite: only as a page it gets a number and
 *     its links;
 *   - a stylesheet that was fetched as a page: it was not read for more;
 *   - what failed, redirects, or is not kept for what it says of itself.
 *
 * A page that was saved is no requisite any more. */

struct page_wishes wishes_for(const struct crawler *crawler,
                              const struct target *target)
{
    const struct crawl_options *options = crawler->options;
    bool is_page = target->kind == TARGET_PAGE && options->requisites;
    const struct head_check *check =
        target->kind == TARGET_PAGE ? options->head_check : NULL;

    if (target->kind == TARGET_REQUISITE)
        return (struct page_wishes){.requisites =
                                        target->nesting < NESTING_LAST};
    return (struct page_wishes){
        .links = options->links || target->depth < options->max_depth,
        .requisites = is_page,
        .only_head = check && !target->tries,
        .no_body =
            check && !check->is_body_wanted(check->user, target_url(target)),
    };
}

void note_settled(struct crawler *crawler, const struct job *job)
{
    const struct target *target = job->target;

    if (crawler->options->requisites && job->page.is_settled)
        seen_add(&crawler->settled,
                 target_url_fingerprint((enum target_kind)target->kind,
                                        target->fingerprint));
}

bool is_kept(const struct crawler *crawler, uint64_t fingerprint)
{
    return seen_has(&crawler->pages_kept, fingerprint) ||
           seen_has(&crawler->settled, fingerprint);
}

static void offer_one(struct crawler *crawler, const struct page_link *link,
                      struct offer offer)
{
    if (is_kept(crawler, link->fingerprint))
        return;
    offer.url = &link->url;
    offer.kind = TARGET_REQUISITE;
    offer.fingerprint = target_fingerprint(TARGET_REQUISITE, link->fingerprint);
    validator_offer(&crawler->validator, &offer, crawler->now_ms);
}

/* Was it offered as a link that a page can come of? */
static bool is_offered_as_page(const struct crawler *crawler,
                               const struct webpage *page,
                               const struct page_link *link)
{
    return link->link_too && page->depth < crawler->options->max_depth &&
           !page->nofollow &&
           scope_contains(crawler->options->scope, &link->url) &&
           is_wanted(crawler, &link->url);
}

void offer_requisites(struct crawler *crawler, const struct job *job,
                      uint32_t page_id)
{
    const struct webpage *page = &job->page;

    if (crawler->options->requisites)
        seen_add(&crawler->pages_kept, job->target->fingerprint);
    for (size_t i = 0; i < page->requisites.count; i++) {
        const struct page_link *link = &page->requisites.link[i];
        const struct offer offer = {
            .depth = page->depth,
            .referrer_id = page_id,
            .nesting = link->document ? NESTING_FRAME : NESTING_PAGE,
        };
        if (!is_offered_as_page(crawler, page, link))
            offer_one(crawler, link, offer);
    }
    crawler->stats->requisites_beyond += page->requisites.beyond;
}

/* What a frame needs is fetched, but not read for more. */
static void offer_nested(struct crawler *crawler, const struct job *job)
{
    const struct webpage *page = &job->page;
    const struct target *target = job->target;
    const struct offer offer = {
        .depth = page->depth,
        .referrer_id = target->referrer_id,
        .referrer_machine = target->referrer_machine,
        .via = target->number,
        .nesting =
            (uint8_t)(target->nesting == NESTING_FRAME ? NESTING_LAST
                                                       : target->nesting + 1),
    };

    for (size_t i = 0; i < page->requisites.count; i++)
        offer_one(crawler, &page->requisites.link[i], offer);
    crawler->stats->requisites_beyond += page->requisites.beyond;
}

/* The requisite redirects: its new URL replaces it. */
static void follow_requisite(struct crawler *crawler, const struct job *job)
{
    const struct page_link *link = &job->page.links.link[0];
    const struct target *target = job->target;
    const struct offer offer = {
        .url = &link->url,
        .fingerprint = target_fingerprint(TARGET_REQUISITE, link->fingerprint),
        .kind = TARGET_REQUISITE,
        .depth = target->depth,
        .referrer_id = target->referrer_id,
        .referrer_machine = target->referrer_machine,
        .via = target->number,
        .nesting = target->nesting,
    };

    if (!is_kept(crawler, link->fingerprint))
        validator_offer_redirect(&crawler->validator, target, &offer,
                                 crawler->options->max_redirects,
                                 crawler->now_ms);
}

void finish_requisite(struct crawler *crawler, struct job *job,
                      uint64_t pause_ms)
{
    logr_failure(crawler->options->log, &job->page);
    note_fetched(crawler, job, 0, pause_ms);
    if (job->page.outcome == REDIRECTED) {
        follow_requisite(crawler, job);
        return;
    }
    if (job->page.outcome == FETCHED)
        crawler->stats->requisite_bytes += job->page.exchange.body_len;
    offer_nested(crawler, job);
}
