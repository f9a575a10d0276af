#include <stdio.h>
#include <string.h>

#include "support/fleet_sim.h"
#include "web/partition.h"

enum { FAULTS_END_MS = 12000, END_MS = 200000, FAULT_EVERY = 20 };

/* --- faults -----------------------------------------------------------------
 */

static void stop_process(struct sim *sim, struct machine *machine)
{
    if (random_below(&sim->random, 2)) {
        /* What was sent may still arrive. */
        if (machine->has_joined && random_below(&sim->random, 2)) {
            machine->pending.effect_ms = sim->now_ms;
            machine->stopped_until_ms = sim->now_ms + 1;
            machine_tick(machine);
        }
        machine_kill(machine);
        machine->start_ms = sim->now_ms + random_below(&sim->random, 6000);
    } else {
        machine->stopped_until_ms =
            sim->now_ms + 300 + random_below(&sim->random, 6000);
    }
}

static void set_back(struct sim *sim)
{
    if (sim->now_ms < sim->saved_ms + 1500)
        return;
    if (sim->saved_ms && !random_below(&sim->random, 3)) {
        fake_set_back(&sim->fake);
        sim->was_set_back = true;
    }
    fake_save(&sim->fake);
    sim->saved_ms = sim->now_ms;
}

/* Mostly for longer than a lease. */
static void throw_outage(struct sim *sim)
{
    if (sim->now_ms < sim->away_until_ms + 2000 ||
        sim->now_ms > FAULTS_END_MS || random_below(&sim->random, 100))
        return;
    sim->away_until_ms =
        sim->now_ms + SIM_LEASE_MS / 2 + random_below(&sim->random, 6000);
    sim->outages++;
}

static void cut_links(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MACHINES; i++)
        sim->machine[i].link.is_cut = sim->cut_until_ms[i] > sim->now_ms ||
                                      sim->away_until_ms > sim->now_ms;
}

static void throw_faults(struct sim *sim, bool can_set_back)
{
    struct machine *machine =
        &sim->machine[random_below(&sim->random, SIM_MACHINES)];
    uint32_t i = machine->index;

    if (sim->now_ms > FAULTS_END_MS)
        return;
    if (can_set_back)
        set_back(sim);
    if (random_below(&sim->random, FAULT_EVERY) || machine->ended)
        return;
    sim->faults++;
    switch (random_below(&sim->random, 5)) {
    case 0:
    case 1:
        if (machine->is_running)
            stop_process(sim, machine);
        break;
    case 2:
    case 3:
        sim->cut_until_ms[i] =
            sim->now_ms + 200 + random_below(&sim->random, 6000);
        break;
    default:
        if (machine->has_joined)
            member_leave(&machine->member);
        break;
    }
}

/* --- a run -------------------------------------------------------------------
 */

static void begin_crawl(struct sim *sim)
{
    struct fleet_engine *engine = &sim->machine[0].link.engine;
    struct fleet_error error;
    struct fleet_crawl crawl;
    struct arena arena;
    struct buf payload;
    char name[32];
    bool begun;

    arena_init(&arena);
    buf_init(&payload, 1000);
    mail_write(&payload, &(struct mail_entry){.url = fleet_web_url(0, &arena)});
    int len = snprintf(name, sizeof(name), "d%u.example", fleet_web_domain(0));
    const struct fleet_mail seed = {
        .key = {partition_of((struct str){name, (size_t)len}, 1, SIM_PARTS),
                FLEET_SEEDS, 1},
        .payload = buf_str(&payload),
    };
    const struct fleet_begin begin = {
        .crawl = {.partitions = SIM_PARTS, .seed = 1, .pages_max = UINT64_MAX},
        .seed = &seed,
        .seeds = 1,
    };
    engine->type->begin(engine, &begin, &crawl, &begun, &arena, &error);
    buf_release(&payload);
    arena_release(&arena);
}

static void init(struct sim *sim, const struct sim_options *options)
{
    struct arena arena;
    struct url seed;

    *sim = (struct sim){
        .random = {.state = options->seed * UINT64_C(0x9e3779b97f4a7c15) + 1},
        .ranking = options->ranking,
        .mutant = options->mutant,
        .has_addresses = options->addresses,
        .now_ms = 1000,
        .domains = domains_new(),
    };
    sim->scope = scope_new(sim->domains);
    arena_init(&arena);
    if (url_parse(&seed, &arena, STR("http://a.example/"), NULL, NULL))
        sim_fail(sim, "not a URL");
    scope_add_seed(sim->scope, SCOPE_ANY, &seed);
    arena_release(&arena);
    fake_init(&sim->fake);
    sim->fake.has_no_fence = options->mutant == SIM_NO_FENCE;
    sim->fake.grants_all = options->mutant == SIM_NO_HOLDER;
    sim->fake.forgets_rest = options->mutant == SIM_NO_REST;
    sim->fake.counts_again = options->mutant == SIM_NO_LOOK;
    fleet_web_depths(sim->depth);
    for (uint32_t i = 0; i < SIM_MACHINES; i++) {
        struct machine *machine = &sim->machine[i];
        machine->sim = sim;
        machine->index = i;
        machine->start_ms = sim->now_ms + random_below(&sim->random, 1500);
        fake_connect(&machine->link, &sim->fake);
    }
    begin_crawl(sim);
}

static bool is_over(const struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MACHINES; i++)
        if (!sim->machine[i].ended)
            return false;
    return true;
}

void sim_run(struct sim *sim, const struct sim_options *options)
{
    init(sim, options);
    while (!is_over(sim) && sim->now_ms < END_MS && !sim->wrong[0]) {
        sim->fake.time_ms = sim->now_ms;
        if (options->outages)
            throw_outage(sim);
        if (options->faults)
            throw_faults(sim, options->set_back);
        cut_links(sim);
        for (unsigned i = 0; i < SIM_MACHINES; i++)
            machine_tick(&sim->machine[i]);
        sim->now_ms += SIM_STEP_MS;
    }
    sim_judge(sim);
    if (options->outages && !options->faults)
        sim_judge_outages(sim);
}

void sim_release(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MACHINES; i++)
        machine_kill(&sim->machine[i]);
    fake_release(&sim->fake);
    scope_free(sim->scope);
    domains_free(sim->domains);
}
