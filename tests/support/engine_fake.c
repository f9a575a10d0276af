#include "support/engine_fake.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- the state ------------------------------------------------------------ */

void fake_init(struct fake *fake)
{
    *fake = (struct fake){0};
    arena_init(&fake->arena);
}

static void release_state(struct fake_state *state)
{
    free(state->mail);
    free(state->row);
    *state = (struct fake_state){0};
}

void fake_release(struct fake *fake)
{
    release_state(&fake->now);
    release_state(&fake->saved);
    arena_release(&fake->arena);
}

static void *copy_of(const void *array, size_t count, size_t size)
{
    void *copy = mem_array(count + 1, size);

    if (count)
        memcpy(copy, array, count * size);
    return copy;
}

static void copy_state(struct fake_state *to, const struct fake_state *from)
{
    release_state(to);
    *to = *from;
    to->mail = copy_of(from->mail, from->mails, sizeof(*from->mail));
    to->row = copy_of(from->row, from->rows, sizeof(*from->row));
}

void fake_save(struct fake *fake)
{
    copy_state(&fake->saved, &fake->now);
}

void fake_set_back(struct fake *fake)
{
    copy_state(&fake->now, &fake->saved);
}

static struct fake *fake_of(struct fleet_engine *engine)
{
    return ((struct fake_link *)(void *)engine)->fake;
}

static bool is_cut(struct fleet_engine *engine)
{
    return ((struct fake_link *)(void *)engine)->is_cut;
}

static enum fleet_result answer_of(struct fleet_engine *engine)
{
    struct fake_link *link = (struct fake_link *)(void *)engine;
    bool lost = link->loses_answer;

    link->loses_answer = false;
    return lost ? FLEET_AWAY : FLEET_COUNTED;
}

struct fleet_node *fake_find_node(struct fake_state *state, uint32_t number)
{
    for (size_t i = 0; i < state->nodes; i++)
        if (state->node[i].node == number)
            return &state->node[i];
    return NULL;
}

static void add_mail(struct fake *fake, const struct fleet_mail *mail)
{
    struct fake_state *state = &fake->now;

    state->mail =
        mem_resize(state->mail, (state->mails + 1) * sizeof(*state->mail));
    state->mail[state->mails++] = (struct fake_mail){
        .mail = {mail->key, arena_copy(&fake->arena, mail->payload)}};
}

static void add_row(struct fake *fake, const struct fleet_segment *segment,
                    uint32_t node, uint64_t batch)
{
    struct fake_state *state = &fake->now;
    struct fake_row *row;

    state->row =
        mem_resize(state->row, (state->rows + 1) * sizeof(*state->row));
    row = &state->row[state->rows++];
    *row = (struct fake_row){*segment, node, batch};
    row->segment.payload = arena_copy(&fake->arena, segment->payload);
}

/* --- reading ----------------------------------------------------------------
 */

static bool is_earlier(const struct fleet_mail *a, const struct fleet_mail *b)
{
    if (a->key.part != b->key.part)
        return a->key.part < b->key.part;
    if (a->key.sender != b->key.sender)
        return a->key.sender < b->key.sender;
    return a->key.seq < b->key.seq;
}

static int compare(const void *a, const void *b)
{
    return is_earlier(a, b) ? -1 : is_earlier(b, a);
}

static void read_mail(const struct fake_state *state, uint32_t node,
                      struct fleet_snapshot *snapshot, struct arena *arena)
{
    struct fleet_mail *mail =
        arena_new(arena, (state->mails + 1) * sizeof(*mail));
    size_t count = 0;

    for (size_t i = 0; i < state->mails; i++) {
        const struct fake_mail *at = &state->mail[i];
        snapshot->mails_waiting += !at->deleted;
        if (!at->deleted && node &&
            state->part[at->mail.key.part].owner == node)
            mail[count++] = at->mail;
    }
    qsort(mail, count, sizeof(*mail), compare);
    snapshot->mail = mail;
    snapshot->mails = count < FLEET_MAILS_MAX ? count : FLEET_MAILS_MAX;
}

static void read_all(const struct fake *fake, uint32_t node,
                     struct fleet_snapshot *snapshot, struct arena *arena)
{
    const struct fake_state *state = &fake->now;
    struct fleet_node *nodes =
        arena_new(arena, FAKE_NODES_MAX * sizeof(*nodes));
    struct fleet_part *part = arena_new(arena, FAKE_PARTS_MAX * sizeof(*part));

