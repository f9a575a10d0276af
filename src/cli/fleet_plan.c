#include "cli/fleet_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "crawler/fleet.h"
#include "crawler/record_codes.h"
#include "fleet/engine_postgres.h"
#include "fleet/fleet_store.h"
#include "fleet/journal.h"
#include "fleet/mail.h"
#include "fleet/member.h"

/* FORMAT: the version of the tables, of segments and of the rules for a URL's
 * partition. A crawl of an earlier one is only read, from FORMAT_READ on; from
 * FORMAT_REFERRERS on a referrer has its machine. */
enum { FORMAT = 6, FORMAT_READ = 2, FORMAT_REFERRERS = 3 };

int fleet_check_engine(const char *url, const char *name, const char **label,
                       struct arena *arena)
{
    *label =
        engine_postgres_is_url(url) ? engine_postgres_label(url, arena) : NULL;
    if (!*label)
        return complain("the engine must be postgres://[USER@]HOST[:PORT]"
                        "[,...]/DATABASE");
    if (!engine_postgres_is_name(name))
        return complain("--name must be at most %d small letters, digits and "
                        "'_', not beginning with pg_, not '%s'",
                        ENGINE_POSTGRES_NAME_MAX, login_hide(arena, name));
    return 0;
}

int fleet_explain(enum fleet_result result, const char *label, const char *why)
{
    if (result == FLEET_COUNTED)
        return 0;
    if (result == FLEET_REFUSED)
        return complain("%s: %s", label, why);
    return complain_failure("the engine %s is away: %s", label, why);
}

int fleet_check(struct plan *plan)
{
    const struct options *options = plan->options;
    static const char *const needed[] = {"name", "partitions", "lease",
                                         "ledger"};

    for (size_t i = 0; i < ARRAY_LEN(needed) && !options->fleet; i++)
        if (option_is_given(&options->given, needed[i]))
            return complain("--%s needs --fleet", needed[i]);
    if (!options->fleet)
        return 0;
    int status = fleet_check_engine(options->fleet, options->name,
                                    &plan->fleet.label, &plan->arena);
    if (status)
        return status;
    if (options->state || options->restart)
        return complain("--fleet contradicts --%s",
                        options->restart ? "restart" : "state none");
    if (options->wacz)
        return complain("--wacz makes a package of one page directory; of a "
                        "fleet's, crawler export --format wacz makes one");
    return 0;
}

/* --- what is there ----------------------------------------------------------
 */

/* 32 hexadecimal digits. */
static void make_key(char key[FLEET_KEY_LEN + 1])
{
    unsigned char random[FLEET_KEY_LEN / 2];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        abort();
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(key + 2 * i, 3, "%02x", random[i]);
}

uint64_t fleet_random_number(void)
{
    uint64_t number = 0;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        abort();
    return number | 1;
}

static int check_files(const struct plan *plan, uint32_t pages)
{
    uint32_t unknown =
        pagedir_unknown_file(&plan->dir, pages, plan->fleet.is_known);

    if (!unknown)
        return 0;
    return complain("pageDirectory '%s' has numbered files (%u) that no crawl "
                    "is recorded to have made; use an empty directory",
                    plan->crawl.dir_path, (unsigned)unknown);
}

static int check_format(const struct fleet_crawl *crawl, const char *label,
                        uint32_t first)
{
    if (crawl->format >= first && crawl->format <= FORMAT)
        return 0;
    return complain("the crawl at %s is of another version of this program",
                    label);
}

int fleet_check_readable(const struct fleet_crawl *crawl, const char *label)
{
    return check_format(crawl, label, FORMAT_READ);
}

bool fleet_has_referrers(const struct fleet_crawl *crawl)
{
    return crawl->format >= FORMAT_REFERRERS;
}

int fleet_check_rules(const struct fleet_crawl *crawl, const char *label,
                      const struct domains *domains)
{
    char suffixes[DOMAINS_DIGEST_LEN + 1];
    int status = check_format(crawl, label, FORMAT);

    if (status)
        return status;
    if (!domains)
        return 0;
    domains_digest(domains, suffixes);
    if (!str_eq(crawl->suffixes, str_of(suffixes)))
        return complain("the crawl at %s was begun with another public suffix "
                        "list; every machine needs the same file, see package "
                        "publicsuffix",
                        label);
    return 0;
}

static int check_same(struct plan *plan)
{
    const struct fleet_crawl *crawl = &plan->fleet.crawl;
    uint64_t wanted = plan->options->partitions;
    const char *why;
    int status = fleet_check_rules(crawl, plan->fleet.label, plan->domains);

    if (status)
        return status;
    if (option_is_given(&plan->options->given, "partitions") &&
        wanted != crawl->partitions)
        return complain("the crawl at %s has %u partitions", plan->fleet.label,
                        (unsigned)crawl->partitions);
    why = state_difference(plan);
    if (why && !plan->options->remembered)
        return complain("the crawl '%s' at %s is another: %s; use another "
                        "--name",
                        plan->options->name, plan->fleet.label, why);
    return 0;
}

