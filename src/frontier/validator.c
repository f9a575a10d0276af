#include "frontier/validator.h"

#include <stdlib.h>

#include "base/mem.h"
#include "web/partition.h"

static void init_part(struct validator_part *part, bool keeps_depths)
{
    seen_init(&part->seen);
    if (keeps_depths)
        seen_keep_depths(&part->seen);
    seen_init(&part->refused);
    hashtable_init(&part->withheld);
}

static void release_part(struct validator_part *part)
{
    seen_release(&part->seen);
    seen_release(&part->refused);
    hashtable_release(&part->withheld);
}

void validator_init(struct validator *validator, const struct scope *scope,
                    uint32_t max_depth, const struct frontier_options *options)
{
    *validator = (struct validator){
        .scope = scope,
        .max_depth = max_depth,
        .frontier = frontier_new(options),
        .parts = options->partitions ? options->partitions : 1,
    };
    validator->part = mem_array(validator->parts, sizeof(*validator->part));
    for (uint32_t i = 0; i < validator->parts; i++)
        init_part(&validator->part[i], false);
    frontier_use_seen(validator->frontier, &validator->part->seen,
                      sizeof(*validator->part));
}

void validator_release(struct validator *validator)
{
    for (uint32_t i = 0; i < validator->parts; i++)
        release_part(&validator->part[i]);
    free(validator->part);
    frontier_free(validator->frontier);
}

void validator_drop_part(struct validator *validator, uint32_t part,
                         uint64_t now_ms)
{
    frontier_drop_part(validator->frontier, part, now_ms);
    release_part(&validator->part[part]);
    init_part(&validator->part[part], validator->keeps_depths);
}

void validator_keep_depths(struct validator *validator)
{
    validator->keeps_depths = true;
    for (uint32_t i = 0; i < validator->parts; i++)
        seen_keep_depths(&validator->part[i].seen);
}

uint64_t validator_lowered(const struct validator *validator)
{
    uint64_t lowered = 0;

    for (uint32_t i = 0; i < validator->parts; i++)
        lowered += validator->part[i].seen.lowered;
    return lowered;
}

static uint32_t part_of(const struct validator *validator,
                        const struct url *url, struct str domain)
{
    return validator->parts == 1
               ? 0
               : frontier_part_of(validator->frontier, url, domain);
}

bool validator_has_seen(const struct validator *validator,
                        const struct url *url, uint64_t fingerprint)
{
    uint32_t part = part_of(validator, url, (struct str){0});

    return seen_has(&validator->part[part].seen, fingerprint);
}

static struct seen *seen_of(const struct validator *validator,
                            const struct offer *offer)
{
    return &validator->part[part_of(validator, offer->url, offer->domain)].seen;
}

uint32_t validator_depth(const struct validator *validator,
                         const struct offer *offer)
{
    return seen_depth(seen_of(validator, offer), offer->fingerprint);
}

void validator_restore_depth(struct validator *validator,
                             const struct offer *offer)
{
    if (validator->keeps_depths)
        seen_set_depth(seen_of(validator, offer), offer->fingerprint,
                       offer->depth);
}

/* The URL was seen before. True if the record must know of this offer: it is on
 * disk and has a smaller depth now; or it left the queue, and its own links are
 * to be offered again. A URL that was tried and waits in memory for another try
 * takes the depth itself. */
static bool found_again(struct validator *validator, struct seen *seen,
                        const struct offer *offer)
{
    return frontier_found_again(validator->frontier, offer) ||
           (offer->kind == TARGET_PAGE &&
            seen_lower_depth(seen, offer->fingerprint, offer->depth) &&
            !frontier_find(validator->frontier, offer->fingerprint));
}

void validator_restore_found(struct validator *validator,
                             const struct offer *offer)
{
    found_again(validator, seen_of(validator, offer), offer);
}

/* Returns the number that the URL has from now on, 0 if nobody listens. */
static uint64_t notify(const struct validator *validator, uint32_t part,
                       const struct offer *offer, const struct queued *queued,
                       enum verdict verdict, unsigned line)
{
    const struct validator_listener *listener = &validator->listener;

    if (!listener->judged)
        return 0;
    const struct judged judged = {
        .number = queued ? queued->number
                         : frontier_next_number(validator->frontier, part),
        .offer = offer,
        .verdict = verdict,
        .queued = queued,
        .line = line,
    };
    listener->judged(listener->user, &judged);
    return judged.number;
}

static void withhold(struct validator_part *part, uint64_t fingerprint,
                     uint64_t number)
{
    if (number && !hashtable_get(&part->withheld, fingerprint))
        // NOLINTNEXTLINE(performance-no-int-to-ptr) ; the table keeps numbers
        hashtable_put(&part->withheld, fingerprint, (void *)number);
}

/* The URL was refused for how a link named it. Now it is judged by itself, so
 * take the refusal back. In a fleet this works only if both are in one
 * partition. */
static void stop_withholding(const struct validator *validator,
                             struct validator_part *part,
                             const struct offer *offer)
{
    const struct validator_listener *listener = &validator->listener;

    if (!part->withheld.count)
        return;
    uint64_t number =
        (uintptr_t)hashtable_take(&part->withheld, offer->fingerprint);
    if (number && listener->withdrawn)
        listener->withdrawn(listener->user, offer->kind, number);
}

