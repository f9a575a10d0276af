#include "crawler/fleet.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "crawler/crawler_thread.h"
#include "crawler/fleet_robots.h"
#include "crawler/resume.h"
#include "fleet/fleet_store.h"
#include "fleet/mail.h"
#include "fleet/member.h"
#include "web/normalize.h"

struct fleet {
    struct fleet_options options;
    struct store *store, *loader;

    /* of the crawler thread */
    struct member member;
    struct outbox *outbox;
    struct fleet_robots *robots;
    struct fleet_commit composed; /* for the batch that is under way */
    struct arena composed_arena;
    struct arena scratch;
    bool is_under_way; /* a batch is; its answer was not seen yet */
    bool is_urgent;
    uint32_t told_lowest; /* the smallest open depth, as it was last composed */
    bool is_paused, is_stopped, is_finished, has_left, must_rejoin, is_ending;
    const struct frontier *frontier; /* while composing */

    /* of the committer's thread; with `has_answer` of the crawler thread */
    bool is_batch;            /* the commit under way is no mere renewal */
    struct fleet_commit last; /* what was told last: for a renewal */
    struct arena answer_arena;
    struct fleet_answer answer;
    uint64_t sent_ms;
    atomic_bool has_answer;

    _Atomic uint64_t patience_ms; /* until then commits wait for the engine */
};

/* A machine that ends waits so long for an engine that is away: what it cannot
 * commit is fetched again. */
enum { LAST_PATIENCE_MS = 30 * 1000 };

struct fleet *fleet_new(const struct fleet_options *options)
{
    struct fleet *fleet = NEW(struct fleet);
    const struct member_options member = {
        .partitions = options->partitions,
        .by_level = options->by_level,
        .lease_ms = options->lease_ms,
        .pages_max = options->pages_max,
        .random = options->incarnation,
    };

    fleet->options = *options;
    member_join(&fleet->member, &member, options->joined, options->incarnation,
                options->joined_ms);
    fleet->outbox = outbox_new(options->partitions, options->by_level,
                               options->incarnation);
    fleet->robots = fleet_robots_new(fleet->outbox);
    fleet->last = (struct fleet_commit){
        .lowest = FLEET_LOWEST_UNKNOWN,
        .sent = options->joined->sent,
        .taken = options->joined->taken,
    };
    fleet->is_urgent = true;
    fleet->is_finished =
        options->joined->snapshot.crawl.state == FLEET_FINISHED;
    arena_init(&fleet->composed_arena);
    arena_init(&fleet->scratch);
    arena_init(&fleet->answer_arena);
    atomic_init(&fleet->has_answer, false);
    atomic_init(&fleet->patience_ms, UINT64_MAX);
    return fleet;
}

void fleet_set_stores(struct fleet *fleet, struct store *store,
                      struct store *loader)
{
    fleet->store = store;
    fleet->loader = loader;
}

void fleet_free(struct fleet *fleet)
{
    if (!fleet)
        return;
    member_release(&fleet->member);
    fleet_robots_free(fleet->robots);
    outbox_free(fleet->outbox);
    arena_release(&fleet->composed_arena);
    arena_release(&fleet->scratch);
    arena_release(&fleet->answer_arena);
    free(fleet);
}

/* --- the committer's thread ---------------------------------------------- */

/* A renewal says what was said before: nothing else is in the engine yet. */
static void fill_renewal(const struct fleet *fleet, struct fleet_commit *commit)
{
    commit->lowest = fleet->last.lowest;
    commit->sent = fleet->last.sent;
    commit->taken = fleet->last.taken;
}

void fleet_before_commit(void *user, size_t batches,
                         struct fleet_commit *commit)
{
    struct fleet *fleet = user;
    const struct fleet_commit *composed = &fleet->composed;

    fleet->is_batch = batches > 0;
    if (!batches) {
        fill_renewal(fleet, commit);
        return;
    }
    commit->state = composed->state;
    commit->lowest = composed->lowest;
    commit->sent = composed->sent;
    commit->taken = composed->taken;
    commit->pages_wanted = composed->pages_wanted;
    commit->mail = composed->mail;
    commit->mails = composed->mails;
    commit->took = composed->took;
    commit->tooks = composed->tooks;
    commit->give_up = composed->give_up;
    commit->give_ups = composed->give_ups;
    commit->claim = composed->claim;
    commit->claims = composed->claims;
    commit->want = composed->want;
    commit->wants = composed->wants;
    commit->release = composed->release;
    commit->releases = composed->releases;
    fleet->last = *commit;
}

