#include <string.h>

#include "support/fleet_sim.h"

/* A machine whose hosts share addresses with those of others. */

struct target *machine_take(struct machine *machine)
{
    struct frontier *frontier = machine->validator.frontier;
    uint64_t now_ms = machine->sim->now_ms;
    struct target *target;

    while ((target = frontier_take(frontier, now_ms)) &&
           target->kind == TARGET_RESOLVE) {
        uint32_t page = fleet_web_page(target_url(target));
        uint32_t address =
            fleet_web_address(fleet_web_domain(page), fleet_web_host(page));
        frontier_resolved(frontier, target,
                          &(struct ip){{(uint8_t)(address + 1)}}, now_ms);
    }
    return target;
}

static struct str *as_texts(struct machine *machine, const struct ip *ip,
                            size_t count)
{
    struct arena *arena = &machine->pending.arena;
    struct str *text = arena_new(arena, SIM_ADDRESSES * sizeof(*text));

    for (size_t i = 0; i < count; i++)
        text[i] = arena_copy(
            arena, (struct str){(const char *)ip[i].byte, sizeof(ip->byte)});
    return text;
}

void machine_add_addresses(struct machine *machine, struct member_state *state)
{
    struct frontier *frontier = machine->validator.frontier;
    uint64_t now_ms = machine->sim->now_ms;
    struct ip ip[SIM_ADDRESSES];

    state->releases =
        frontier_give_up_addresses(frontier, now_ms, ip, SIM_ADDRESSES);
    state->release = as_texts(machine, ip, state->releases);
    state->wants =
        frontier_wanted_addresses(frontier, now_ms, ip, SIM_ADDRESSES);
    state->want = as_texts(machine, ip, state->wants);
}

void machine_take_addresses(struct machine *machine,
                            const struct fleet_snapshot *snapshot)
{
    struct frontier *frontier = machine->validator.frontier;

    for (size_t i = 0; i < snapshot->addresses; i++) {
        const struct fleet_address *address = &snapshot->address[i];
        struct ip ip;
        memcpy(ip.byte, address->ip.ptr, sizeof(ip.byte));
        frontier_address_granted(frontier, &ip, address->rests,
                                 machine->sim->now_ms);
        if (address->wanted)
            frontier_address_wanted(frontier, &ip, machine->sim->now_ms);
    }
}
