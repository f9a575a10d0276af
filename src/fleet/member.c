#include "fleet/member.h"

#include <stdlib.h>

#include "base/mem.h"

/* The margins are parts of the lease, so that they are in proportion: with the
 * lease of 30 s no fetch begins in its last 6 s, all fetches are abandoned 4 s
 * before its end, and another machine waits for 1 s more than a lease. */
static uint64_t quiet_ms(uint64_t lease_ms)
{
    return lease_ms / 5;
}

static uint64_t abandon_ms(uint64_t lease_ms)
{
    return lease_ms * 2 / 15;
}

uint64_t member_hold_ms(uint64_t lease_ms)
{
    return lease_ms / 3;
}

static uint64_t patience_ms(const struct member *member)
{
    return member->options.lease_ms + member->options.lease_ms / 30 + 1;
}

/* Longer without a snapshot: perhaps nobody could renew. */
static uint64_t gap_ms(const struct member *member)
{
    return member->options.lease_ms / 5;
}

/* --- joining -------------------------------------------------------------- */

void member_join(struct member *member, const struct member_options *options,
                 const struct fleet_joined *joined, uint64_t incarnation,
                 uint64_t asked_ms)
{
    *member = (struct member){
        .options = *options,
        .node = joined->node,
        .incarnation = incarnation,
        .sent = joined->sent,
        .taken = joined->taken,
        .pages_granted = joined->pages_granted,
        .polled_ms = asked_ms,
        .alive = 1,
        .level = options->by_level ? joined->snapshot.crawl.level : UINT32_MAX,
        .epoch = mem_array(options->partitions, sizeof(uint32_t)),
        .wanted = mem_array(options->partitions, sizeof(uint32_t)),
    };
    member->options.random |= 1;
    for (size_t i = 0; i < joined->parts; i++) {
        part_set_add(&member->ours, joined->part[i].part);
        member->epoch[joined->part[i].part] = joined->part[i].epoch;
    }
}

void member_release(struct member *member)
{
    free(member->epoch);
    free(member->wanted);
    free(member->took);
    free(member->watch);
    *member = (struct member){0};
}

/* --- questions ------------------------------------------------------------ */

bool member_owns(const struct member *member, uint32_t part)
{
    return part_set_has(&member->ready, part) &&
           !part_set_has(&member->leaving, part);
}

bool member_is_first_owner(const struct member *member, uint32_t part)
{
    return member->epoch[part] == 1;
}

static bool may_begin(struct lease lease, uint64_t now_ms)
{
    return now_ms + quiet_ms(lease.length_ms) <
           lease.renewed_ms + lease.length_ms;
}

bool lease_may_go_on(struct lease lease, uint64_t now_ms)
{
    return now_ms + abandon_ms(lease.length_ms) <
           lease.renewed_ms + lease.length_ms;
}

bool member_may_fetch(const struct member *member, struct lease lease,
                      uint64_t now_ms)
{
    return !member->has_lapsed && may_begin(lease, now_ms);
}

struct lease lease_since(uint64_t joined_ms, uint64_t renewed_ms,
                         uint64_t length_ms)
{
    return (struct lease){renewed_ms > joined_ms ? renewed_ms : joined_ms,
                          length_ms};
}

/* An engine of one server takes 20,000 mails a second with ease, and every
 * machine may write to every partition with each commit. Whoever looks at the
 * others too seldom declares nobody dead: see gap_ms. */
uint64_t member_interval_ms(const struct member *member, uint64_t every_ms)
{
    uint64_t mails = (uint64_t)member->alive * member->options.partitions;
    uint64_t ms = mails * 1000 / MEMBER_MAILS_PER_S;
    uint64_t most = member->options.lease_ms / 6;

    if (ms < every_ms)
        ms = every_ms;
    return ms < most ? ms : most;
}

/* --- events --------------------------------------------------------------- */

enum lease_news member_look_at_lease(struct member *member, struct lease lease,
                                     uint64_t now_ms)
{
    if (!member->has_lapsed && !lease_may_go_on(lease, now_ms)) {
        member->has_lapsed = true;
        return LEASE_LAPSED;
    }
    if (member->has_lapsed && may_begin(lease, now_ms)) {
        member->has_lapsed = false;
        return LEASE_BACK;
    }
    return LEASE_NO_NEWS;
}