/* The crawl is in the engine: read what it was begun with. */
static int decide_to_join(struct plan *plan, const struct fleet_marker *marker,
                          const struct fleet_snapshot *snapshot)
{
    struct fleet_plan *fleet = &plan->fleet;
    struct store_error error;
    int status;

    fleet->crawl = snapshot->crawl;
    if (marker->crawl.len && !str_eq(marker->crawl, fleet->crawl.uuid))
        return complain("'%s' belongs to another crawl; use another directory",
                        plan->crawl.dir_path);
    /* It was begun a moment ago: start again, with its options. */
    if (!plan->options->joins)
        return fleet_rejoin(plan);
    crawl_record_release(&plan->record);
    if (!fleet_read_crawl(&plan->record, plan->options, fleet, &error))
        return complain_failure("cannot read the crawl at %s: %s", fleet->label,
                                error.text);
    const struct fleet_node *node =
        fleet_find_node(snapshot, str_of(fleet->directory));
    fleet->node = node ? node->node : 0;
    fleet->pages = node ? (uint32_t)node->pages : 0;
    if ((status = check_same(plan)) ||
        (status = check_files(plan, fleet->pages)))
        return status;
    plan->action =
        fleet->crawl.state == FLEET_FINISHED ? ACTION_NONE : ACTION_RESUME;
    if (plan->action == ACTION_NONE)
        return 0;
    status = crawl_record_check_secrets(&plan->record, &plan->options->given);
    return status ? status : state_check_proxy(plan);
}

int fleet_decide(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;
    struct fleet_snapshot snapshot;
    struct fleet_error why;
    struct fleet_marker marker = {0};
    char place[FLEET_PLACE_MAX];
    int status;

    plan->store_name = store_name_in(plan->crawl.dir_path, &plan->arena);
    if ((status = fleet_read_marker(plan->store_name, plan->crawl.dir_path,
                                    &marker, &plan->arena)))
        return status;
    fleet->is_known = marker.directory.len;
    fleet->begun_ms = fleet->is_known ? marker.begun_ms : clock_wall_ms();
    fleet_put_place(plan, place);
    if (marker.place.len && str_eq(marker.place, str_of(place)))
        fleet->joins = marker.joins;
    make_key(fleet->directory);
    if (marker.directory.ptr && fleet->is_known)
        memcpy(fleet->directory, marker.directory.ptr, FLEET_KEY_LEN);
    fleet->engine =
        engine_postgres_new(plan->options->fleet, plan->options->name);
    enum fleet_result result =
        fleet_look(fleet, &snapshot, &fleet->arena, &why);
    if (result == FLEET_AWAY)
        return fleet_explain(result, fleet->label, why.text);
    if (result == FLEET_COUNTED)
        return decide_to_join(plan, &marker, &snapshot);
    if (fleet->is_known)
        return complain("the crawl of '%s' is not at %s: %s",
                        plan->crawl.dir_path, fleet->label, why.text);
    plan->action = ACTION_START;
    plan->record.error.status = STORE_NONE;
    return check_files(plan, 0);
}

/* --- doing it ---------------------------------------------------------------
 */

/* The seeds go as mail to the machines that own their partitions. */
static const struct fleet_mail *mail_of_seeds(struct plan *plan, uint64_t seed,
                                              size_t *count)
{
    const struct crawl_options *crawl = &plan->crawl;
    struct outbox *outbox =
        outbox_new((uint32_t)plan->options->partitions, false, seed);
    struct url url;

    for (size_t i = 0; i < crawl->seed_count; i++)
        outbox_put_seed(outbox, &crawl->seeds[i].url, TARGET_PAGE,
                        crawl->seeds[i].named, plan->domains, seed);
    for (const char *const *text = crawl->sitemaps; text && *text; text++)
        if (!url_parse(&url, &plan->arena, str_of(*text), NULL, NULL))
            outbox_put_seed(outbox, &url, TARGET_SITEMAP, true, plan->domains,
                            seed);
    struct fleet_mail *mail = outbox_seal(outbox, &plan->arena, count);
    for (size_t i = 0; i < *count; i++) {
        mail[i].key.sender = FLEET_SEEDS;
        mail[i].key.seq = i + 1;
    }
    outbox_free(outbox);
    return mail;
}

/* Begin the crawl in the engine, with its settings, seeds and first mail. False
 * after one line, or if another machine began it first. */
