#include "frontier/by_hand.h"

#include <stdlib.h>

#include "base/mem.h"
#include "frontier/parts.h"
#include "web/filter.h"

void by_hand_init(struct by_hand *hand)
{
    *hand = (struct by_hand){.pattern = NULL};
    hashtable_init(&hand->hosts);
}

void by_hand_release(struct by_hand *hand)
{
    void *item;

    for (size_t at = 0; (item = hashtable_next(&hand->hosts, &at));)
        free(item);
    hashtable_release(&hand->hosts);
    for (size_t i = 0; i < hand->pattern_count; i++)
        free((void *)hand->pattern[i].text.ptr);
    free(hand->pattern);
}

const struct hand_host *by_hand_host(const struct by_hand *hand, uint64_t key)
{
    return hand->hosts.count ? hashtable_get(&hand->hosts, key) : NULL;
}

bool by_hand_refuses(const struct by_hand *hand, struct str url)
{
    for (size_t i = hand->pattern_count; i; i--)
        if (glob_matches(hand->pattern[i - 1].text, url))
            return !hand->pattern[i - 1].allows;
    return false;
}

/* --- hosts ------------------------------------------------------------------
 */

/* The order for the host, made if need be; NULL: there are too many. */
static struct hand_host *order_for(struct politeness *politeness,
                                   const struct url *url)
{
    struct by_hand *hand = &politeness->by_hand;
    uint64_t key = host_key(politeness, url);
    struct hand_host *order = hashtable_get(&hand->hosts, key);

    if (order || hand->hosts.count >= BY_HAND_MAX)
        return order;
    order = NEW(struct hand_host);
    order->delay_ms = BY_HAND_NO_DELAY;
    hashtable_put(&hand->hosts, key, order);
    return order;
}

/* Its pause ends no later than a whole one from now. */
static void shorten_pause(struct frontier *frontier, struct host *host)
{
    uint64_t until_ms =
        frontier->politeness.now_ms + host_delay_ms(frontier, host);

    if (host->next_ms > until_ms)
        host->next_ms = until_ms;
}

bool frontier_set_delay(struct frontier *frontier, const struct url *url,
                        uint64_t delay_ms, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct hand_host *order = order_for(politeness, url);
    struct host *host = host_known(politeness, url);

    if (!order)
        return false;
    order->delay_ms = delay_ms;
    politeness->now_ms = now_ms;
    if (!host)
        return true;
    host->hand_delay_ms = delay_ms;
    if (!host->backing_off)
        shorten_pause(frontier, host);
    politeness_place(politeness, host);
    return true;
}

bool frontier_set_dropped(struct frontier *frontier, const struct url *url,
                          bool dropped, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct hand_host *order = order_for(politeness, url);
    struct host *host = host_known(politeness, url);

    if (!order)
        return false;
    order->dropped = dropped;
    politeness->now_ms = now_ms;
    if (!host || host->dropped == dropped)
        return true;
    host->dropped = dropped;
    if (dropped)
        queue_hasten_retries(&frontier->queue, host);
    politeness_place(politeness, host);
    return true;
}

/* NULL: the host is not known, and has no trouble. */
static struct host *forget_trouble(struct frontier *frontier,
                                   const struct url *url, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct host *host = host_known(politeness, url);

    politeness->now_ms = now_ms;
    if (!host)
        return NULL;
    trouble_restore(politeness, host, &(struct host_state){0});
    changes_add_host(&frontier->changes, host);
    return host;
}

void frontier_revive_host(struct frontier *frontier, const struct url *url,
                          uint64_t now_ms)
{
    struct host *host = forget_trouble(frontier, url, now_ms);

    if (host)
        politeness_place(&frontier->politeness, host);
}

void frontier_forget_trouble(struct frontier *frontier, const struct url *url,
                             uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct host *host = forget_trouble(frontier, url, now_ms);

    if (!host)
        return;
    if (host->backing_off)
        shorten_pause(frontier, host);
    host->backing_off = false;
    queue_hasten_retries(&frontier->queue, host);
    politeness_place(politeness, host);
}

/* --- patterns ---------------------------------------------------------------
 */

/* Remove the pattern if it is there. Did it say the opposite? */
static bool take_back(struct by_hand *hand, struct str pattern, bool allows)
{
    for (size_t i = 0; i < hand->pattern_count; i++) {
        struct hand_pattern old = hand->pattern[i];
        if (!str_eq(old.text, pattern))
            continue;
        free((void *)old.text.ptr);
        memmove(&hand->pattern[i], &hand->pattern[i + 1],
                (--hand->pattern_count - i) * sizeof(hand->pattern[0]));
        return old.allows != allows;
    }
    return false;
}

bool frontier_add_pattern(struct frontier *frontier, struct str pattern,
                          bool allows)
{
    struct by_hand *hand = &frontier->politeness.by_hand;

    if (take_back(hand, pattern, allows))
        return true;
    if (hand->pattern_count >= BY_HAND_MAX)
        return false;
    char *text = mem_new(pattern.len + 1);
    memcpy(text, pattern.ptr, pattern.len);
    hand->pattern = mem_grow(hand->pattern, hand->pattern_count,
                             &hand->pattern_room, sizeof(hand->pattern[0]));
    hand->pattern[hand->pattern_count++] =
        (struct hand_pattern){allows, {text, pattern.len}};
    return true;
}