void member_loaded(struct member *member, uint32_t part)
{
    part_set_add(&member->ready, part);
}

void member_take(struct member *member, const struct fleet_mail_key *key)
{
    if (member->tooks == member->took_room) {
        member->took_room = member->took_room ? 2 * member->took_room : 256;
        member->took =
            mem_resize(member->took, member->took_room * sizeof(*member->took));
    }
    member->took[member->tooks++] = *key;
}

void member_leave(struct member *member)
{
    member->is_leaving = true;
    member->wants = 0;
}

void member_settle(struct member *member,
                   bool (*is_busy)(void *user, uint32_t part), void *user)
{
    const struct part_set *from =
        member->is_leaving ? &member->ours : &member->draining;

    for (uint32_t part = part_set_next(from, 0); part < FLEET_PARTITIONS_MAX;
         part = part_set_next(from, part + 1))
        if (!part_set_has(&member->ready, part) || !is_busy(user, part))
            part_set_add(&member->leaving, part);
}

/* --- a commit --------------------------------------------------------------
 */

static uint32_t *list_of(const struct part_set *set, struct arena *arena)
{
    uint32_t *list = arena_new(arena, (set->count + 1) * sizeof(*list));
    size_t count = 0;

    for (uint32_t part = part_set_next(set, 0); part < FLEET_PARTITIONS_MAX;
         part = part_set_next(set, part + 1))
        list[count++] = part;
    return list;
}

/* `seq` is unique even if the engine forgets its last seconds, because the next
 * incarnation is another one. */
static uint64_t next_seq(struct member *member)
{
    return (member->incarnation & INT32_MAX) << 32 | ++member->mails;
}

static void address_mails(struct member *member,
                          const struct member_state *state)
{
    for (size_t i = 0; i < state->mails; i++) {
        state->mail[i].key.sender = member->node;
        state->mail[i].key.seq = next_seq(member);
    }
    member->sent += state->mails;
}

/* It has pages to fetch, at a depth that may be fetched. */
static bool wants_pages(const struct member *member,
                        const struct member_state *state)
{
    return state->wants_pages && !member->is_leaving &&
           (!member->options.by_level ||
            state->lowest <= (int64_t)member->level);
}

/* Reserve more before the last is used up; give back what is not needed. */
static int64_t pages_wanted(const struct member *member,
                            const struct member_state *state)
{
    uint64_t used = state->pages + state->pages_in_flight;
    bool wants = wants_pages(member, state);

    if (member->options.pages_max == UINT64_MAX)
        return 0;
    if (!wants && !state->pages_in_flight &&
        member->pages_granted > state->pages)
        return -(int64_t)(member->pages_granted - state->pages);
    if (!wants || member->pages_granted > used || !member->pages_left)
        return 0;
    uint64_t share = member->pages_left / (2 * (uint64_t)member->alive);
    if (share > MEMBER_GRANT_MAX)
        share = MEMBER_GRANT_MAX;
    return share ? (int64_t)share : 1;
}

static bool is_loading(const struct member *member)
{
    return member->ready.count < member->ours.count;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct str *one = a, *other = b;
    size_t len = one->len < other->len ? one->len : other->len;
    int order = len ? memcmp(one->ptr, other->ptr, len) : 0;

    return order ? order : (one->len > other->len) - (one->len < other->len);
}

static void add_addresses(const struct member *member,
                          const struct member_state *state,
                          struct fleet_commit *commit)
{
    commit->release = state->release;
    commit->releases = state->releases;
    commit->want = state->want;
    commit->wants = member->is_leaving ? 0 : state->wants;
    if (commit->releases)
        qsort(state->release, commit->releases, sizeof(*state->release),
              compare_addresses);
    if (commit->wants)
        qsort(state->want, commit->wants, sizeof(*state->want),
              compare_addresses);
}

void member_compose(struct member *member, const struct member_state *state,
                    struct fleet_commit *commit, struct arena *arena)
{
    bool leaves =
        member->is_leaving && member->leaving.count == member->ours.count;
    int64_t pages = pages_wanted(member, state);

