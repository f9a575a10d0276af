#include <stdio.h>
#include <string.h>

#include "support/fleet_sim.h"
#include "web/normalize.h"
#include "web/partition.h"

enum { SEED = 9, ROWS_MAX = 1 << 20, RETRY_MS = 100 };

static const struct fleet_engine_type *engine_of(struct machine *machine)
{
    return machine->link.engine.type;
}

/* --- rows, mail ------------------------------------------------------------
 */

static void add_row(struct machine *machine, char kind, uint64_t number,
                    uint32_t depth, struct str url)
{
    struct buf *rows = &machine->rows[partition_of_number(number)];

    if (!buf_printf(rows, "%c %llu %u %u\n", kind, (unsigned long long)number,
                    depth, fleet_web_page(url)))
        sim_fail(machine->sim, "too many rows");
}

static void judged(void *user, const struct judged *judged)
{
    if (judged->verdict == ACCEPT)
        add_row(user, 'U', judged->number, judged->offer->depth,
                judged->offer->url->href);
}

static bool owns(void *user, uint32_t part)
{
    return member_owns(&((struct machine *)user)->member, part);
}

static void send_away(void *user, uint32_t part, const struct offer *offer)
{
    struct machine *machine = user;
    const struct mail_entry entry = {
        .url = offer->url->href,
        .depth = offer->depth,
        .found = offer->found,
        .redirects = offer->redirects,
        .kind = (uint8_t)offer->kind,
    };

    outbox_put(machine->outbox, part, &entry);
}

static struct offer offer_of(struct machine *machine, struct str text,
                             struct url *url)
{
    if (url_parse(url, &machine->arena, text, NULL, NULL))
        sim_fail(machine->sim, "not a URL");
    return (struct offer){
        .url = url,
        .fingerprint = url_fingerprint(url, SEED),
        .kind = TARGET_PAGE,
    };
}

static void read_mail(struct machine *machine, const struct fleet_mail *mail)
{
    struct mail_entry entry;
    struct url url;

    if (!member_owns(&machine->member, mail->key.part))
        return;
    for (size_t at = 0; mail_read(mail->payload, &at, &entry);) {
        struct offer offer = offer_of(machine, entry.url, &url);
        offer.depth = entry.depth;
        offer.found = entry.found;
        offer.redirects = entry.redirects;
        validator_offer(&machine->validator, &offer, machine->sim->now_ms);
    }
    member_take(&machine->member, &mail->key);
    machine->commit_soon = true;
}

/* --- beginning and ending ---------------------------------------------------
 */

static void init_state(struct machine *machine)
{
    struct sim *sim = machine->sim;
    const struct frontier_options options = {
        .ranking = sim->ranking,
        .delay_ms = SIM_DELAY_MS,
        .per_host = 1,
        .report_changes = true,
        .hash_seed = SEED,
        .domains = sim->domains,
        .partitions = SIM_PARTS,
        .partition_seed = 1,
        .resolve = sim->has_addresses,
        .ip_delay_ms = sim->has_addresses ? SIM_IP_DELAY_MS : 0,
        .ip_hold_ms = sim->has_addresses ? member_hold_ms(SIM_LEASE_MS) : 0,
    };

    validator_init(&machine->validator, sim->scope, 1000, &options);
    machine->validator.post = (struct validator_post){machine, owns, send_away};
    machine->validator.listener =
        (struct validator_listener){.user = machine, .judged = judged};
    machine->outbox = outbox_new(SIM_PARTS, sim->ranking == RANKING_BFS, 4);
    for (unsigned i = 0; i < SIM_PARTS; i++)
        buf_init(&machine->rows[i], ROWS_MAX);
    arena_init(&machine->arena);
    arena_init(&machine->pending.arena);
    machine->has_joined = true;
    machine->commit_soon = true;
    machine->commit_ms = sim->now_ms;
}

static void drop_flights(struct machine *machine)
{
    for (unsigned i = 0; i < machine->flights; i++) {
        sim_cut_short(machine->sim, machine->flight[i].page);
        frontier_done(machine->validator.frontier, machine->flight[i].target,
                      machine->sim->now_ms, 0);
    }
    machine->flights = 0;
}