static bool begin(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;
    char suffixes[DOMAINS_DIGEST_LEN + 1], uuid[FLEET_KEY_LEN + 1];
    uint64_t seed = fleet_random_number();
    uint32_t partitions = (uint32_t)plan->options->partitions;
    struct journal *journal = journal_new(partitions, seed, plan->domains);
    struct journal_segments rows;
    struct store_batch first;
    struct fleet_error why;
    bool begun = false;

    domains_digest(plan->domains, suffixes);
    make_key(uuid);
    store_batch_init(&first);
    state_put_first_rows(plan, &first);
    journal_pack_crawl(journal, &first, &rows);
    size_t seeds;
    const struct fleet_mail *seed_mail = mail_of_seeds(plan, seed, &seeds);
    const struct fleet_begin first_rows = {
        .seed = seed_mail,
        .seeds = seeds,
        .crawl =
            {
                .uuid = str_of(uuid),
                .format = FORMAT,
                .partitions = partitions,
                .seed = seed,
                .suffixes = str_of(suffixes),
                .pages_max = plan->crawl.max_pages,
            },
        .segment = rows.segment,
        .segments = rows.segments,
    };
    enum fleet_result result = FLEET_AWAY;
    struct fleet_tries tries = {0};
    while (result == FLEET_AWAY && fleet_may_try(fleet, &tries, &why))
        result = fleet->engine->type->begin(fleet->engine, &first_rows,
                                            &fleet->crawl, &begun,
                                            &fleet->arena, &why);
    store_batch_release(&first);
    journal_free(journal);
    if (fleet_explain(result, fleet->label, why.text))
        return false;
    /* Another machine began the crawl first: start again and join it. */
    if (!begun)
        fleet->early_end = CRAWL_REJOIN;
    return begun;
}

static bool join(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;
    char host[256] = "machine";
    struct fleet_error why;
    enum fleet_result result = FLEET_AWAY;

    gethostname(host, sizeof(host) - 1);
    fleet->incarnation = fleet_random_number();
    fleet->joined_ms = clock_boot_ms();
    const struct fleet_join join = {str_of(host), str_of(fleet->directory),
                                    fleet->incarnation};
    struct fleet_tries tries = {0};
    while (result == FLEET_AWAY && fleet_may_try(fleet, &tries, &why))
        result = fleet->engine->type->join(fleet->engine, &join, &fleet->joined,
                                           &fleet->arena, &why);
    return !fleet_explain(result, fleet->label, why.text);
}

/* --- the store --------------------------------------------------------------
 */

/* On the committer's thread. */
static void say_away(void *user, const char *why)
{
    const struct plan *plan = user;

    if (why)
        terminal_line(stderr,
                      "crawler: %s is away (%s); the crawl waits and goes on "
                      "by itself",
                      plan->fleet.label, why);
    else
        terminal_line(stderr, "crawler: %s is back", plan->fleet.label);
}

static struct str own_figures(const struct plan *plan)
{
    const struct fleet_joined *joined = &plan->fleet.joined;

    for (size_t i = 0; i < joined->snapshot.nodes; i++)
        if (joined->snapshot.node[i].node == joined->node)
            return joined->snapshot.node[i].figures;
    return (struct str){0};
}

static void open_store(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;
    const struct fleet_store_options options = {
        .engine = fleet->engine,
        .label = fleet->label,
        .domains = plan->domains,
        .codes = crawler_codes(),
        .crawl = fleet->crawl,
        .node = fleet->joined.node,
        .epoch = fleet->joined.epoch,
        .incarnation = fleet->incarnation,
        .pages = fleet->joined.pages,
        .sent = fleet->joined.sent,
        .taken = fleet->joined.taken,
        .figures = own_figures(plan),
        .renew_every_ms = plan->options->lease_ms / 6,
        .user = fleet->fleet,
        .before_commit = fleet_before_commit,
        .after_commit = fleet_after_commit,
        .may_wait = fleet_may_wait,
        .away = say_away,
        .away_user = plan,
    };

    plan->store = fleet_store_new(&options);
    for (size_t i = 0; i < fleet->joined.parts; i++)
        fleet_store_own(plan->store, fleet->joined.part[i].part,
                        fleet->joined.part[i].epoch);
}

static struct fleet_engine *new_connection(const struct plan *plan)
{
    return engine_postgres_new(plan->options->fleet, plan->options->name);
}

/* The crawler thread has connections of its own: the committer may be waiting
 * on the first. It must not wait for them when the lease is nearly over. */