    address_mails(member, state);
    member->taken += member->tooks;
    struct fleet_mail_key *took =
        arena_new(arena, (member->tooks + 1) * sizeof(*took));
    if (member->tooks)
        memcpy(took, member->took, member->tooks * sizeof(*took));
    uint32_t *claim = arena_new(arena, (member->wants + 1) * sizeof(*claim));
    if (member->wants)
        memcpy(claim, member->wanted, member->wants * sizeof(*claim));
    /* Pages that are given back may not be used any more. */
    if (pages < 0)
        member->pages_granted -= (uint64_t)-pages;
    commit->node = member->node;
    commit->incarnation = member->incarnation;
    commit->batch = member->batch + 1;
    commit->state = leaves ? FLEET_LEFT : FLEET_ALIVE;
    commit->lowest = member->wants || is_loading(member) ? FLEET_LOWEST_UNKNOWN
                                                         : state->lowest;
    commit->sent = member->sent;
    commit->taken = member->taken;
    commit->pages = state->pages;
    commit->pages_wanted = pages;
    commit->mail = state->mail;
    commit->mails = state->mails;
    commit->took = took;
    commit->tooks = member->tooks;
    commit->give_up = list_of(&member->leaving, arena);
    commit->give_ups = member->leaving.count;
    commit->claim = claim;
    commit->claims = member->wants;
    add_addresses(member, state, commit);
    member->tooks = 0;
    member->wants = 0;
}

/* --- its answer: partitions ------------------------------------------------
 */

static void apply(struct member *member, const struct fleet_commit *commit,
                  const struct fleet_answer *answer, struct member_todo *todo)
{
    for (size_t i = 0; i < commit->give_ups; i++) {
        part_set_remove(&member->ours, commit->give_up[i]);
        part_set_remove(&member->ready, commit->give_up[i]);
        part_set_remove(&member->draining, commit->give_up[i]);
        part_set_remove(&member->leaving, commit->give_up[i]);
    }
    for (size_t i = 0; i < answer->claims; i++) {
        part_set_add(&member->ours, answer->claimed[i].part);
        member->epoch[answer->claimed[i].part] = answer->claimed[i].epoch;
    }
    todo->drop = commit->give_up;
    todo->drops = commit->give_ups;
    todo->load = answer->claimed;
    todo->loads = answer->claims;
}

static uint32_t random_below(struct member *member, uint32_t end)
{
    uint64_t x = member->options.random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    member->options.random = x;
    return (uint32_t)((x >> 32) * end >> 32);
}

static void want_more(struct member *member,
                      const struct fleet_snapshot *snapshot, uint32_t lack)
{
    uint32_t free_count = 0;

    for (uint32_t i = 0; i < member->options.partitions; i++)
        if (snapshot->part[i].owner == FLEET_NO_OWNER)
            member->wanted[free_count++] = i;
    uint32_t wants = (lack + 1) / 2;
    if (wants > free_count)
        wants = free_count;
    for (uint32_t i = 0; i < wants; i++) {
        uint32_t at = i + random_below(member, free_count - i);
        uint32_t part = member->wanted[at];
        member->wanted[at] = member->wanted[i];
        member->wanted[i] = part;
    }
    member->wants = wants;
}

/* Half of what is too much, so that it does not rest all at once. */
static void drain_some(struct member *member, uint32_t excess,
                       struct member_todo *todo, struct arena *arena)
{
    uint32_t *list = arena_new(arena, (excess + 1) * sizeof(*list));
    uint32_t most = (excess + 1) / 2;

    for (uint32_t part = part_set_next(&member->ready, 0);
         part < FLEET_PARTITIONS_MAX && todo->drains < most;
         part = part_set_next(&member->ready, part + 1))
        if (part_set_add(&member->draining, part))
            list[todo->drains++] = part;
    todo->drain = list;
}

static void balance(struct member *member,
                    const struct fleet_snapshot *snapshot,
                    struct member_todo *todo, struct arena *arena)
{
    uint32_t share =
        (member->options.partitions + member->alive - 1) / member->alive;
    uint32_t keeps = member->ours.count - member->draining.count;

