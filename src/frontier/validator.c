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
    seen_init(&validator->refused);
    hashtable_init(&validator->withheld);
    frontier_use_seen(validator->frontier, &validator->seen);
}

void validator_release(struct validator *validator)
{
    seen_release(&validator->seen);
    seen_release(&validator->refused);
    hashtable_release(&validator->withheld);
    frontier_free(validator->frontier);
}

/* Returns the number that the URL has from now on, 0 if nobody listens. */
static uint64_t notify(const struct validator *validator,
                       const struct offer *offer, const struct queued *queued,
                       enum verdict verdict, unsigned line)
{
    const struct validator_listener *listener = &validator->listener;

    if (!listener->judged)
        return 0;
    const struct judged judged = {
        .number =
            queued ? queued->number : frontier_next_number(validator->frontier),
        .offer = offer,
        .verdict = verdict,
        .queued = queued,
        .line = line,
    };
    listener->judged(listener->user, &judged);
    return judged.number;
}

static void withhold(struct validator *validator, uint64_t fingerprint,
                     uint64_t number)
{
    if (number && !hashtable_get(&validator->withheld, fingerprint))
        // NOLINTNEXTLINE(performance-no-int-to-ptr) ; the table keeps numbers
        hashtable_put(&validator->withheld, fingerprint, (void *)number);
}

/* The URL was refused for how it was found; now it is judged by itself. */
static void stop_withholding(struct validator *validator,
                             const struct offer *offer)
{
    const struct validator_listener *listener = &validator->listener;

    if (!validator->withheld.count)
        return;
    uint64_t number =
        (uintptr_t)hashtable_take(&validator->withheld, offer->fingerprint);
    if (number && listener->withdrawn)
        listener->withdrawn(listener->user, offer->kind, number);
}

void validator_refuse(struct validator *validator, const struct offer *offer,
                      enum verdict verdict)
{
    const struct validator_listener *listener = &validator->listener;
    uint64_t fingerprint = offer->fingerprint;

    if (!listener->judged || (verdict == EXTERNAL && !listener->outside) ||
        seen_has(&validator->refused, fingerprint) ||
        seen_has(&validator->seen, fingerprint) ||
        hashtable_get(&validator->withheld, fingerprint))
        return;
    uint64_t number = notify(validator, offer, NULL, verdict, 0);
    if (verdict_basis(verdict) == BASIS_URL)
        seen_add(&validator->refused, fingerprint);
    else
        withhold(validator, fingerprint, number);
}

bool validator_restore(struct validator *validator, uint64_t fingerprint,
                       enum verdict verdict, uint64_t number)
{
    switch (verdict_basis(verdict)) {
    case BASIS_PAGE:
        return seen_add(&validator->seen, fingerprint);
    case BASIS_URL:
        return seen_add(&validator->refused, fingerprint);
    case BASIS_LINK:
        withhold(validator, fingerprint, number);
        break;
    }
    return true;
}

enum verdict validator_precheck(const struct validator *validator,
                                const struct url *url, unsigned *line)
{
    if (!scope_contains(validator->scope, url))
        return EXTERNAL;
    return frontier_precheck(validator->frontier, TARGET_PAGE, url, line);
}

static enum verdict judge(struct validator *validator,
                          const struct offer *offer)
{
    unsigned line = 0;

    /* A sitemap is no page: what it lists has to be in scope, not itself. A
     * requisite belongs to a page that is in scope. */
    if (offer->kind == TARGET_PAGE &&
        !scope_contains(validator->scope, offer->url)) {
        validator_refuse(validator, offer, EXTERNAL);
        return EXTERNAL;
    }
    if (offer->depth > validator->max_depth) {
        validator_refuse(validator, offer, TOO_DEEP);
        return TOO_DEEP;
    }
    if (offer->found)
        frontier_count_found(validator->frontier, offer->url);
    if (!seen_add(&validator->seen, offer->fingerprint)) {
        if (frontier_found_again(validator->frontier, offer))
            notify(validator, offer, NULL, DUPLICATE, 0);
        return DUPLICATE;
    }
    stop_withholding(validator, offer);
    enum verdict verdict =
        frontier_precheck(validator->frontier, offer->kind, offer->url, &line);
    if (verdict != ACCEPT)
        notify(validator, offer, NULL, verdict, line);
    return verdict;
}

static void queue(struct validator *validator, const struct offer *offer,
                  uint64_t now_ms)
{
    struct queued queued = frontier_put(validator->frontier, offer, now_ms);

    notify(validator, offer, &queued, ACCEPT, 0);
}

enum verdict validator_offer(struct validator *validator,
                             const struct offer *offer, uint64_t now_ms)
{
    enum verdict verdict = judge(validator, offer);

    if (verdict == ACCEPT)
        queue(validator, offer, now_ms);
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
    if (from->redirects >= max_hops) {
        validator_refuse(validator, offer, TOO_MANY_REDIRECTS);
        return TOO_MANY_REDIRECTS;
    }

    enum verdict verdict = judge(validator, offer);
    if (verdict == DUPLICATE && is_respelled(from, offer))
        verdict = ACCEPT;
    if (verdict == ACCEPT) {
        struct offer hop = *offer;
        hop.redirects = (uint8_t)(from->redirects + 1);
        queue(validator, &hop, now_ms);
    }
    return verdict;
}
