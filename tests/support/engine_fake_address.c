#include <string.h>

#include "support/engine_fake.h"

/* Leases of addresses in the engine in memory. */

static bool is_among(const struct str *list, size_t count, struct str ip)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i], ip))
            return true;
    return false;
}

void fake_read_addresses(const struct fake *fake,
                         const struct fleet_commit *commit,
                         struct fleet_snapshot *snapshot, struct arena *arena)
{
    const struct fake_state *state = &fake->now;
    struct fleet_address *list =
        arena_new(arena, FAKE_ADDRESSES_MAX * sizeof(*list));

    for (size_t i = 0; i < state->addresses; i++) {
        const struct fake_address *at = &state->address[i];
        const struct str ip = {at->ip, sizeof(at->ip)};
        bool is_asked_for = is_among(commit->want, commit->wants, ip);
        bool is_ours =
            at->node == commit->node && at->incarnation == commit->incarnation;

        if ((is_ours && (at->wanted || is_asked_for)) ||
            (is_asked_for && fake->grants_all))
            list[snapshot->addresses++] = (struct fleet_address){
                .ip = arena_copy(arena, ip),
                .wanted = at->wanted,
                .rests = at->rests && !fake->forgets_rest,
            };
    }
    snapshot->address = list;
}

static struct fake_address *find_address(struct fake_state *state,
                                         struct str ip)
{
    for (size_t i = 0; i < state->addresses; i++)
        if (str_eq((struct str){state->address[i].ip,
                                sizeof(state->address[i].ip)},
                   ip))
            return &state->address[i];
    return NULL;
}

static void want_address(struct fake *fake, const struct fleet_commit *commit,
                         struct str ip)
{
    struct fake_state *state = &fake->now;
    struct fake_address *address = find_address(state, ip);
    bool is_new = !address;

    if (is_new) {
        address = &state->address[state->addresses++];
        *address = (struct fake_address){0};
        memcpy(address->ip, ip.ptr, sizeof(address->ip));
    }
    const struct fleet_node *holder =
        is_new ? NULL : fake_find_node(state, address->node);
    if (address->node == commit->node &&
        address->incarnation == commit->incarnation)
        return;
    if (holder && holder->state == FLEET_ALIVE &&
        holder->incarnation == address->incarnation) {
        address->wanted = true;
        return;
    }
    address->node = commit->node;
    address->incarnation = commit->incarnation;
    address->wanted = false;
    address->rests = !is_new;
    fake->taken_over += !is_new;
}

void fake_apply_addresses(struct fake *fake, const struct fleet_commit *commit)
{
    struct fake_state *state = &fake->now;

    for (size_t i = 0; i < commit->wants; i++)
        want_address(fake, commit, commit->want[i]);
    for (size_t i = 0; i < commit->releases; i++) {
        struct fake_address *address = find_address(state, commit->release[i]);
        if (!address || address->node != commit->node ||
            address->incarnation != commit->incarnation)
            continue;
        fake->handed_over += address->wanted;
        *address = state->address[--state->addresses];
    }
}