static void *copy(struct arena *arena, const void *array, size_t size)
{
    void *bytes = arena_new(arena, size + 1);

    if (size)
        memcpy(bytes, array, size);
    return bytes;
}

/* All that member.h reads of it. */
static void copy_answer(struct fleet *fleet, const struct fleet_answer *answer)
{
    struct arena *arena = &fleet->answer_arena;
    const struct fleet_snapshot *from = &answer->snapshot;
    struct fleet_snapshot *to = &fleet->answer.snapshot;

    arena_clear(arena);
    fleet->answer = *answer;
    fleet->answer.claimed =
        copy(arena, answer->claimed, answer->claims * sizeof(*answer->claimed));
    to->node = copy(arena, from->node, from->nodes * sizeof(*from->node));
    to->part =
        copy(arena, from->part, from->crawl.partitions * sizeof(*from->part));
    struct fleet_mail *mail =
        copy(arena, from->mail, from->mails * sizeof(*from->mail));
    for (size_t i = 0; i < from->mails; i++)
        mail[i].payload = arena_copy(arena, from->mail[i].payload);
    to->mail = mail;
    struct fleet_address *address =
        copy(arena, from->address, from->addresses * sizeof(*from->address));
    for (size_t i = 0; i < from->addresses; i++)
        address[i].ip = arena_copy(arena, from->address[i].ip);
    to->address = address;
}

void fleet_after_commit(void *user, const struct fleet_answer *answer)
{
    struct fleet *fleet = user;

    if (!fleet->is_batch)
        return;
    copy_answer(fleet, answer);
    fleet->sent_ms = fleet_store_renewed_ms(fleet->store);
    atomic_store(&fleet->has_answer, true);
}

bool fleet_may_wait(void *user)
{
    const struct fleet *fleet = user;

    return clock_boot_ms() < atomic_load(&fleet->patience_ms);
}

/* --- any thread ------------------------------------------------------------
 */

/* Nothing of the member but its options is read. */
static struct lease lease_of(const struct fleet *fleet)
{
    return lease_since(fleet->options.joined_ms,
                       fleet_store_renewed_ms(fleet->store),
                       fleet->options.lease_ms);
}

bool fleet_may_go_on(void *user)
{
    return lease_may_go_on(lease_of(user), clock_boot_ms());
}

/* --- composing ------------------------------------------------------------ */

static bool is_busy(void *user, uint32_t part)
{
    const struct fleet *fleet = user;

    return !fleet->is_ending && frontier_part_is_busy(fleet->frontier, part);
}

static struct str *as_texts(const struct ip *ip, size_t count,
                            struct arena *arena)
{
    struct str *text = arena_new(arena, (count + 1) * sizeof(*text));

    for (size_t i = 0; i < count; i++)
        text[i] = (struct str){(const char *)ip[i].byte, sizeof(ip[i].byte)};
    return text;
}

static void add_addresses(struct fleet *fleet, struct frontier *frontier,
                          struct member_state *state)
{
    struct arena *arena = &fleet->composed_arena;
    struct ip *ip = arena_new(arena, 2 * FLEET_ADDRESSES_MAX * sizeof(*ip));
    uint64_t now_ms = clock_mono_ms();

    state->releases =
        frontier_give_up_addresses(frontier, now_ms, ip, FLEET_ADDRESSES_MAX);
    state->release = as_texts(ip, state->releases, arena);
    ip += state->releases;
    state->wants =
        frontier_wanted_addresses(frontier, now_ms, ip, FLEET_ADDRESSES_MAX);
    state->want = as_texts(ip, state->wants, arena);
}

void fleet_compose(struct fleet *fleet, struct frontier *frontier,
                   uint64_t pages)
{
    uint32_t lowest = frontier_lowest(frontier);
    struct frontier_counts counts = frontier_counts(frontier);
    struct member_state state = {
        .lowest = lowest == UINT32_MAX ? FLEET_LOWEST_NONE : (int32_t)lowest,
        .pages = pages,
        .pages_in_flight = counts.in_flight,
        .wants_pages = counts.queued > 0,
    };

    assert(!fleet->is_under_way);
    arena_clear(&fleet->composed_arena);
    fleet->frontier = frontier;
    member_settle(&fleet->member, is_busy, fleet);
    state.mail =
        outbox_seal(fleet->outbox, &fleet->composed_arena, &state.mails);
    add_addresses(fleet, frontier, &state);
    fleet->composed = (struct fleet_commit){0};
    member_compose(&fleet->member, &state, &fleet->composed,
                   &fleet->composed_arena);
    fleet->is_under_way = true;
    fleet->is_urgent = false;
    fleet->told_lowest = lowest;
}