static void open_loader(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;
    const struct fleet_store_options options = {
        .engine = new_connection(plan),
        .label = fleet->label,
        .domains = plan->domains,
        .codes = crawler_codes(),
        .crawl = fleet->crawl,
        .node = fleet->joined.node,
        .user = fleet->fleet,
        .may_wait = fleet_may_go_on,
        .snapshot = &fleet->joined.snapshot,
    };

    engine_postgres_hurry(options.engine, fleet_may_go_on, fleet->fleet);
    fleet->loader = fleet_store_new(&options);
}

static void open_fleet(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;

    fleet->side = new_connection(plan);
    fleet->fleet = fleet_new(&(struct fleet_options){
        .engine = fleet->side,
        .joined = &fleet->joined,
        .incarnation = fleet->incarnation,
        .joined_ms = fleet->joined_ms,
        .partitions = fleet->crawl.partitions,
        .lease_ms = plan->options->lease_ms,
        .pages_max = fleet->crawl.pages_max,
        .by_level = plan->crawl.frontier.ranking == RANKING_BFS,
    });
    engine_postgres_hurry(fleet->side, fleet_may_go_on, fleet->fleet);
    open_loader(plan);
    open_store(plan);
    fleet_set_stores(fleet->fleet, plan->store, fleet->loader);
    plan->crawl.worker.fetch.may_send = fleet_may_go_on;
    plan->crawl.worker.fetch.may_send_user = fleet->fleet;
}

/* The time of a fleet began with the crawl, by the engine's clock, whenever a
 * machine joined. */
static uint64_t time_left_ms(const struct plan *plan)
{
    const struct fleet_snapshot *now = &plan->fleet.joined.snapshot;
    uint64_t max_ms = plan->options->max_time_ms;
    uint64_t began_ms = now->crawl.began_ms;
    uint64_t since_ms =
        now->engine_ms > began_ms ? now->engine_ms - began_ms : 0;

    if (max_ms == OPTION_NONE)
        return UINT64_MAX;
    return max_ms > since_ms ? max_ms - since_ms : 0;
}

static void plan_crawl(struct plan *plan)
{
    struct crawl_options *crawl = &plan->crawl;
    uint64_t every_ms = plan->options->lease_ms / 6;

    crawl->resume = plan->action == ACTION_RESUME;
    crawl->resume_unclean = crawl->resume;
    crawl->frontier.partitions = plan->fleet.crawl.partitions;
    crawl->frontier.partition_seed = plan->fleet.crawl.seed;
    if (crawl->frontier.ip_delay_ms)
        crawl->frontier.ip_hold_ms = member_hold_ms(plan->options->lease_ms);
    crawl->record_label = plan->fleet.label;
    crawl->max_pages = UINT64_MAX; /* the fleet has one limit: of all */
    crawl->max_time_ms = time_left_ms(plan);
    if (crawl->save_every_ms > every_ms)
        crawl->save_every_ms = every_ms;
    plan->dir.last_id = (uint32_t)plan->fleet.joined.pages;
    /* Remove the pages of a killed run that were never committed. */
    if (plan->fleet.is_known)
        pagedir_drop_run(&plan->dir, plan->dir.last_id);
    if (crawl->resume)
        state_put_new_facts(plan);
    crawl->store = plan->store;
    crawl->ledger = !plan->options->ledger;
    crawl->fleet = plan->fleet.fleet;
}

static unsigned count_alive(const struct fleet_snapshot *snapshot)
{
    unsigned alive = 0;

    for (size_t i = 0; i < snapshot->nodes; i++)
        alive +=
            snapshot->node[i].node && snapshot->node[i].state == FLEET_ALIVE;
    return alive;
}

bool fleet_begin_crawl(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;

    fleet->early_end = CRAWL_FAILED;
    if ((plan->action == ACTION_START && !begin(plan)) ||
        !fleet_may_join(plan) || !fleet_write_marker(plan) || !join(plan))
        return false;
    open_fleet(plan);
    plan_crawl(plan);
    if (!plan->options->quiet)
        terminal_line(stderr,
                      "crawler: machine %u of crawl '%s' at %s; %u at work",
                      (unsigned)fleet->joined.node, plan->options->name,
                      fleet->label, count_alive(&fleet->joined.snapshot));
    return true;
}

void fleet_release(struct plan *plan)
{
    struct fleet_plan *fleet = &plan->fleet;

    /* The store closes the engine that it was given. */
    if (fleet->engine && !plan->store)
        fleet->engine->type->close(fleet->engine);
    if (fleet->side)
        fleet->side->type->close(fleet->side);
    store_close(fleet->loader);
    fleet_free(fleet->fleet);
    arena_release(&fleet->arena);
}

/* --- reports ----------------------------------------------------------------
 */

struct store *fleet_open_record(const char *url, const char *name,
                                const struct store_codes *codes,
                                struct store_error *error)
{
    return fleet_store_open(engine_postgres_new(url, name), "", codes, error);
}