void validator_refuse(struct validator *validator, const struct offer *offer,
                      enum verdict verdict)
{
    const struct validator_listener *listener = &validator->listener;
    struct validator_part *part = &validator->part[validator->source_part];
    uint64_t fingerprint = offer->fingerprint;

    if (!listener->judged || (verdict == EXTERNAL && !listener->outside) ||
        seen_has(&part->refused, fingerprint) ||
        seen_has(&part->seen, fingerprint) ||
        hashtable_get(&part->withheld, fingerprint))
        return;
    uint64_t number =
        notify(validator, validator->source_part, offer, NULL, verdict, 0);
    if (verdict_basis(verdict) == BASIS_URL)
        seen_add(&part->refused, fingerprint);
    else
        withhold(part, fingerprint, number);
}

bool validator_restore(struct validator *validator, uint64_t fingerprint,
                       enum verdict verdict, uint64_t number)
{
    struct validator_part *part = &validator->part[partition_of_number(number)];

    switch (verdict_basis(verdict)) {
    case BASIS_PAGE:
        return seen_add(&part->seen, fingerprint);
    case BASIS_URL:
        return seen_add(&part->refused, fingerprint);
    case BASIS_LINK:
        withhold(part, fingerprint, number);
        break;
    }
    return true;
}

static enum verdict filter_verdict(const struct validator *validator,
                                   const struct url *url)
{
    static const enum verdict verdicts[] = {
        [FILTER_INCLUDED] = ACCEPT,
        [FILTER_EXCLUDED] = EXCLUDED,
        [FILTER_UNDECIDED] = RULE_LIMIT,
    };

    if (!validator->filter)
        return ACCEPT;
    return verdicts[filter_judge(validator->filter, url->href).verdict];
}

enum verdict validator_precheck(const struct validator *validator,
                                const struct url *url, unsigned *line)
{
    if (!scope_contains(validator->scope, url))
        return EXTERNAL;
    enum verdict verdict = filter_verdict(validator, url);
    if (verdict != ACCEPT)
        return verdict;
    return frontier_precheck(validator->frontier, TARGET_PAGE, url, line);
}

/* Another machine owns its partition: send it there, after so many redirects.
 */
static bool send_away(struct validator *validator, uint32_t part,
                      const struct offer *offer, uint8_t redirects)
{
    const struct validator_post *post = &validator->post;

    if (!post->owns || post->owns(post->user, part))
        return false;
    struct offer sent = *offer;
    sent.redirects = redirects;
    post->send(post->user, part, &sent);
    return true;
}

static enum verdict judge(struct validator *validator,
                          const struct offer *offer, uint8_t redirects)
{
    unsigned line = 0;

    /* A sitemap is no page: the URLs that it lists must be in scope, it need
     * not be. A requisite belongs to a page that is in scope. */
    if (offer->kind == TARGET_PAGE &&
        !scope_contains(validator->scope, offer->url)) {
        validator_refuse(validator, offer, EXTERNAL);
        return EXTERNAL;
    }
    if (offer->depth > validator->max_depth) {
        validator_refuse(validator, offer, TOO_DEEP);
        return TOO_DEEP;
    }
    uint32_t part = part_of(validator, offer->url, offer->domain);
    if (send_away(validator, part, offer, redirects))
        return ELSEWHERE;
    if (offer->found)
        frontier_count_found(validator->frontier, offer->url, offer->found);
    if (!seen_add(&validator->part[part].seen, offer->fingerprint)) {
        if (found_again(validator, &validator->part[part].seen, offer))
            notify(validator, part, offer, NULL, DUPLICATE, 0);
        return DUPLICATE;
    }
    stop_withholding(validator, &validator->part[part], offer);
    enum verdict verdict = ACCEPT;
    if (offer->kind == TARGET_PAGE && !offer->is_named)
        verdict = filter_verdict(validator, offer->url);
    if (verdict == ACCEPT)
        verdict = frontier_precheck(validator->frontier, offer->kind,
                                    offer->url, &line);
    if (verdict != ACCEPT)
        notify(validator, part, offer, NULL, verdict, line);
    return verdict;
}

static void queue(struct validator *validator, const struct offer *offer,
                  uint64_t now_ms)
{
    struct queued queued = frontier_put(validator->frontier, offer, now_ms);

    notify(validator, 0, offer, &queued, ACCEPT, 0);
}

enum verdict validator_offer(struct validator *validator,
                             const struct offer *offer, uint64_t now_ms)
{
    enum verdict verdict = judge(validator, offer, offer->redirects);

    if (verdict == ACCEPT)
        queue(validator, offer, now_ms);
    return verdict;
}

void validator_offer_again(struct validator *validator,
                           const struct offer *offer, uint64_t now_ms)
{
    queue(validator, offer, now_ms);
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

    struct offer hop = *offer;
    hop.redirects = (uint8_t)(from->redirects + 1);
    enum verdict verdict = judge(validator, offer, hop.redirects);
    if (verdict == DUPLICATE && is_respelled(from, offer))
        verdict = ACCEPT;
    if (verdict == ACCEPT)
        queue(validator, &hop, now_ms);
    return verdict;
}