    if (member->is_leaving || snapshot->crawl.state == FLEET_FINISHED)
        return;
    if (keeps < share && !member->draining.count)
        want_more(member, snapshot, share - keeps);
    else if (keeps > share && !member->draining.count)
        drain_some(member, keeps - share, todo, arena);
}

/* --- its answer: the others ------------------------------------------------
 */

static struct member_watch *find_watch(struct member *member, uint32_t node)
{
    for (size_t i = 0; i < member->watches; i++)
        if (member->watch[i].node == node)
            return &member->watch[i];
    if (member->watches == member->watch_room) {
        member->watch_room = member->watch_room ? 2 * member->watch_room : 16;
        member->watch = mem_resize(member->watch,
                                   member->watch_room * sizeof(*member->watch));
    }
    struct member_watch *watch = &member->watch[member->watches++];
    *watch = (struct member_watch){.node = node};
    return watch;
}

/* In a large fleet each watches the next ones by number. */
static bool is_watched(const struct member *member,
                       const struct fleet_snapshot *snapshot,
                       const struct fleet_node *other)
{
    uint32_t between = 0;

    if (other->node == member->node || other->state != FLEET_ALIVE)
        return false;
    if (member->alive <= MEMBER_WATCH_ALL)
        return true;
    for (size_t i = 0; i < snapshot->nodes; i++) {
        const struct fleet_node *node = &snapshot->node[i];
        bool lies_between =
            member->node < other->node
                ? node->node > member->node && node->node < other->node
                : node->node > member->node || node->node < other->node;
        between += node->state == FLEET_ALIVE && lies_between;
    }
    return between < MEMBER_WATCHED;
}

static void forget_unseen(struct member *member)
{
    size_t kept = 0;

    for (size_t i = 0; i < member->watches; i++)
        if (member->watch[i].seen)
            member->watch[kept++] = member->watch[i];
    member->watches = kept;
}

/* Why this is safe: the renewal of batch b could be seen at the first look, so
 * it was sent before; the other stops by its own clock before a lease is over
 * since then. The second look began more than a lease after the first ended. */
static void observe(struct member *member,
                    const struct fleet_snapshot *snapshot,
                    const struct member_times *times, struct member_todo *todo,
                    struct arena *arena)
{
    struct fleet_bury *bury =
        arena_new(arena, (snapshot->nodes + 1) * sizeof(*bury));

    uint64_t since_ms = times->now_ms - member->polled_ms;
    uint64_t missed_ms = since_ms > gap_ms(member) ? since_ms : 0;
    for (size_t i = 0; i < member->watches; i++) {
        member->watch[i].since_ms += missed_ms;
        member->watch[i].seen = false;
    }
    for (size_t i = 0; i < snapshot->nodes; i++) {
        const struct fleet_node *node = &snapshot->node[i];
        if (!is_watched(member, snapshot, node))
            continue;
        struct member_watch *watch = find_watch(member, node->node);
        watch->seen = true;
        if (watch->incarnation != node->incarnation ||
            watch->batch != node->batch) {
            watch->incarnation = node->incarnation;
            watch->batch = node->batch;
            watch->since_ms = times->now_ms;
        } else if (times->asked_ms > watch->since_ms + patience_ms(member)) {
            bury[todo->buries++] =
                (struct fleet_bury){node->node, node->incarnation, node->batch};
        }
    }
    forget_unseen(member);
    member->polled_ms = times->now_ms;
    todo->bury = bury;
}

/* --- its answer: levels and the end -----------------------------------------
 */

static const struct fleet_node *
find_alive(const struct fleet_snapshot *snapshot, uint32_t node)
{
    for (size_t i = 0; i < snapshot->nodes; i++)
        if (snapshot->node[i].node == node)
            return snapshot->node[i].state == FLEET_ALIVE ? &snapshot->node[i]
                                                          : NULL;
    return NULL;
}