    memcpy(nodes, state->node, state->nodes * sizeof(*nodes));
    memcpy(part, state->part, FAKE_PARTS_MAX * sizeof(*part));
    *snapshot = (struct fleet_snapshot){
        .engine_ms = fake->time_ms,
        .crawl = state->crawl,
        .node = nodes,
        .nodes = state->nodes,
        .part = part,
    };
    read_mail(state, node, snapshot, arena);
}

static enum fleet_result look(struct fleet_engine *engine, uint32_t node,
                              struct fleet_snapshot *snapshot,
                              struct arena *arena, struct fleet_error *error)
{
    (void)error;
    if (is_cut(engine))
        return FLEET_AWAY;
    if (!fake_of(engine)->now.begun)
        return FLEET_REFUSED;
    read_all(fake_of(engine), node, snapshot, arena);
    return answer_of(engine);
}

static enum fleet_result load(struct fleet_engine *engine, uint32_t part,
                              fleet_segment_fn *segment, void *user,
                              struct fleet_error *error)
{
    const struct fake_state *state = &fake_of(engine)->now;

    (void)error;
    if (is_cut(engine))
        return FLEET_AWAY;
    if (part < FAKE_PARTS_MAX)
        fake_of(engine)->loads[part]++;
    /* Rows are in the order of (epoch, batch): an epoch has one owner. */
    for (size_t i = 0; i < state->rows; i++)
        if (state->row[i].segment.part == part &&
            !segment(user, &state->row[i].segment, state->row[i].node,
                     state->row[i].batch))
            return FLEET_REFUSED;
    return answer_of(engine);
}

/* It keeps no ledger. */
static enum fleet_result find_page(struct fleet_engine *engine, uint32_t node,
                                   uint64_t page, struct str *url,
                                   struct arena *arena,
                                   struct fleet_error *error)
{
    (void)node, (void)page, (void)arena, (void)error;
    *url = (struct str){0};
    return is_cut(engine) ? FLEET_AWAY : answer_of(engine);
}

/* --- beginning and joining --------------------------------------------------
 */

static enum fleet_result begin(struct fleet_engine *engine,
                               const struct fleet_begin *begin,
                               struct fleet_crawl *crawl, bool *begun,
                               struct arena *arena, struct fleet_error *error)
{
    struct fake *fake = fake_of(engine);
    struct fake_state *state = &fake->now;

    (void)arena;
    (void)error;
    if (is_cut(engine))
        return FLEET_AWAY;
    *begun = !state->begun;
    if (!state->begun) {
        state->begun = true;
        state->crawl = begin->crawl;
        state->node[state->nodes++] =
            (struct fleet_node){.state = FLEET_LEFT, .sent = begin->seeds};
        for (size_t i = 0; i < begin->seeds; i++)
            add_mail(fake, &begin->seed[i]);
    }
    *crawl = state->crawl;
    return answer_of(engine);
}

static struct fleet_node *node_of(struct fake *fake, struct str directory)
{
    struct fake_state *state = &fake->now;

    for (size_t i = 0; i < state->nodes; i++)
        if (state->node[i].node && str_eq(state->node[i].directory, directory))
            return &state->node[i];
    struct fleet_node *node = &state->node[state->nodes++];
    *node = (struct fleet_node){
        .node = (uint32_t)state->nodes - 1,
        .directory = arena_copy(&fake->arena, directory),
    };
    return node;
}

static enum fleet_result join(struct fleet_engine *engine,
                              const struct fleet_join *join,
                              struct fleet_joined *joined, struct arena *arena,
                              struct fleet_error *error)
{
    struct fake *fake = fake_of(engine);
    struct fake_state *state = &fake->now;
    struct fleet_owned *owned =
        arena_new(arena, FAKE_PARTS_MAX * sizeof(*owned));

    (void)error;
    if (is_cut(engine))
        return FLEET_AWAY;
    struct fleet_node *node = node_of(fake, join->directory);
    bool again = node->incarnation == join->incarnation;
    if (!again) {
        node->incarnation = join->incarnation;
        node->batch = 0;
        node->state = FLEET_ALIVE;
        node->lowest = FLEET_LOWEST_UNKNOWN;
        node->joins = ++state->join_epoch[node->node];
    }
    *joined = (struct fleet_joined){
        .node = node->node,
        .epoch = state->join_epoch[node->node],
        .sent = node->sent,
        .taken = node->taken,
        .pages = node->pages,
        .pages_granted = node->pages_granted,
        .part = owned,
    };
    for (uint32_t i = 0; i < state->crawl.partitions; i++) {
        if (state->part[i].owner != node->node)
            continue;
        state->part[i].epoch += !again;
        owned[joined->parts++] = (struct fleet_owned){i, state->part[i].epoch};
    }
    read_all(fake, 0, &joined->snapshot, arena);
    return answer_of(engine);
}