static void drop_state(struct machine *machine)
{
    if (!machine->has_joined)
        return;
    drop_flights(machine);
    validator_release(&machine->validator);
    member_release(&machine->member);
    outbox_free(machine->outbox);
    for (unsigned i = 0; i < SIM_PARTS; i++)
        buf_release(&machine->rows[i]);
    arena_release(&machine->arena);
    arena_release(&machine->pending.arena);
    machine->pending = (struct pending){0};
    machine->has_joined = false;
}

static void renew(struct machine *machine)
{
    machine->incarnation = ++machine->sim->next_incarnation * 0x10001;
    machine->start_ms = machine->sim->now_ms;
}

void machine_start(struct machine *machine)
{
    machine->is_running = true;
    machine->stopped_until_ms = 0;
    renew(machine);
}

void machine_kill(struct machine *machine)
{
    drop_state(machine);
    machine->is_running = false;
}

static void end(struct machine *machine)
{
    machine_kill(machine);
    machine->ended = true;
}

/* The time of the first attempt counts: that one may be the one that counted.
 */
static void try_to_join(struct machine *machine)
{
    struct sim *sim = machine->sim;
    char name[16];
    struct fleet_joined joined;
    struct fleet_error error;
    struct arena arena;

    snprintf(name, sizeof(name), "m%u", machine->index);
    arena_init(&arena);
    const struct fleet_join join = {
        .directory = str_of(name),
        .incarnation = machine->incarnation,
    };
    if (engine_of(machine)->join(&machine->link.engine, &join, &joined, &arena,
                                 &error) == FLEET_COUNTED) {
        const struct member_options options = {
            .partitions = SIM_PARTS,
            .by_level = sim->ranking == RANKING_BFS,
            .lease_ms = SIM_LEASE_MS,
            .pages_max = UINT64_MAX,
            .random = machine->incarnation,
        };
        init_state(machine);
        machine->joined_ms = machine->start_ms;
        machine->renewed_ms = machine->hold_ms = machine->back_ms = 0;
        member_join(&machine->member, &options, &joined, machine->incarnation,
                    machine->start_ms);
        frontier_set_level(machine->validator.frontier, machine->member.level);
        if (joined.snapshot.crawl.state == FLEET_FINISHED)
            end(machine);
    }
    arena_release(&arena);
}

/* --- loading a partition -----------------------------------------------------
 */

struct loading {
    struct {
        uint64_t number;
        uint32_t depth;
        bool is_fetched;
    } page[SIM_PAGES];
};

static bool load_segment(void *user, const struct fleet_segment *segment,
                         uint32_t node, uint64_t batch)
{
    struct loading *loading = user;
    struct str rest = segment->payload;

    (void)node;
    (void)batch;
    while (rest.len) {
        struct str_pair cut = str_cut(rest, '\n');
        char text[128] = {0}, kind;
        unsigned long long number;
        unsigned depth, page;

        memcpy(text, cut.head.ptr, cut.head.len < 127 ? cut.head.len : 127);
        if (sscanf(text, "%c %llu %u %u", &kind, &number, &depth, &page) != 4)
            return false;
        loading->page[page].number = number;
        loading->page[page].depth = depth;
        loading->page[page].is_fetched |= kind == 'F';
        rest = cut.tail;
    }
    return true;
}

static void restore(struct machine *machine, const struct loading *loading)
{
    struct frontier *frontier = machine->validator.frontier;
    uint64_t now_ms = machine->sim->now_ms;

    for (uint32_t page = 0; page < SIM_PAGES; page++) {
        uint64_t number = loading->page[page].number;
        struct url url;
        if (!number)
            continue;
        struct offer offer =
            offer_of(machine, fleet_web_url(page, &machine->arena), &url);
        offer.depth = loading->page[page].depth;
        validator_restore(&machine->validator, offer.fingerprint, ACCEPT,
                          number);
        frontier_restore_number(frontier, number);
        if (!loading->page[page].is_fetched)
            frontier_restore(frontier, &offer,
                             &(struct target_history){.number = number},
                             now_ms);
        frontier_restore_clock(frontier, &url, now_ms + SIM_DELAY_MS, now_ms);
    }
}

