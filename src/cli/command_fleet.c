/* Commands of a fleet. They ask its engine, and no machine: a command is a row
 * that every machine reads with its next commit, also one that comes later. */
#include <time.h>

#include "base/escape.h"
#include "cli/fleet_plan.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "fleet/engine_postgres.h"
#include "fleet/mail.h"
#include "report/fleet_status.h"

/* A server that changes its primary is away for a moment; a person waits for
 * that, but not for long. */
enum { TRIES = 3, TRY_AGAIN_MS = 500 };

struct asked {
    struct arena arena;
    struct fleet_engine *engine;
    const char *label; /* the engine without its password, for messages */
    const char *name;  /* of the crawl */
    struct fleet_error error;
};

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

/* Status 0, or another after one line on standard error. `asked` is to be
 * released in either case. */
static int open_engine(struct asked *asked, const struct options *options)
{
    const char *url = options->argument[0];

    *asked = (struct asked){.name = options->name};
    arena_init(&asked->arena);
    int status =
        fleet_check_engine(url, asked->name, &asked->label, &asked->arena);
    if (!status)
        asked->engine = engine_postgres_new(url, asked->name);
    return status;
}

static void close_engine(struct asked *asked)
{
    if (asked->engine)
        asked->engine->type->close(asked->engine);
    arena_release(&asked->arena);
}

static int look(struct asked *asked, struct fleet_snapshot *snapshot)
{
    enum fleet_result result = FLEET_AWAY;

    for (int i = 0; i < TRIES && result == FLEET_AWAY; i++) {
        if (i)
            sleep_ms(TRY_AGAIN_MS);
        result = asked->engine->type->look(asked->engine, 0, snapshot,
                                           &asked->arena, &asked->error);
    }
    return fleet_explain(result, asked->label, asked->error.text);
}

static int command(struct asked *asked, const struct fleet_command *command)
{
    enum fleet_result result = FLEET_AWAY;

    for (int i = 0; i < TRIES && result == FLEET_AWAY; i++) {
        if (i)
            sleep_ms(TRY_AGAIN_MS);
        result =
            asked->engine->type->command(asked->engine, command, &asked->error);
    }
    return fleet_explain(result, asked->label, asked->error.text);
}

/* --- status --------------------------------------------------------------- */

int command_fleet_status(const struct options *options)
{
    struct fleet_snapshot snapshot;
    struct asked asked;
    int status = open_engine(&asked, options);

    if (!status && options->json)
        status = complain("--json is for the status of a page directory");
    if (!status)
        status = look(&asked, &snapshot);
    if (!status)
        fleet_status_print(stdout, &snapshot, asked.name, asked.label);
    close_engine(&asked);
    return status;
}

/* --- pause, continue, stop ------------------------------------------------ */

static int wish(const struct options *options, enum fleet_wish wish,
                const char *text)
{
    const struct fleet_command order = {.verb = FLEET_DO_WISH, .wish = wish};
    struct fleet_snapshot snapshot;
    struct asked asked;
    int status = open_engine(&asked, options);

    if (!status)
        status = look(&asked, &snapshot);
    if (!status && snapshot.crawl.state == FLEET_FINISHED)
        status = complain("the crawl '%s' at %s is finished", asked.name,
                          asked.label);
    if (!status)
        status = command(&asked, &order);
    if (!status)
        terminal_line(stdout, "The crawl '%s' %s", asked.name, text);
    close_engine(&asked);
    return status;
}

int command_fleet_pause(const struct options *options)
{
    return wish(options, FLEET_PAUSE,
                "pauses: every machine ends its fetches and waits");
}

int command_fleet_continue(const struct options *options)
{
    return wish(options, FLEET_RUN, "goes on");
}

int command_fleet_stop(const struct options *options)
{
    return wish(options, FLEET_STOP,
                "stops: every machine leaves it. To go on: crawler continue, "
                "and the same command on each machine");
}

/* --- lost ----------------------------------------------------------------- */

static const struct fleet_node *find(const struct fleet_snapshot *snapshot,
                                     uint64_t number)
{
    for (size_t i = 0; i < snapshot->nodes; i++)
        if (snapshot->node[i].node == number && number != FLEET_SEEDS)
            return &snapshot->node[i];
    return NULL;
}

static int lose(struct asked *asked, const char *text)
{
    struct fleet_snapshot snapshot;
    uint64_t number;

    if (!str_to_u64(str_of(text), &number))
        return complain("'%s' is no number of a machine", text);
    int status = look(asked, &snapshot);
    if (status)
        return status;
    const struct fleet_node *node = find(&snapshot, number);
    if (!node)
        return complain("the crawl '%s' has no machine %s", asked->name, text);
    if (node->state == FLEET_ALIVE)
        return complain("machine %s is at work: its pages are not lost", text);
    const struct fleet_command order = {.verb = FLEET_DO_LOSE,
                                        .node = (uint32_t)number};
    status = command(asked, &order);
    if (!status)
        terminal_line(stdout,
                      "The pages of machine %s are lost: %llu are to be "
                      "fetched again",
                      text, (unsigned long long)node->pages);
    return status;
}

