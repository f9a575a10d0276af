#include "frontier/validator.h"

void validator_init(struct validator *validator, const struct scope *scope,
                    uint32_t max_depth, const struct frontier_options *options)
{
    *validator = (struct validator){
        .scope = scope,
        .max_depth = max_depth,
        .frontier = frontier_new(options),
    };
    seen_init(&validator->seen);
}

void validator_release(struct validator *validator)
{
    seen_release(&validator->seen);
    frontier_free(validator->frontier);
}

static enum verdict judge(struct validator *validator,
                          const struct offer *offer)
{
    unsigned line;

    /* A sitemap is no page: what it lists has to be in scope, not itself. */
    if (offer->kind == TARGET_PAGE &&
        !scope_contains(validator->scope, offer->url))
        return EXTERNAL;
    if (offer->depth > validator->max_depth)
        return TOO_DEEP;
    if (offer->found)
        frontier_count_found(validator->frontier, offer->url);
    if (!seen_add(&validator->seen, offer->fingerprint)) {
        frontier_found_again(validator->frontier, offer);
        return DUPLICATE;
    }
    return frontier_foresee(validator->frontier, offer->url, &line);
}

enum verdict validator_offer(struct validator *validator,
                             const struct offer *offer, uint64_t now_ms)
{
    enum verdict verdict = judge(validator, offer);

    if (verdict == ACCEPT)
        frontier_put(validator->frontier, offer, now_ms);
    return verdict;
}

/* The same page by another spelling of its URL. */
static bool is_respelled(const struct target *from, const struct offer *offer)
{
    return offer->fingerprint == from->fingerprint &&
           !str_eq(offer->url->href, target_url(from));
}

enum verdict validator_offer_redirect(struct validator *validator,
                                      const struct target *from,
                                      const struct offer *offer,
                                      uint32_t max_hops, uint64_t now_ms)
{
    if (from->redirects >= max_hops)
        return TOO_MANY_REDIRECTS;

    enum verdict verdict = judge(validator, offer);
    if (verdict == DUPLICATE && is_respelled(from, offer))
        verdict = ACCEPT;
    if (verdict == ACCEPT)
        frontier_put(validator->frontier, offer, now_ms)->redirects =
            (uint8_t)(from->redirects + 1);
    return verdict;
}
