#include "fleet/fleet_store.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fleet/fleet_store_internal.h"
#include "fleet/ledger.h"

enum {
    SAY_AGAIN_MS = 60 * 1000,
};

/* --- committing ----------------------------------------------------------- */

struct outage {
    uint64_t said_ms; /* when it was last told; 0: it was not */
};

static void say_away(const struct fleet_store *store, struct outage *outage,
                     const char *why)
{
    uint64_t now_ms = clock_mono_ms();

    if (!store->options.away ||
        (outage->said_ms && now_ms < outage->said_ms + SAY_AGAIN_MS))
        return;
    outage->said_ms = now_ms;
    store->options.away(store->options.away_user, why);
}

/* The same call again until it is known how it ended. */
static bool send_commit(struct fleet_store *store,
                        const struct fleet_commit *commit,
                        struct store_error *error)
{
    const struct fleet_store_options *options = &store->options;
    struct fleet_engine *engine = options->engine;
    struct fleet_answer answer;
    struct outage outage = {0};
    struct fleet_error why;
    enum fleet_result result;
    uint64_t first_ms = clock_boot_ms(), sent_ms;

    for (;;) {
        arena_clear(&store->arena);
        sent_ms = clock_boot_ms();
        result =
            engine->type->commit(engine, commit, &answer, &store->arena, &why);
        if (result != FLEET_AWAY)
            break;
        say_away(store, &outage, why.text);
        if (options->may_wait && !options->may_wait(options->user))
            return store_fail(error, STORE_FAILED, "%.190s", why.text);
        poll(NULL, 0, TRY_AGAIN_MS);
    }
    if (outage.said_ms)
        options->away(options->away_user, NULL);
    store->is_fenced = result == FLEET_FENCED;
    if (result != FLEET_COUNTED)
        return store_fail(error, STORE_FAILED, "%.190s", why.text);
    /* Which of several attempts it was that counted is not known. */
    atomic_store(&store->renewed_ms, answer.had_counted ? first_ms : sent_ms);
    store->sent = commit->sent;
    store->taken = commit->taken;
    for (size_t i = 0; i < commit->give_ups; i++)
        fleet_store_own(&store->base, commit->give_up[i], 0);
    for (size_t i = 0; i < answer.claims; i++)
        fleet_store_own(&store->base, answer.claimed[i].part,
                        answer.claimed[i].epoch);
    if (options->after_commit)
        options->after_commit(options->user, &answer);
    return true;
}

/* The number of the last page: the greatest in the rows of fetches, or
 * `before`. */
static uint64_t saved_pages(const struct store_batch *const *batch,
                            size_t count, uint64_t before)
{
    for (size_t i = 0; i < count; i++) {
        const struct store_rows *rows = &batch[i]->rows[ROW_fetch];
        const struct store_fetch *fetch = rows->item;
        for (size_t at = 0; at < rows->count; at++)
            if (fetch[at].page > before)
                before = fetch[at].page;
    }
    return before;
}

/* `leaves`: it is the last commit of this machine. */
static bool commit_as(struct fleet_store *store,
                      const struct store_batch *const *batch, size_t count,
                      bool leaves, struct store_error *error)
{
    const struct fleet_store_options *options = &store->options;
    uint32_t partitions = options->crawl.partitions;
    struct journal_segments rows;
    uint32_t *given_up = NULL;
    struct arena arena;

    if (!options->node)
        return store_fail(error, STORE_FAILED, "it is only read");
    if (!journal_pack(store->journal, batch, count, options->node, store->epoch,
                      options->epoch, &rows))
        return store_fail(error, STORE_FAILED, "a row is too large");
    struct fleet_commit commit = {
        .node = options->node,
        .incarnation = options->incarnation,
        .batch = store->batch + 1,
        .state = leaves ? FLEET_LEFT : FLEET_ALIVE,
        .lowest = FLEET_LOWEST_UNKNOWN,
        .sent = store->sent,
        .taken = store->taken,
        .pages = store->pages = saved_pages(batch, count, store->pages),
        .figures = rows.figures,
        .segment = rows.segment,
        .segments = rows.segments,
    };
    if (leaves) {
        given_up = mem_array(partitions, sizeof(*given_up));
        for (uint32_t part = 0; part < partitions; part++)
            if (store->epoch[part])
                given_up[commit.give_ups++] = part;
        commit.give_up = given_up;
    }
    arena_init(&arena);
    commit.fetched =
        ledger_rows(batch, count, options->codes, &arena, &commit.fetches);
    if (options->before_commit)
        options->before_commit(options->user, count, &commit);
    bool good = send_commit(store, &commit, error);
    store->batch += good;
    arena_release(&arena);
    free(given_up);
    return good;
}