/* --- links that go and come ---------------------------------------------- */

static bool owns(void *user, uint32_t part)
{
    const struct crawler *crawler = user;

    return member_owns(&crawler->options->fleet->member, part);
}

static void send_away(void *user, uint32_t part, const struct offer *offer)
{
    const struct crawler *crawler = user;
    struct fleet *fleet = crawler->options->fleet;
    const struct mail_entry entry = {
        .url = offer->url->href,
        .depth = offer->depth,
        .found = offer->found,
        .node = offer->referrer_machine ? offer->referrer_machine
                                        : fleet->member.node,
        .page = offer->referrer_id,
        .via = offer->via,
        .redirects = offer->redirects,
        .kind = (uint8_t)offer->kind,
        .nesting = offer->nesting,
        .is_named = offer->is_named,
    };

    outbox_put(fleet->outbox, part, &entry);
}

/* The machine that has the page where it was found; 0: this one. There is no
 * such page of a sitemap (its nesting takes the place) nor of a seed. */
static uint16_t machine_of(const struct fleet *fleet,
                           const struct mail_entry *entry)
{
    bool is_other = entry->node != fleet->member.node && entry->page &&
                    entry->kind != TARGET_SITEMAP;

    return is_other ? (uint16_t)entry->node : 0;
}

static void offer_entry(struct crawler *crawler, const struct mail_entry *entry)
{
    struct fleet *fleet = crawler->options->fleet;
    uint64_t seed = crawler->options->worker.scan.fingerprint_seed;
    struct url url;

    arena_clear(&fleet->scratch);
    if (url_parse(&url, &fleet->scratch, entry->url, NULL, NULL))
        return;
    uint64_t fingerprint = url_fingerprint(&url, seed);
    if (entry->kind == TARGET_REQUISITE && is_kept(crawler, fingerprint))
        return;
    const struct offer offer = {
        .url = &url,
        .fingerprint =
            target_fingerprint((enum target_kind)entry->kind, fingerprint),
        .depth = entry->depth,
        .referrer_id = entry->page,
        .referrer_machine = machine_of(fleet, entry),
        .found = entry->found,
        .via = entry->via,
        .redirects = entry->redirects,
        .kind = (enum target_kind)entry->kind,
        .nesting = entry->nesting,
        .is_named = entry->is_named,
    };
    validator_offer(&crawler->validator, &offer, crawler->now_ms);
}

static void take_mail(struct crawler *crawler, const struct fleet_mail *mail)
{
    struct fleet *fleet = crawler->options->fleet;
    struct mail_entry entry;

    /* It is read when the partition is loaded, or by its next owner. */
    if (!member_owns(&fleet->member, mail->key.part))
        return;
    crawler->validator.source_part = mail->key.part;
    for (size_t at = 0; mail_read(mail->payload, &at, &entry);)
        if (entry.kind <= TARGET_REQUISITE)
            offer_entry(crawler, &entry);
        else
            fleet_robots_take(fleet->robots, crawler, mail->key.part, &entry);
    member_take(&fleet->member, &mail->key);
}

bool fleet_follows_robots(struct crawler *crawler, struct target *from,
                          const struct url *url, uint64_t ended_ms)
{
    struct fleet *fleet = crawler->options->fleet;
    const struct frontier *frontier = crawler->validator.frontier;

    return fleet &&
           !member_owns(&fleet->member,
                        frontier_part_of(frontier, url, (struct str){0})) &&
           fleet_robots_follow(fleet->robots, crawler, from, url, ended_ms);
}

void fleet_tells_robots(struct crawler *crawler, const struct job *job)
{
    fleet_robots_answer(crawler->options->fleet->robots, job);
}

/* --- partitions that come and go ----------------------------------------- */

static void abandon_all(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;

    fleet->must_rejoin = true;
    workers_abandon(crawler->workers);
}