int command_fleet_lost(const struct options *options)
{
    struct asked asked;
    int status = open_engine(&asked, options);

    if (!status)
        status = lose(&asked, options->argument[1]);
    close_engine(&asked);
    return status;
}

/* --- add ------------------------------------------------------------------ */

/* The rules of the crawl, as they were recorded. `*is_planned`: the plan is to
 * be released. */
static int recall_plan(struct plan *plan, bool *is_planned,
                       struct options *recalled, const struct asked *asked,
                       const struct options *options)
{
    struct crawl_record record = {0};
    struct store_error error;
    struct store *store = fleet_open_record(options->argument[0], asked->name,
                                            crawler_codes(), &error);
    int status;

    if (!store)
        return complain_failure("cannot read the crawl at %s: %s", asked->label,
                                error.text);
    crawl_record_read_from(&record, store);
    store_close(store);
    if (record.error.status != STORE_OK)
        status = complain_failure("cannot read the crawl at %s: %s",
                                  asked->label, record.error.text);
    else
        status = crawl_record_options(recalled, &record, &(struct list){0},
                                      asked->label);
    *is_planned = !status;
    if (!status)
        status = plan_recall(plan, recalled, &record) ? EXIT_FAILURE : 0;
    crawl_record_release(&record);
    return status;
}

/* Behind those that the crawl has. */
static int read_seeds(struct plan *plan, struct options *recalled,
                      const struct options *options)
{
    size_t before = plan->seed_count;
    int status = 0;

    plan->is_begun = true;
    recalled->seeds = options->seeds;
    for (size_t i = 1; i < options->argument_count && !status; i++)
        status = seeds_add_argument(plan, options->argument[i]);
    if (!status && options->seeds)
        status = seeds_add_file(plan);
    return status || plan->seed_count > before
               ? status
               : complain("--seeds '%s' has no URL to add", options->seeds);
}

static int send_seeds(struct asked *asked, const struct fleet_crawl *crawl,
                      const struct plan *plan, size_t from)
{
    struct outbox *outbox = outbox_new(crawl->partitions, false, crawl->seed);
    struct fleet_command order = {.verb = FLEET_DO_ADD,
                                  .token = fleet_random_number() >> 1};

    for (size_t i = from; i < plan->seed_count; i++)
        outbox_put_seed(outbox, &plan->seeds[i].url, TARGET_PAGE, true,
                        plan->domains, crawl->seed);
    order.seed = outbox_seal(outbox, &asked->arena, &order.seeds);
    outbox_free(outbox);
    return command(asked, &order);
}

/* Nothing more would be fetched. */
static int check_limit(const struct asked *asked,
                       const struct fleet_snapshot *snapshot)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < snapshot->nodes; i++)
        pages += snapshot->node[i].pages;
    return pages < snapshot->crawl.pages_max
               ? 0
               : complain("the crawl '%s' has saved its --max-pages %llu",
                          asked->name,
                          (unsigned long long)snapshot->crawl.pages_max);
}

/* `max_time_ms` is that of the command which began the crawl. */
static void tell_added(const struct asked *asked,
                       const struct fleet_snapshot *snapshot,
                       uint64_t max_time_ms, size_t seeds)
{
    const struct fleet_crawl *crawl = &snapshot->crawl;
    bool is_over = max_time_ms != OPTION_NONE &&
                   snapshot->engine_ms >= crawl->began_ms + max_time_ms;
    bool is_at_work = false;

    for (size_t i = 0; i < snapshot->nodes; i++)
        is_at_work |= snapshot->node[i].state == FLEET_ALIVE;
    terminal_line(stdout, "The crawl '%s' has %zu more seed%s%s%s", asked->name,
                  seeds, seeds == 1 ? "" : "s",
                  is_at_work ? ""
                             : "; to go on: the same command on each machine",
                  is_at_work || !is_over ? "" : ", with a longer --max-time");
}

static int add(struct asked *asked, const struct options *options)
{
    struct fleet_snapshot snapshot;
    struct options recalled;
    struct plan plan = {0};
    bool is_planned = false;
    int status;

    if ((status = look(asked, &snapshot)) ||
        (status = fleet_check_rules(&snapshot.crawl, asked->label, NULL)) ||
        (status = check_limit(asked, &snapshot)))
        return status;
    options_init(&recalled);
    status = recall_plan(&plan, &is_planned, &recalled, asked, options);
    size_t before = plan.seed_count;
    if (!status)
        status = fleet_check_rules(&snapshot.crawl, asked->label, plan.domains);
    if (!status)
        status = read_seeds(&plan, &recalled, options);
    if (!status)
        status = send_seeds(asked, &snapshot.crawl, &plan, before);
    if (!status)
        tell_added(asked, &snapshot, recalled.max_time_ms,
                   plan.seed_count - before);
    if (is_planned)
        plan_release(&plan);
    options_release(&recalled);
    return status;
}

int command_fleet_add(const struct options *options)
{
    struct asked asked;

    if (!options->argument_count ||
        (options->argument_count == 1 && !options->seeds))
        return complain("add takes the engine of a fleet (postgres://...), and "
                        "URLs or --seeds FILE");
    int status = open_engine(&asked, options);
    if (!status)
        status = add(&asked, options);
    close_engine(&asked);
    return status;
}