/* --- a commit ----------------------------------------------------------------
 */

static struct fake_mail *find_mail(struct fake_state *state,
                                   const struct fleet_mail_key *key)
{
    for (size_t i = 0; i < state->mails; i++) {
        struct fake_mail *mail = &state->mail[i];
        if (!mail->deleted && mail->mail.key.part == key->part &&
            mail->mail.key.sender == key->sender &&
            mail->mail.key.seq == key->seq)
            return mail;
    }
    return NULL;
}

static bool fits(struct fake_state *state, const struct fleet_commit *commit)
{
    for (size_t i = 0; i < commit->tooks; i++)
        if (!find_mail(state, &commit->took[i]))
            return false;
    for (size_t i = 0; i < commit->give_ups; i++)
        if (state->part[commit->give_up[i]].owner != commit->node)
            return false;
    return true;
}

static void grant(struct fake_state *state, struct fleet_node *node,
                  int64_t wanted)
{
    struct fleet_crawl *crawl = &state->crawl;
    uint64_t given = crawl->pages_given + (uint64_t)wanted;

    if (!wanted || (wanted > 0 && given > crawl->pages_max))
        return;
    crawl->pages_given = given;
    node->pages_granted += (uint64_t)wanted;
}

static void apply(struct fake *fake, struct fleet_node *node,
                  const struct fleet_commit *commit)
{
    struct fake_state *state = &fake->now;

    node->batch = commit->batch;
    node->state = commit->state;
    node->lowest = commit->lowest;
    node->sent = commit->sent;
    node->taken = commit->taken;
    node->pages = commit->pages;
    node->figures = arena_copy(&fake->arena, commit->figures);
    grant(state, node, commit->pages_wanted);
    fake_apply_addresses(fake, commit);
    for (size_t i = 0; i < commit->segments; i++)
        add_row(fake, &commit->segment[i], commit->node, commit->batch);
    for (size_t i = 0; i < commit->mails; i++)
        add_mail(fake, &commit->mail[i]);
    for (size_t i = 0; i < commit->tooks; i++) {
        struct fake_mail *mail = find_mail(state, &commit->took[i]);
        if (mail)
            mail->deleted = true;
    }
    for (size_t i = 0; i < commit->give_ups; i++) {
        state->part[commit->give_up[i]].owner = FLEET_NO_OWNER;
        state->part[commit->give_up[i]].epoch++;
    }
    for (size_t i = 0; i < commit->claims; i++) {
        struct fleet_part *part = &state->part[commit->claim[i]];
        if (part->owner == FLEET_NO_OWNER) {
            part->owner = commit->node;
            part->epoch++;
        }
    }
}

static void claimed(const struct fake_state *state,
                    const struct fleet_commit *commit,
                    struct fleet_answer *answer, struct arena *arena)
{
    struct fleet_owned *owned =
        arena_new(arena, (commit->claims + 1) * sizeof(*owned));

    for (size_t i = 0; i < commit->claims; i++) {
        const struct fleet_part *part = &state->part[commit->claim[i]];
        if (part->owner == commit->node)
            owned[answer->claims++] =
                (struct fleet_owned){commit->claim[i], part->epoch};
    }
    answer->claimed = owned;
}

static bool had_counted(const struct fleet_node *node,
                        const struct fleet_commit *commit)
{
    return node && node->incarnation == commit->incarnation &&
           node->batch == commit->batch && node->state == commit->state;
}

static bool is_next(const struct fleet_node *node,
                    const struct fleet_commit *commit)
{
    return node && node->incarnation == commit->incarnation &&
           node->batch == commit->batch - 1 && node->state == FLEET_ALIVE;
}

static enum fleet_result commit(struct fleet_engine *engine,
                                const struct fleet_commit *commit,
                                struct fleet_answer *answer,
                                struct arena *arena, struct fleet_error *error)
{
    struct fake *fake = fake_of(engine);
    struct fleet_node *node = fake_find_node(&fake->now, commit->node);