/* Nothing is under way, and nobody's targets are unknown. */
static bool is_quiet(const struct member *member,
                     const struct fleet_snapshot *snapshot)
{
    uint64_t sent = 0, taken = 0;

    for (size_t i = 0; i < snapshot->nodes; i++) {
        const struct fleet_node *node = &snapshot->node[i];
        sent += node->sent;
        taken += node->taken;
        if (node->state == FLEET_ALIVE &&
            node->lowest == FLEET_LOWEST_UNKNOWN && node->node != FLEET_SEEDS)
            return false;
    }
    for (uint32_t i = 0; i < member->options.partitions; i++)
        if (!find_alive(snapshot, snapshot->part[i].owner))
            return false;
    return sent == taken;
}

static int32_t lowest_of_all(const struct fleet_snapshot *snapshot)
{
    int32_t lowest = FLEET_LOWEST_NONE;

    for (size_t i = 0; i < snapshot->nodes; i++) {
        const struct fleet_node *node = &snapshot->node[i];
        if (node->state == FLEET_ALIVE && node->node != FLEET_SEEDS &&
            node->lowest < lowest)
            lowest = node->lowest;
    }
    return lowest;
}

static bool has_all_pages(const struct member *member,
                          const struct fleet_snapshot *snapshot)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < snapshot->nodes; i++)
        pages += snapshot->node[i].pages;
    return pages >= member->options.pages_max;
}

static void command(struct member_todo *todo, struct fleet_command command)
{
    todo->command = command;
    todo->has_command = true;
}

/* The level is that of the engine, which may have been set back, or what this
 * snapshot proves. */
static void conclude(struct member *member,
                     const struct fleet_snapshot *snapshot,
                     struct member_todo *todo)
{
    const struct fleet_crawl *crawl = &snapshot->crawl;
    bool quiet = is_quiet(member, snapshot);
    int32_t lowest = lowest_of_all(snapshot);

    todo->finished = crawl->state == FLEET_FINISHED;
    todo->paused = crawl->wish == FLEET_PAUSE;
    todo->stopped = crawl->wish == FLEET_STOP;
    if (member->options.by_level)
        member->level = crawl->level;
    if (todo->finished)
        return;
    if ((quiet && lowest == FLEET_LOWEST_NONE) ||
        has_all_pages(member, snapshot)) {
        command(todo, (struct fleet_command){.verb = FLEET_DO_FINISH,
                                             .additions = crawl->additions});
    } else if (member->options.by_level && quiet &&
               lowest < FLEET_LOWEST_NONE - 1 &&
               (uint32_t)lowest > member->level) {
        member->level = (uint32_t)lowest;
        command(todo, (struct fleet_command){.verb = FLEET_DO_RAISE,
                                             .level = member->level});
    }
}

/* -------------------------------------------------------------------------- */

static uint32_t count_alive(const struct fleet_snapshot *snapshot)
{
    uint32_t alive = 0;

    for (size_t i = 0; i < snapshot->nodes; i++)
        alive += snapshot->node[i].state == FLEET_ALIVE &&
                 snapshot->node[i].node != FLEET_SEEDS;
    return alive ? alive : 1;
}

bool member_answer(struct member *member, const struct fleet_commit *commit,
                   const struct fleet_answer *answer,
                   const struct member_times *times, struct member_todo *todo,
                   struct arena *arena)
{
    const struct fleet_snapshot *snapshot = &answer->snapshot;
    const struct fleet_node *self = find_alive(snapshot, member->node);

    *todo = (struct member_todo){0};
    if (commit->state == FLEET_LEFT) {
        apply(member, commit, answer, todo);
        member->batch = commit->batch;
        member->has_left = todo->left = true;
        return true;
    }
    if (!self || self->incarnation != member->incarnation ||
        self->batch != commit->batch)
        return false;
    member->batch = commit->batch;
    member->pages_granted = self->pages_granted;
    member->alive = count_alive(snapshot);
    member->pages_left =
        snapshot->crawl.pages_max - snapshot->crawl.pages_given;
    apply(member, commit, answer, todo);
    if (snapshot->crawl.wish == FLEET_STOP)
        member_leave(member);
    observe(member, snapshot, times, todo, arena);
    conclude(member, snapshot, todo);
    balance(member, snapshot, todo, arena);
    return true;
}