/* False: it is loaded later, or this machine joins anew. */
static bool load_part(struct crawler *crawler, uint32_t part)
{
    const struct crawl_options *options = crawler->options;
    struct fleet *fleet = options->fleet;
    const struct resume_options resume = {
        .fingerprint_seed = options->worker.scan.fingerprint_seed,
        .robots_agent = options->worker.robots_agent,
        .now_ms = crawler->now_ms,
        .wall_ms = clock_wall_at(crawler->now_ms),
        .pages_kept = options->requisites ? &crawler->pages_kept : NULL,
        .settled = options->requisites ? &crawler->settled : NULL,
        .redirecting =
            options->worker.fetch.cookies ? restore_redirecting : NULL,
        .user = crawler,
    };
    struct resumed resumed = {0};
    struct store_error error;

    if (!resume_load_slice(fleet->loader, part + 1, &crawler->validator,
                           &resume, &resumed, &error)) {
        if (error.status == STORE_DAMAGED)
            fail_crawl(crawler, "cannot read the state in %s: %s",
                       options->record_label, error.text);
        else if (fleet_may_go_on(fleet)) /* it is not for lack of time */
            abandon_all(crawler);
        return false;
    }
    part_ends_add(crawler, part, &resumed.stats);
    member_loaded(&fleet->member, part);
    fleet->is_urgent = true;
    return true;
}

/* The first that is ours and not loaded yet, from `part` on. */
static uint32_t next_missing(const struct member *member, uint32_t part)
{
    while ((part = part_set_next(&member->ours, part)) < FLEET_PARTITIONS_MAX &&
           part_set_has(&member->ready, part))
        part++;
    return part;
}

/* If the engine goes away meanwhile, the rest is loaded when it is back. */
static void load_missing(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;
    const struct member *member = &fleet->member;
    uint32_t part = next_missing(member, 0);

    if (part == FLEET_PARTITIONS_MAX || member->is_leaving ||
        !fleet_may_go_on(fleet))
        return;
    bool *rests = mem_array(fleet->options.partitions, sizeof(*rests));
    while (part < FLEET_PARTITIONS_MAX && load_part(crawler, part)) {
        rests[part] = !member_is_first_owner(member, part);
        part = next_missing(member, part + 1);
    }
    frontier_rest_parts(crawler->validator.frontier, rests, crawler->now_ms);
    free(rests);
}

void fleet_begin(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;

    if (!fleet)
        return;
    part_ends_init(crawler, fleet->options.partitions);
    crawler->validator.post = (struct validator_post){crawler, owns, send_away};
    frontier_set_level(crawler->validator.frontier, fleet->member.level);
    load_missing(crawler);
}

/* Addresses that are ours, and of them those that others want. */
static void take_addresses(struct crawler *crawler,
                           const struct fleet_snapshot *snapshot)
{
    struct frontier *frontier = crawler->validator.frontier;
    struct ip ip;

    for (size_t i = 0; i < snapshot->addresses; i++) {
        const struct fleet_address *address = &snapshot->address[i];
        if (address->ip.len != sizeof(ip.byte))
            continue;
        memcpy(ip.byte, address->ip.ptr, sizeof(ip.byte));
        frontier_address_granted(frontier, &ip, address->rests,
                                 crawler->now_ms);
        if (address->wanted)
            frontier_address_wanted(frontier, &ip, crawler->now_ms);
    }
}

static void carry_out(struct crawler *crawler, const struct member_todo *todo)
{
    struct fleet *fleet = crawler->options->fleet;
    struct fleet_engine *engine = fleet->options.engine;
    struct frontier *frontier = crawler->validator.frontier;
    struct fleet_error error;

    for (size_t i = 0; i < todo->drops; i++) {
        validator_drop_part(&crawler->validator, todo->drop[i],
                            crawler->now_ms);
        fleet_robots_drop(fleet->robots, todo->drop[i]);
        if (!fleet->member.is_leaving) /* its last figures stay as they are */
            part_ends_drop(crawler, todo->drop[i]);
    }
    for (size_t i = 0; i < todo->drains; i++)
        frontier_freeze_part(frontier, todo->drain[i], true);
    load_missing(crawler);
    /* If the engine is away, the next snapshot says the same again. */
    for (size_t i = 0; i < todo->buries; i++)
        engine->type->bury(engine, &todo->bury[i], &error);
    if (todo->has_command)
        engine->type->command(engine, &todo->command, &error);
    frontier_set_level(frontier, fleet->member.level);
    fleet->is_urgent |= fleet->member.wants > 0 || todo->has_command ||
                        fleet->member.draining.count > 0;
}

/* --- the loop ------------------------------------------------------------ */

