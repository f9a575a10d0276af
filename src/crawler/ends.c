#include "crawler/internal.h"

/* A URL that is refused for the link where it was found is refused only as long
 * as no other link makes it more. */
static void count_link_refused(struct crawler *crawler,
                               const struct offer *offer)
{
    if (!seen_has(&crawler->validator.seen, offer->fingerprint))
        crawler->stats->refused++;
}

/* Now it is judged for what it is. */
static void forget_link_refused(struct crawler *crawler,
                                const struct offer *offer)
{
    if (!crawler->respelled && crawler->stats->refused &&
        seen_has(&crawler->validator.refused, offer->fingerprint))
        crawler->stats->refused--;
}

/* Only of seeds and of what sitemaps list: a link in a page is refused because
 * there was a page, and that page has a reason of its own. */
static void note_seed(struct crawler *crawler, const struct offer *offer,
                      enum verdict verdict, enum outcome cause, unsigned line)
{
    if (verdict != ACCEPT && !offer->found && !offer->via)
        reasons_add_verdict(reasons_of(crawler), offer->url->href, verdict,
                            cause, line);
}

/* What its host was given up for, where that is the verdict. */
static enum outcome cause_of(const struct crawler *crawler,
                             const struct offer *offer, enum verdict verdict)
{
    if (!verdict_is_failure(verdict))
        return FETCHED;
    return (enum outcome)frontier_cause(crawler->validator.frontier,
                                        offer->url);
}

void count_judged(struct crawler *crawler, const struct offer *offer,
                  enum verdict verdict, unsigned line)
{
    enum outcome cause = cause_of(crawler, offer, verdict);

    if (verdict == DUPLICATE)
        return;
    note_seed(crawler, offer, verdict, cause, line);
    if (offer->kind != TARGET_PAGE)
        return;
    if (verdict_is_of_link(verdict)) {
        count_link_refused(crawler, offer);
        return;
    }
    forget_link_refused(crawler, offer);
    if (verdict_is_failure(verdict))
        stats_add_failure(crawler->stats, cause);
    else if (verdict != ACCEPT)
        crawler->stats->refused++;
}

void count_refused(struct crawler *crawler, const struct target *target)
{
    enum verdict verdict = (enum verdict)target->verdict;

    reasons_add_verdict(reasons_of(crawler), target_url(target), verdict,
                        (enum outcome)target->cause, target->robots_line);
    if (target->kind != TARGET_PAGE)
        return;
    if (verdict_is_failure(verdict))
        stats_add_failure(crawler->stats, (enum outcome)target->cause);
    else
        stats_add_late_refusal(crawler->stats, verdict);
}