static bool fleet_commit_batches(struct store *base,
                                 const struct store_batch *const *batch,
                                 size_t count, struct store_error *error)
{
    return commit_as(fleet_of(base), batch, count, false, error);
}

static bool fleet_commit_last(struct store *base,
                              const struct store_batch *const *batch,
                              size_t count, struct store_error *error)
{
    return commit_as(fleet_of(base), batch, count, true, error);
}

static uint64_t fleet_renew_ms(const struct store *base)
{
    return fleet_of_const(base)->options.renew_every_ms;
}

/* --- the rest ------------------------------------------------------------- */

static void fleet_close(struct store *base)
{
    struct fleet_store *store = fleet_of(base);

    journal_free(store->journal);
    fleet_store_forget_found(store);
    arena_release(&store->arena);
    arena_release(&store->moment_arena);
    store->options.engine->type->close(store->options.engine);
    free(store->epoch);
    free(store->offset);
    free(store->lost);
    free(store);
}

static const struct store_type fleet_store_type = {
    .kind = "fleet",
    .close = fleet_close,
    .commit = fleet_commit_batches,
    .commit_last = fleet_commit_last,
    .slices = fleet_store_slices,
    .load = fleet_store_load,
    .check = fleet_store_check,
    .find_url = fleet_store_find_url,
    .renew_ms = fleet_renew_ms,
};

static void note_lost(struct fleet_store *store,
                      const struct fleet_snapshot *snapshot)
{
    if (!snapshot || !snapshot->nodes)
        return;
    store->lost_room = snapshot->node[snapshot->nodes - 1].node + 1;
    store->lost = mem_array(store->lost_room, sizeof(*store->lost));
    for (size_t i = 0; i < snapshot->nodes; i++)
        store->lost[snapshot->node[i].node] = snapshot->node[i].pages_lost;
}

struct store *fleet_store_new(const struct fleet_store_options *options)
{
    struct fleet_store *store = NEW(struct fleet_store);
    uint32_t partitions = options->crawl.partitions;

    store->base.type = &fleet_store_type;
    store->base.codes = options->codes;
    store->options = *options;
    store->journal =
        journal_new(partitions, options->crawl.seed, options->domains);
    store->pages = options->pages;
    store->sent = options->sent;
    store->taken = options->taken;
    /* Damaged figures are counted anew. */
    journal_set_figures(store->journal, options->figures);
    store->options.figures = (struct str){0};
    note_lost(store, options->snapshot);
    store->options.snapshot = NULL;
    store->epoch = mem_array(partitions, sizeof(*store->epoch));
    arena_init(&store->arena);
    arena_init(&store->moment_arena);
    return &store->base;
}

void fleet_store_own(struct store *base, uint32_t part, uint32_t epoch)
{
    fleet_of(base)->epoch[part] = epoch;
}

uint64_t fleet_store_renewed_ms(const struct store *base)
{
    return atomic_load(&fleet_of_const(base)->renewed_ms);
}

bool fleet_store_is_fenced(const struct store *base)
{
    return fleet_of_const(base)->is_fenced;
}

/* The pages of all machines, one after the other. */
static void number_pages(struct fleet_store *store)
{
    const struct fleet_snapshot *moment = &store->moment;
    uint32_t last = 0, pages = 0;

    for (size_t i = 0; i < moment->nodes; i++)
        last = moment->node[i].node;
    store->machines = (size_t)last + 1;
    store->offset = mem_array(store->machines + 1, sizeof(*store->offset));
    for (size_t i = 0; i < moment->nodes; i++) {
        uint32_t next =
            i + 1 < moment->nodes ? moment->node[i + 1].node : last + 1;
        pages += (uint32_t)moment->node[i].pages;
        for (uint32_t node = moment->node[i].node + 1; node <= next; node++)
            store->offset[node] = pages;
    }
}

struct store *fleet_store_open(struct fleet_engine *engine, const char *label,
                               const struct store_codes *codes,
                               struct store_error *error)
{
    const struct fleet_store_options options = {
        .engine = engine,
        .label = label,
        .codes = codes,
        .crawl = {.partitions = 1},
    };
    struct store *base = fleet_store_new(&options);
    struct fleet_store *store = fleet_of(base);

    if (!fleet_store_look(store, &store->moment, &store->moment_arena, error)) {
        fleet_close(base);
        return NULL;
    }
    store->options.crawl.partitions = store->moment.crawl.partitions;
    store->options.crawl.seed = store->moment.crawl.seed;
    number_pages(store);
    note_lost(store, &store->moment);
    return base;
}

const struct fleet_snapshot *fleet_store_moment(const struct store *base)
{
    return &fleet_of_const(base)->moment;
}

uint32_t fleet_store_pages_before(const struct store *base, uint32_t node)
{
    const struct fleet_store *store = fleet_of_const(base);

    return store->offset[node < store->machines ? node : store->machines];
}