static void take_answer(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;
    const struct fleet_snapshot *snapshot = &fleet->answer.snapshot;
    struct fleet_commit commit = fleet->composed;
    const struct member_times times = {
        .asked_ms = fleet->sent_ms,
        .now_ms = clock_boot_ms(),
    };
    struct member_todo todo;

    commit.batch = fleet->last.batch;
    fleet->is_under_way = false;
    /* Pauses of what is ours now begin after the answer came. */
    note_time(crawler, clock_mono_ms());
    if (!member_answer(&fleet->member, &commit, &fleet->answer, &times, &todo,
                       &fleet->composed_arena)) {
        abandon_all(crawler);
        return;
    }
    fleet->is_finished = todo.finished;
    fleet->is_paused = todo.paused;
    fleet->is_stopped |= todo.stopped;
    fleet->has_left = todo.left;
    carry_out(crawler, &todo);
    take_addresses(crawler, snapshot);
    for (size_t i = 0; i < snapshot->mails && !fleet->must_rejoin; i++)
        take_mail(crawler, &snapshot->mail[i]);
    fleet_robots_look(fleet->robots, crawler, snapshot->part);
    fleet->is_urgent |= snapshot->mails == FLEET_MAILS_MAX; /* more waits */
}

/* The others wait for a machine that has nothing to fetch now: for the level,
 * for the end, for links to them. One that is at work lets its news come
 * together. */
static void note_idle(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;
    uint32_t lowest = frontier_lowest(crawler->validator.frontier);
    bool is_idle = lowest == UINT32_MAX ||
                   (fleet->options.by_level && lowest > fleet->member.level);

    fleet->is_urgent |=
        outbox_is_full(fleet->outbox) || outbox_is_urgent(fleet->outbox) ||
        (is_idle && (lowest != fleet->told_lowest || fleet->member.tooks ||
                     outbox_count(fleet->outbox)));
}

/* Nobody else asked the hosts if a commit counts at last: the engine would have
 * refused it. */
static void look_at_lease(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;

    switch (member_look_at_lease(&fleet->member, lease_of(fleet),
                                 clock_boot_ms())) {
    case LEASE_LAPSED:
        workers_abandon(crawler->workers);
        break;
    case LEASE_BACK:
        rest_all_hosts(crawler);
        break;
    case LEASE_NO_NEWS:
        break;
    }
}

void fleet_exchange(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;

    if (!fleet || fleet->must_rejoin || (crawler->failed && !fleet->is_ending))
        return;
    if (atomic_exchange(&fleet->has_answer, false))
        take_answer(crawler);
    look_at_lease(crawler);
    load_missing(crawler);
    if (crawler->signals && !fleet->member.is_leaving)
        member_leave(&fleet->member);
    note_idle(crawler);
}

bool fleet_may_fetch(const struct fleet *fleet)
{
    return !fleet ||
           (!fleet->must_rejoin && !fleet->is_paused && !fleet->is_finished &&
            !fleet->member.is_leaving && !outbox_is_full(fleet->outbox) &&
            member_may_fetch(&fleet->member, lease_of(fleet), clock_boot_ms()));
}

bool fleet_is_paused(const struct fleet *fleet)
{
    return fleet && fleet->is_paused;
}

bool fleet_is_stopped(const struct fleet *fleet)
{
    return fleet && fleet->is_stopped;
}

bool fleet_is_finished(const struct fleet *fleet)
{
    return fleet->is_finished;
}

bool fleet_is_over(const struct fleet *fleet)
{
    return fleet->is_finished || fleet->has_left || fleet->must_rejoin ||
           fleet->member.is_leaving;
}

bool fleet_has_to_rejoin(const struct fleet *fleet)
{
    return fleet && fleet->must_rejoin;
}

bool fleet_is_under_way(const struct fleet *fleet)
{
    return fleet->is_under_way;
}

bool fleet_is_urgent(const struct fleet *fleet)
{
    return fleet->is_urgent;
}

void fleet_leave(struct fleet *fleet)
{
    fleet->is_ending = true;
    atomic_store(&fleet->patience_ms, clock_boot_ms() + LAST_PATIENCE_MS);
    member_leave(&fleet->member);
}

uint64_t fleet_interval_ms(const struct fleet *fleet, uint64_t every_ms)
{
    return member_interval_ms(&fleet->member, every_ms);
}

uint64_t fleet_page_limit(const struct fleet *fleet)
{
    return fleet->options.pages_max == UINT64_MAX ? UINT64_MAX
                                                  : fleet->member.pages_granted;
}

bool fleet_is_fenced(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;

    if (!fleet || !fleet_store_is_fenced(fleet->store))
        return false;
    abandon_all(crawler);
    return true;
}
