#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "cli/arguments.h"
#include "cli/fleet_plan.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "fleet/engine_postgres.h"

enum {
    LOOK_MS = 250,
    TRIES = 8, /* of a new machine */
    SAY_AFTER_MS = 2000,
    SAY_AGAIN_MS = 60 * 1000,
};

static void say_waiting(const struct fleet_plan *fleet,
                        struct fleet_tries *tries,
                        const struct fleet_error *why)
{
    uint64_t now_ms = clock_boot_ms();

    if (!tries->count++) {
        tries->next_ms = now_ms + SAY_AFTER_MS;
    } else if (now_ms >= tries->next_ms) {
        terminal_line(stderr, "crawler: %s is away (%s); it is waited for",
                      fleet->label, why->text);
        tries->next_ms = now_ms + SAY_AGAIN_MS;
    }
}

bool fleet_may_try(const struct fleet_plan *fleet, struct fleet_tries *tries,
                   const struct fleet_error *why)
{
    if (tries->count >= TRIES && !fleet->is_known)
        return false;
    if (tries->count)
        poll(NULL, 0, LOOK_MS);
    say_waiting(fleet, tries, why);
    return true;
}

enum fleet_result fleet_look(const struct fleet_plan *fleet,
                             struct fleet_snapshot *snapshot,
                             struct arena *arena, struct fleet_error *why)
{
    enum fleet_result result = FLEET_AWAY;
    struct fleet_tries tries = {0};

    while (result == FLEET_AWAY && fleet_may_try(fleet, &tries, why))
        result =
            fleet->engine->type->look(fleet->engine, 0, snapshot, arena, why);
    return result;
}

/* --- a copy of the directory ---------------------------------------------- */

/* Wait for LOOK_MS. False: a signal came, which ends the program. */
static bool rest(struct plan *plan)
{
    struct pollfd fd = {.fd = plan->crawl.signal_fd, .events = POLLIN};

    return poll(&fd, 1, LOOK_MS) <= 0;
}

static int refuse_copy(const struct plan *plan, const struct fleet_node *node)
{
    return complain_failure("machine %u is at work on %.*s with a copy of "
                            "'%s'; a machine that joins needs a directory of "
                            "its own",
                            (unsigned)node->node, STR_ARGS(node->name),
                            plan->crawl.dir_path);
}

enum sign { SIGN_NONE, SIGN_AWAY, SIGN_GONE, SIGN_OF_LIFE };

/* Has the machine that the directory is committed since the first look? */
static enum sign look_for(struct plan *plan, const struct fleet_node *first,
                          struct arena *arena)
{
    const struct fleet_plan *fleet = &plan->fleet;
    struct fleet_snapshot now;
    struct fleet_error why;

    arena_clear(arena);
    enum fleet_result result =
        fleet->engine->type->look(fleet->engine, 0, &now, arena, &why);
    if (result != FLEET_COUNTED)
        return result == FLEET_AWAY ? SIGN_AWAY : SIGN_GONE;
    const struct fleet_node *node =
        fleet_find_node(&now, str_of(fleet->directory));
    if (!node || node->state != FLEET_ALIVE)
        return SIGN_GONE;
    if (node->incarnation == first->incarnation && node->batch == first->batch)
        return SIGN_NONE;
    plan->fleet.early_end = refuse_copy(plan, node);
    return SIGN_OF_LIFE;
}

/* Look for a third of a lease: whoever is alive commits in half of that, unless
 * the engine is away. False as fleet_may_join. */
static bool watch(struct plan *plan, const struct fleet_node *first)
{
    const uint64_t patience_ms = plan->options->lease_ms / 3;
    uint64_t since_ms = clock_boot_ms();
    enum sign sign = SIGN_NONE;
    struct arena arena;

    arena_init(&arena);
    while ((sign == SIGN_NONE || sign == SIGN_AWAY) && rest(plan)) {
        sign = look_for(plan, first, &arena);
        if (sign == SIGN_AWAY)
            since_ms = clock_boot_ms();
        else if (sign == SIGN_NONE && clock_boot_ms() > since_ms + patience_ms)
            sign = SIGN_GONE;
    }
    arena_release(&arena);
    return sign == SIGN_GONE;
}

bool fleet_may_join(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;
    uint64_t joins = fleet->joins;
    struct fleet_snapshot now;
    struct fleet_error why;

    fleet->joins = 1;
    if (!fleet->is_known)
        return true;
    if (fleet_explain(fleet_look(fleet, &now, &fleet->arena, &why),
                      fleet->label, why.text))
        return false;
    const struct fleet_node *node =
        fleet_find_node(&now, str_of(fleet->directory));
    if (!node)
        return true;
    fleet->joins = node->joins + 1;
    if (node->state != FLEET_ALIVE || node->joins <= joins)
        return true;
    fleet->early_end = CRAWL_STOPPED;
    if (!plan->options->quiet)
        terminal_line(stderr,
                      "crawler: machine %u was at work on %.*s and did not "
                      "leave; is it still there?",
                      (unsigned)node->node, STR_ARGS(node->name));
    return watch(plan, node);
}

/* --- joining anew --------------------------------------------------------- */

/* Was it fenced by another process that joined as this machine? Where the
 * engine was set back, it has a process that joined before this one. */
static bool is_replaced(const struct plan *plan,
                        const struct fleet_snapshot *snapshot)
{
    const struct fleet_plan *fleet = &plan->fleet;
    const struct fleet_node *node =
        fleet_find_node(snapshot, str_of(fleet->directory));

    if (!node || node->incarnation == fleet->incarnation ||
        node->joins < fleet->joined.epoch)
        return false;
    refuse_copy(plan, node);
    return true;
}

/* Wait until the engine can be reached, and this machine may join anew. An exit
 * status, or 0. */
static int wait_for_engine(struct plan *plan)
{
    struct fleet_engine *engine = plan->fleet.side;
    struct fleet_snapshot snapshot;
    struct fleet_error why = {0};
    struct fleet_tries tries = {0};
    enum fleet_result result = FLEET_AWAY;
    struct arena arena;

    /* There is no lease any more that could be over too soon. */
    engine_postgres_hurry(engine, NULL, NULL);
    arena_init(&arena);
    while (result == FLEET_AWAY && rest(plan)) {
        say_waiting(&plan->fleet, &tries, &why);
        arena_clear(&arena);
        result = engine->type->look(engine, 0, &snapshot, &arena, &why);
    }
    int status = result == FLEET_AWAY ? CRAWL_STOPPED : 0;
    if (result == FLEET_COUNTED && is_replaced(plan, &snapshot))
        status = CRAWL_FAILED;
    arena_release(&arena);
    return status;
}

/* A password that was typed is not asked for again. */
static void start_again(const struct plan *plan)
{
    struct str user = {0}, now = {0};

    if (plan->user) {
        user = str_of(plan->options->user);
        now = str_of(plan->user);
    }
    arguments_start_again(plan->options->arguments, user, now);
}

int fleet_rejoin(struct plan *plan)
{
    int status = plan->fleet.side ? wait_for_engine(plan) : 0;

    if (status)
        return status;
    start_again(plan);
    complain("cannot start again: %s", strerror(errno));
    return CRAWL_FAILED;
}