static void load_parts(struct machine *machine)
{
    struct member *member = &machine->member;

    for (uint32_t part = part_set_next(&member->ours, 0); part < SIM_PARTS;
         part = part_set_next(&member->ours, part + 1)) {
        struct loading loading = {0};
        struct fleet_error error;
        if (part_set_has(&member->ready, part))
            continue;
        if (engine_of(machine)->load(&machine->link.engine, part, load_segment,
                                     &loading, &error) != FLEET_COUNTED)
            return;
        restore(machine, &loading);
        bool rests[SIM_PARTS] = {0};
        rests[part] = !member_is_first_owner(member, part);
        frontier_rest_parts(machine->validator.frontier, rests,
                            machine->sim->now_ms);
        member_loaded(member, part);
        machine->commit_soon = true;
    }
}

/* --- fetching
 * ------------------------------------------------------------------ */

static struct lease lease_of(const struct machine *machine)
{
    return lease_since(machine->joined_ms, machine->renewed_ms, SIM_LEASE_MS);
}

static bool may_fetch(const struct machine *machine)
{
    const struct sim *sim = machine->sim;

    return machine->flights < SIM_FLIGHTS && !machine->member.is_leaving &&
           sim->now_ms >= machine->hold_ms &&
           (sim->mutant == SIM_NO_DEADLINE ||
            member_may_fetch(&machine->member, lease_of(machine), sim->now_ms));
}

static void start_fetches(struct machine *machine)
{
    struct sim *sim = machine->sim;
    struct target *target;

    while (may_fetch(machine) && (target = machine_take(machine))) {
        uint32_t ms = 10 + random_below(&sim->random, 150);
        struct flight *flight = &machine->flight[machine->flights++];

        if (!random_below(&sim->random, 50))
            ms += random_below(&sim->random, 4000);
        *flight = (struct flight){
            .target = target,
            .end_ms = sim->now_ms + ms,
            .page = fleet_web_page(target_url(target)),
        };
        sim_request(machine, flight->page, flight->end_ms);
    }
}

static void offer_links(struct machine *machine, const struct flight *flight)
{
    uint32_t link[SIM_LINKS];
    unsigned count = fleet_web_links(flight->page, link);
    bool is_redirect = fleet_web_is_redirect(flight->page);

    for (unsigned i = 0; i < count; i++) {
        struct url url;
        struct offer offer =
            offer_of(machine, fleet_web_url(link[i], &machine->arena), &url);
        offer.depth = flight->target->depth + !is_redirect;
        offer.found = !is_redirect;
        if (is_redirect)
            validator_offer_redirect(&machine->validator, flight->target,
                                     &offer, 200, machine->sim->now_ms);
        else
            validator_offer(&machine->validator, &offer, machine->sim->now_ms);
    }
}

static void land(struct machine *machine)
{
    struct sim *sim = machine->sim;

    for (unsigned i = 0; i < machine->flights;) {
        struct flight flight = machine->flight[i];
        if (flight.end_ms > sim->now_ms) {
            i++;
            continue;
        }
        machine->flight[i] = machine->flight[--machine->flights];
        add_row(machine, 'F', flight.target->number, flight.target->depth,
                target_url(flight.target));
        offer_links(machine, &flight);
        machine->pages++;
        frontier_done(machine->validator.frontier, flight.target, sim->now_ms,
                      0);
    }
}

/* What is in flight will be asked for again. */
static void abandon(struct machine *machine)
{
    for (unsigned i = 0; i < machine->flights; i++) {
        sim_cut_short(machine->sim, machine->flight[i].page);
        frontier_abandoned(machine->validator.frontier,
                           machine->flight[i].target, machine->sim->now_ms);
    }
    machine->flights = 0;
}

