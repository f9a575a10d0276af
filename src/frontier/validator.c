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

static struct target *put(struct validator *validator,
                          const struct offer *offer, uint64_t now_ms)
{
    return frontier_put(validator->frontier, offer->url, offer->fingerprint,
                        offer->depth, offer->referrer_id, now_ms);
}

static enum verdict judge(struct validator *validator,
                          const struct offer *offer)
{
    if (!scope_contains(validator->scope, offer->url))
        return EXTERNAL;
    if (offer->depth > validator->max_depth)
        return TOO_DEEP;
    if (!seen_add(&validator->seen, offer->fingerprint)) {
        frontier_found_again(validator->frontier, offer->fingerprint,
                             offer->depth, offer->referrer_id);
        return DUPLICATE;
    }
    return ACCEPT;
}

enum verdict validator_offer(struct validator *validator,
                             const struct offer *offer, uint64_t now_ms)
{
    enum verdict verdict = judge(validator, offer);

    if (verdict == ACCEPT)
        put(validator, offer, now_ms);
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
        put(validator, offer, now_ms)->redirects =
            (uint8_t)(from->redirects + 1);
    return verdict;
}