    (void)error;
    *answer = (struct fleet_answer){0};
    if (is_cut(engine))
        return FLEET_AWAY;
    if (!fake->counts_again && had_counted(node, commit)) {
        answer->had_counted = true;
        fake->counted_before++;
    } else if ((node && fake->has_no_fence) ||
               (had_counted(node, commit) && fake->counts_again) ||
               (is_next(node, commit) && fits(&fake->now, commit))) {
        apply(fake, node, commit);
    } else {
        fake->fenced++;
        return FLEET_FENCED;
    }
    claimed(&fake->now, commit, answer, arena);
    read_all(fake, commit->node, &answer->snapshot, arena);
    fake_read_addresses(fake, commit, &answer->snapshot, arena);
    return answer_of(engine);
}

/* --- rare calls
 * --------------------------------------------------------------- */

static enum fleet_result bury(struct fleet_engine *engine,
                              const struct fleet_bury *bury,
                              struct fleet_error *error)
{
    struct fake *fake = fake_of(engine);
    struct fake_state *state = &fake->now;
    struct fleet_node *node = fake_find_node(state, bury->node);

    (void)error;
    if (is_cut(engine))
        return FLEET_AWAY;
    if (node && node->incarnation == bury->incarnation &&
        node->batch == bury->batch && node->state == FLEET_ALIVE) {
        node->state = FLEET_DEAD;
        fake->buried++;
        state->crawl.pages_given -= node->pages_granted - node->pages;
        node->pages_granted = node->pages;
        for (uint32_t i = 0; i < state->crawl.partitions; i++) {
            if (state->part[i].owner != node->node)
                continue;
            state->part[i].owner = FLEET_NO_OWNER;
            state->part[i].epoch++;
        }
    }
    return answer_of(engine);
}

static void add_seeds(struct fake *fake, const struct fleet_command *command)
{
    struct fake_state *state = &fake->now;
    struct fleet_node *node = fake_find_node(state, FLEET_SEEDS);

    if (state->last_token == command->token)
        return;
    state->last_token = command->token;
    for (size_t i = 0; i < command->seeds; i++) {
        struct fleet_mail mail = command->seed[i];
        mail.key.seq = ++node->sent;
        add_mail(fake, &mail);
    }
    state->crawl.additions++;
    state->crawl.state = FLEET_RUNNING;
}

static void lose(struct fake_state *state, uint32_t number)
{
    struct fleet_node *node = fake_find_node(state, number);

    state->crawl.pages_given -= node->pages_granted;
    state->crawl.additions++;
    state->crawl.state = FLEET_RUNNING;
    node->pages_lost = true;
    node->pages = node->pages_granted = 0;
    node->directory = STR("lost");
    for (size_t i = 0; i < state->nodes; i++)
        if (state->node[i].node && state->node[i].state == FLEET_ALIVE) {
            state->node[i].batch += 2;
            state->node[i].lowest = FLEET_LOWEST_UNKNOWN;
        }
}

static enum fleet_result command(struct fleet_engine *engine,
                                 const struct fleet_command *command,
                                 struct fleet_error *error)
{
    struct fake *fake = fake_of(engine);
    struct fleet_crawl *crawl = &fake->now.crawl;

    (void)error;
    if (is_cut(engine))
        return FLEET_AWAY;
    switch (command->verb) {
    case FLEET_DO_FINISH:
        if (crawl->state == FLEET_RUNNING &&
            crawl->additions == command->additions) {
            crawl->state = FLEET_FINISHED;
            fake->finishes++;
        }
        break;
    case FLEET_DO_RAISE:
        if (crawl->level < command->level)
            crawl->level = command->level;
        break;
    case FLEET_DO_WISH:
        crawl->wish = command->wish;
        break;
    case FLEET_DO_ADD:
        add_seeds(fake, command);
        break;
    case FLEET_DO_LOSE:
        lose(&fake->now, command->node);
        break;
    }
    return answer_of(engine);
}

static void close_link(struct fleet_engine *engine)
{
    (void)engine;
}

void fake_connect(struct fake_link *link, struct fake *fake)
{
    static const struct fleet_engine_type type = {
        .begin = begin,
        .join = join,
        .commit = commit,
        .look = look,
        .load = load,
        .find_page = find_page,
        .bury = bury,
        .command = command,
        .close = close_link,
    };

    *link = (struct fake_link){.engine.type = &type, .fake = fake};
}