static void look_at_lease(struct machine *machine)
{
    struct sim *sim = machine->sim;

    switch (member_look_at_lease(&machine->member, lease_of(machine),
                                 sim->now_ms)) {
    case LEASE_LAPSED:
        if (sim->mutant != SIM_NO_DEADLINE)
            abandon(machine);
        break;
    case LEASE_BACK:
        machine->back_ms = sim->now_ms;
        if (sim->mutant == SIM_NO_REST_AFTER)
            break;
        machine->hold_ms = sim->now_ms + SIM_DELAY_MS;
        frontier_rest_all(machine->validator.frontier, sim->now_ms);
        break;
    case LEASE_NO_NEWS:
        break;
    }
}

/* --- commits
 * --------------------------------------------------------------------- */

static bool is_busy(void *user, uint32_t part)
{
    const struct machine *machine = user;

    return frontier_part_is_busy(machine->validator.frontier, part);
}

static void attempt(struct machine *machine)
{
    struct pending *pending = &machine->pending;
    struct sim *sim = machine->sim;

    pending->is_done = false;
    pending->sent_ms = sim->now_ms;
    pending->effect_ms = sim->now_ms + random_below(&sim->random, 40);
    if (sim->faults && !random_below(&sim->random, 40))
        pending->effect_ms += random_below(&sim->random, 2500);
    pending->answer_ms = pending->effect_ms + random_below(&sim->random, 40);
}

static void add_segments(struct machine *machine)
{
    struct pending *pending = &machine->pending;
    struct fleet_segment *segment =
        arena_new(&pending->arena, SIM_PARTS * sizeof(*segment));
    const struct target *target;
    size_t count = 0;

    while ((target = frontier_next_changed(machine->validator.frontier)))
        add_row(machine, 'C', target->number, target->depth,
                target_url(target));
    for (uint32_t part = 0; part < SIM_PARTS; part++) {
        struct buf *rows = &machine->rows[part];
        if (!rows->len)
            continue;
        segment[count++] = (struct fleet_segment){
            .part = part,
            .epoch = machine->member.epoch[part],
            .payload = arena_copy(&pending->arena, buf_str(rows)),
        };
        buf_clear(rows);
    }
    pending->commit.segment = segment;
    pending->commit.segments = count;
}

static void send_commit(struct machine *machine)
{
    struct pending *pending = &machine->pending;
    uint32_t lowest = frontier_lowest(machine->validator.frontier);
    struct member_state state = {
        .lowest = lowest == UINT32_MAX ? FLEET_LOWEST_NONE : (int32_t)lowest,
        .pages = machine->pages,
    };

    arena_clear(&pending->arena);
    pending->commit = (struct fleet_commit){0};
    member_settle(&machine->member, is_busy, machine);
    state.mail = outbox_seal(machine->outbox, &pending->arena, &state.mails);
    add_segments(machine);
    machine_add_addresses(machine, &state);
    member_compose(&machine->member, &state, &pending->commit, &pending->arena);
    pending->is_under_way = true;
    pending->first_ms = machine->sim->now_ms;
    machine->commit_ms = machine->sim->now_ms;
    machine->commit_soon = false;
    attempt(machine);
}

static void do_todo(struct machine *machine, const struct member_todo *todo)
{
    const struct fleet_engine_type *engine = engine_of(machine);
    struct fleet_error error;

    for (size_t i = 0; i < todo->drops; i++)
        validator_drop_part(&machine->validator, todo->drop[i],
                            machine->sim->now_ms);
    for (size_t i = 0; i < todo->drains; i++)
        frontier_freeze_part(machine->validator.frontier, todo->drain[i], true);
    for (size_t i = 0; i < todo->buries; i++)
        engine->bury(&machine->link.engine, &todo->bury[i], &error);
    if (todo->has_command)
        engine->command(&machine->link.engine, &todo->command, &error);
    frontier_set_level(machine->validator.frontier, machine->member.level);
    machine->commit_soon |= machine->member.wants > 0;
}

static void fenced(struct machine *machine)
{
    drop_state(machine);
    renew(machine);
}

static void forget_mail_counters(const struct fleet_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->nodes; i++) {
        struct fleet_node *node = (struct fleet_node *)&snapshot->node[i];
        node->sent = node->taken = 0;
    }
}

