#include <stdlib.h>

#include "base/mem.h"
#include "frontier/parts.h"

/* Leases of addresses. In a fleet hosts of several machines may share an
 * address; its pause holds over all of them because one machine at a time may
 * ask it. Which one, the engine says: with each commit a machine asks for
 * addresses and gives some up, and the answer tells which it has. One that is
 * not held is like one that rests for ever. */

/* One that was given up because another machine wanted it is asked for again
 * after this part of `ip_hold_ms`: the other shall be the next to have it. */
enum { ASK_AGAIN_PART = 4 };

void address_leases_init(struct address_leases *leases)
{
    TAILQ_INIT(&leases->listed);
}

void address_leases_release(struct address_leases *leases)
{
    free(leases->unused);
}

static bool has_leases(const struct politeness *politeness)
{
    return politeness->options->ip_hold_ms > 0;
}

bool address_is_ours(const struct politeness *politeness,
                     const struct address *address)
{
    return !has_leases(politeness) ||
           (address->lease.is_held && !address->lease.is_closing);
}

/* Nothing is in flight there, and nothing more will be: it is closing, or
 * nobody waits for it. Its pause is over, too: whoever is the next to have it
 * may ask it at once. */
static bool can_be_given_up(const struct address *address, uint64_t now_ms)
{
    return address->lease.is_held && address->lease.is_wanted &&
           !address->in_flight && address->next_ms <= now_ms &&
           (address->lease.is_closing || !address->queue.count);
}

static void list(struct address_leases *leases, struct address *address,
                 bool belongs)
{
    if (belongs == address->lease.is_listed)
        return;
    address->lease.is_listed = belongs;
    if (belongs) {
        TAILQ_INSERT_TAIL(&leases->listed, address, lease.link);
        leases->listed_count++;
    } else {
        TAILQ_REMOVE(&leases->listed, address, lease.link);
        leases->listed_count--;
    }
}

void address_lease_note(struct politeness *politeness, struct address *address)
{
    const struct address_lease *lease = &address->lease;

    if (!has_leases(politeness))
        return;
    bool is_needed = !lease->is_held && address->queue.count;
    list(&politeness->leases, address,
         is_needed || (lease->is_held && lease->is_wanted));
    if ((is_needed && !lease->was_asked_for) ||
        can_be_given_up(address, politeness->now_ms))
        politeness->leases.has_news = true;
}

const struct host *address_lease_first_host(const struct politeness *politeness)
{
    const struct address *address = TAILQ_FIRST(&politeness->leases.listed);

    while (address && address->lease.is_held)
        address = TAILQ_NEXT(address, lease.link);
    return address ? address_first(address) : NULL;
}

static void give_back(struct address_leases *leases, const struct ip *ip,
                      uint64_t from_ms)
{
    if (leases->unused_count == leases->unused_room) {
        leases->unused_room =
            leases->unused_room ? 2 * leases->unused_room : 16;
        leases->unused = mem_resize(
            leases->unused, leases->unused_room * sizeof(*leases->unused));
    }
    leases->unused[leases->unused_count++] =
        (struct unused_address){*ip, from_ms};
}

void address_lease_forget(struct politeness *politeness,
                          struct address *address)
{
    list(&politeness->leases, address, false);
    if (address->lease.is_held)
        give_back(&politeness->leases, &address->ip, 0);
}

/* --- with a commit ---------------------------------------------------------
 */

bool frontier_has_address_news(const struct frontier *frontier)
{
    return frontier->politeness.leases.has_news;
}

/* An address that is known again, and held, is kept. */
static size_t give_back_unused(struct politeness *politeness, uint64_t now_ms,
                               struct ip *ip, size_t max)
{
    struct address_leases *leases = &politeness->leases;
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < leases->unused_count; i++) {
        const struct unused_address *unused = &leases->unused[i];
        const struct address *address = address_known(politeness, &unused->ip);
        if (address && address->lease.is_held)
            continue;
        if (count < max && unused->from_ms <= now_ms)
            ip[count++] = unused->ip;
        else
            leases->unused[kept++] = *unused;
    }
    leases->unused_count = kept;
    return count;
}

static void give_up(struct politeness *politeness, struct address *address,
                    uint64_t now_ms)
{
    struct address_lease *lease = &address->lease;

    lease->is_held = lease->is_wanted = lease->is_closing = false;
    lease->was_asked_for = true;
    lease->ask_for_ms =
        now_ms + politeness->options->ip_hold_ms / ASK_AGAIN_PART;
    politeness_place_address(politeness, address);
}

size_t frontier_give_up_addresses(struct frontier *frontier, uint64_t now_ms,
                                  struct ip *ip, size_t max)
{
    struct politeness *politeness = &frontier->politeness;
    struct address *address, *next;
    size_t count = give_back_unused(politeness, now_ms, ip, max);

    politeness->leases.has_news = false;
    for (address = TAILQ_FIRST(&politeness->leases.listed); address;
         address = next) {
        struct address_lease *lease = &address->lease;
        next = TAILQ_NEXT(address, lease.link);
        if (!lease->is_held)
            continue;
        if (now_ms >= lease->wanted_ms + politeness->options->ip_hold_ms) {
            lease->is_closing = true;
            politeness_place_address(politeness, address);
        }
        if (!can_be_given_up(address, now_ms) || count == max)
            continue;
        ip[count++] = address->ip;
        give_up(politeness, address, now_ms);
    }
    return count;
}

/* In turns, if they are more than `max`. */
size_t frontier_wanted_addresses(struct frontier *frontier, uint64_t now_ms,
                                 struct ip *ip, size_t max)
{
    struct address_leases *leases = &frontier->politeness.leases;
    size_t count = 0;

    for (size_t left = leases->listed_count; left && count < max; left--) {
        struct address *address = TAILQ_FIRST(&leases->listed);
        TAILQ_REMOVE(&leases->listed, address, lease.link);
        TAILQ_INSERT_TAIL(&leases->listed, address, lease.link);
        if (address->lease.is_held || now_ms < address->lease.ask_for_ms)
            continue;
        address->lease.was_asked_for = true;
        ip[count++] = address->ip;
    }
    return count;
}

/* --- its answer -------------------------------------------------------------
 */

void frontier_address_granted(struct frontier *frontier, const struct ip *ip,
                              bool rests, uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct address *address = address_known(politeness, ip);
    /* The clock is cut to milliseconds. */
    uint64_t from_ms =
        rests ? now_ms + 1 + politeness->options->ip_delay_ms : 0;

    politeness->now_ms = now_ms;
    if (!address) {
        give_back(&politeness->leases, ip, from_ms);
        return;
    }
    if (address->lease.is_held)
        return;
    address->lease = (struct address_lease){
        .link = address->lease.link,
        .is_listed = address->lease.is_listed,
        .is_held = true,
        .was_asked_for = true,
    };
    if (rests)
        politeness_rest_address(politeness, address, from_ms);
    politeness_place_address(politeness, address);
}

void frontier_address_wanted(struct frontier *frontier, const struct ip *ip,
                             uint64_t now_ms)
{
    struct politeness *politeness = &frontier->politeness;
    struct address *address = address_known(politeness, ip);

    politeness->now_ms = now_ms;
    if (!address || !address->lease.is_held || address->lease.is_wanted)
        return;
    address->lease.is_wanted = true;
    address->lease.wanted_ms = now_ms;
    politeness_place_address(politeness, address);
}
