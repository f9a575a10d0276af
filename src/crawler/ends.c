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

void count_judged(struct crawler *crawler, const struct offer *offer,
                  enum verdict verdict)
{
    if (offer->kind != TARGET_PAGE || verdict == DUPLICATE)
        return;
    if (verdict_is_of_link(verdict)) {
        count_link_refused(crawler, offer);
        return;
    }
    forget_link_refused(crawler, offer);
    if (verdict_is_failure(verdict))
        stats_add_failure(crawler->stats,
                          (enum outcome)frontier_cause(
                              crawler->validator.frontier, offer->url));
    else if (verdict != ACCEPT)
        crawler->stats->refused++;
}

void count_refused(struct crawler *crawler, const struct target *target)
{
    enum verdict verdict = (enum verdict)target->verdict;

    if (target->kind != TARGET_PAGE)
        return;
    if (verdict_is_failure(verdict))
        stats_add_failure(crawler->stats, (enum outcome)target->cause);
    else
        stats_add_late_refusal(crawler->stats, verdict);
}