static void take_answer(struct machine *machine)
{
    struct pending *pending = &machine->pending;
    struct sim *sim = machine->sim;
    struct member_todo todo;
    const struct member_times times = {
        .asked_ms = pending->sent_ms,
        .now_ms = sim->now_ms,
    };

    if (sim->mutant == SIM_NO_MAIL_COUNTERS)
        forget_mail_counters(&pending->answer.snapshot);
    if (sim->mutant == SIM_HASTY)
        machine->member.polled_ms = sim->now_ms;
    pending->is_under_way = false;
    if (!member_answer(&machine->member, &pending->commit, &pending->answer,
                       &times, &todo, &pending->arena)) {
        fenced(machine);
        return;
    }
    machine->renewed_ms =
        pending->answer.had_counted ? pending->first_ms : pending->sent_ms;
    do_todo(machine, &todo);
    machine_take_addresses(machine, &pending->answer.snapshot);
    for (size_t i = 0; i < pending->answer.snapshot.mails; i++)
        read_mail(machine, &pending->answer.snapshot.mail[i]);
    if (todo.finished) {
        end(machine);
    } else if (todo.left) {
        machine_kill(machine);
        machine->start_ms = sim->now_ms + random_below(&sim->random, 3000);
    }
}

/* The call reaches the engine even if the machine stands still meanwhile. */
static void reach_engine(struct machine *machine)
{
    struct pending *pending = &machine->pending;
    struct sim *sim = machine->sim;
    struct fleet_error error;

    if (!pending->is_under_way || pending->is_done ||
        sim->now_ms < pending->effect_ms)
        return;
    if (sim->faults && !random_below(&sim->random, 12)) {
        machine->link.loses_answer = true;
        sim->lost_answers++;
    }
    pending->result =
        engine_of(machine)->commit(&machine->link.engine, &pending->commit,
                                   &pending->answer, &pending->arena, &error);
    pending->is_done = true;
}

static void answer_if_there(struct machine *machine)
{
    struct pending *pending = &machine->pending;

    if (!pending->is_under_way || !pending->is_done ||
        machine->sim->now_ms < pending->answer_ms)
        return;
    if (pending->result == FLEET_AWAY) {
        if (machine->sim->now_ms >= pending->answer_ms + RETRY_MS)
            attempt(machine);
    } else if (pending->result == FLEET_FENCED) {
        fenced(machine);
    } else {
        take_answer(machine);
    }
}

static bool commit_is_due(const struct machine *machine)
{
    uint64_t since_ms = machine->sim->now_ms - machine->commit_ms;

    if (machine->pending.is_under_way)
        return false;
    return since_ms >= member_interval_ms(&machine->member, 1000) ||
           (since_ms >= 2 * SIM_STEP_MS &&
            (machine->commit_soon ||
             frontier_has_address_news(machine->validator.frontier) ||
             (!machine->flights && outbox_count(machine->outbox))));
}

/* It stands still, and its lease is nearly over. To the server its requests are
 * in flight until the answers are read; they do not count from now on. */
static void stop_counting(const struct machine *machine)
{
    for (unsigned i = 0; i < machine->flights; i++)
        sim_cut_short(machine->sim, machine->flight[i].page);
}

void machine_tick(struct machine *machine)
{
    struct sim *sim = machine->sim;

    if (machine->has_joined)
        reach_engine(machine);
    if (machine->has_joined && machine->stopped_until_ms > sim->now_ms &&
        !lease_may_go_on(lease_of(machine), sim->now_ms))
        stop_counting(machine);
    if (machine->ended || machine->stopped_until_ms > sim->now_ms)
        return;
    if (!machine->is_running && sim->now_ms >= machine->start_ms)
        machine_start(machine);
    if (machine->is_running && !machine->has_joined)
        try_to_join(machine);
    if (!machine->has_joined)
        return;
    answer_if_there(machine);
    if (!machine->has_joined)
        return;
    load_parts(machine);
    look_at_lease(machine);
    land(machine);
    start_fetches(machine);
    if (commit_is_due(machine))
        send_commit(machine);
}
