#include "base/escape.h"
#include "cli/crawl_record.h"
#include "cli/fleet_plan.h"
#include "cli/option_table.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "fleet/engine_postgres.h"

/* The options of a machine that joins a crawl: which are the crawl's, and which
 * its own. */

enum { ERROR_MAX = 4096 };

struct joining {
    const struct options *now;   /* of this machine's command */
    const struct list *recorded; /* of the crawl, as given */
    struct options begun;        /* the same, read */
    const char *label;           /* of the engine */
};

/* --- one option ----------------------------------------------------------- */

static bool is_same_list(const struct list *one, const struct list *other)
{
    bool same = one->count == other->count;

    for (size_t i = 0; i < one->count && same; i++)
        same = !strcmp(one->item[i], other->item[i]);
    return same;
}

/* Do both have the same value, given or by default? */
static bool is_same(const struct joining *joining, const struct option_row *row)
{
    const void *one = (const char *)joining->now + row->at;
    const void *other = (const char *)&joining->begun + row->at;

    switch (row->type) {
    case OPTION_FLAG:
        return *(const bool *)one == *(const bool *)other;
    case OPTION_LIST:
        return is_same_list(one, other);
    case OPTION_TEXT: {
        const char *text = *(const char *const *)one;
        const char *begun = *(const char *const *)other;
        return text && begun ? !strcmp(text, begun) : text == begun;
    }
    default:
        return *(const uint64_t *)one == *(const uint64_t *)other;
    }
}

static bool may_be_taken(const struct option_row *row)
{
    return row && (row->owner == OF_CRAWL || row->owner == OF_EITHER);
}

/* The rules for URLs are one list, of several options. */
static bool has_rules(const struct list *given)
{
    for (size_t i = 0; i < given->count; i++)
        if (option_is_ordered(given->item[i]))
            return true;
    return false;
}

/* Is this option of the crawl an option of the machine, too? */
static bool is_taken(const struct joining *joining, const char *recorded)
{
    const struct list *now = &joining->now->given;
    const struct option_row *row = option_row_of(recorded);

    if (!may_be_taken(row) || crawl_record_is_secret(recorded))
        return false;
    if (row->ordered)
        return !has_rules(now);
    if (option_is_named(recorded, "header"))
        return !crawl_record_is_replaced(recorded, now);
    return !option_is_given(now, row->name) ||
           (row->type != OPTION_LIST && is_same(joining, row));
}

/* An option that says the same in other words is taken from the crawl. */
static bool is_own(const struct joining *joining, const char *given)
{
    const struct option_row *row = option_row_of(given);

    return !may_be_taken(row) || row->type == OPTION_LIST ||
           !is_same(joining, row);
}

static const char *last_given(const struct list *given, const char *name)
{
    const char *last = NULL;

    for (size_t i = 0; i < given->count; i++)
        if (option_is_named(given->item[i], name))
            last = given->item[i];
    return last;
}

/* --- all of them ---------------------------------------------------------- */

/* Options that are fixed are compared with the seeds: state_difference. */
static int compare(const struct joining *joining)
{
    const struct options *now = joining->now;

    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        const char *given = last_given(&now->given, row->name);
        const char *begun = last_given(joining->recorded, row->name);
        if (!(row->commands & COMMAND_CRAWL) || !may_be_taken(row) ||
            row->fixed || !given || is_same(joining, row))
            continue;
        if (row->owner == OF_CRAWL)
            return complain("the crawl '%s' at %s was begun %s --%s; without "
                            "--%s this machine takes what the crawl has",
                            now->name, joining->label,
                            begun ? "with" : "without", begun ? begun : given,
                            row->name);
        if (!now->quiet)
            terminal_line(stderr,
                          "crawler: this machine has a --%s of its own; the "
                          "crawl was begun with %s",
                          row->name, begun ? "another" : "none");
    }
    return 0;
}

static int fail(const struct joining *joining, const struct buf *error)
{
    return complain_failure("the options of the crawl at %s: %.*s",
                            joining->label, STR_ARGS(buf_str(error)));
}

static bool read_begun(struct joining *joining, struct buf *error)
{
    const struct list *recorded = joining->recorded;
    bool good = true;

    for (size_t i = 0; i < recorded->count && good; i++)
        if (!crawl_record_is_secret(recorded->item[i]))
            good = options_add(&joining->begun, recorded->item[i], error);
    return good;
}

static bool add_all(struct options *whole, const struct joining *joining,
                    struct buf *error)
{
    const struct list *recorded = joining->recorded;
    const struct list *now = &joining->now->given;
    bool good = true;

    for (size_t i = 0; i < recorded->count && good; i++)
        if (is_taken(joining, recorded->item[i]))
            good = options_add(whole, recorded->item[i], error);
    for (size_t i = 0; i < now->count && good; i++)
        if (is_own(joining, now->item[i]))
            good = options_add(whole, now->item[i], error);
    whole->argument = joining->now->argument;
    whole->argument_count = joining->now->argument_count;
    crawl_record_take_unrecorded(whole, joining->now);
    whole->fleet = joining->now->fleet;
    whole->joins = true;
    return good;
}

static int take_options(struct options *whole, struct joining *joining)
{
    struct buf error;
    int status = 0;

    buf_init(&error, ERROR_MAX);
    options_init(&joining->begun);
    bool good = read_begun(joining, &error);
    if (good)
        status = compare(joining);
    if (good && !status)
        good = add_all(whole, joining, &error);
    if (!good)
        status = fail(joining, &error);
    options_release(&joining->begun);
    buf_release(&error);
    return status;
}

/* --- the crawl in the engine ---------------------------------------------- */

bool fleet_read_crawl(struct crawl_record *record,
                      const struct options *options,
                      const struct fleet_plan *fleet, struct store_error *error)
{
    struct fleet_tries tries = {0};
    struct fleet_error why;

    *record = (struct crawl_record){0};
    *error = (struct store_error){.status = STORE_FAILED};
    while (error->status == STORE_FAILED &&
           fleet_may_try(fleet, &tries, &why)) {
        struct store *store = fleet_open_record(options->fleet, options->name,
                                                crawler_codes(), error);
        if (store) {
            crawl_record_release(record);
            crawl_record_read_from(record, store);
            *error = record->error;
        }
        store_close(store);
        snprintf(why.text, sizeof(why.text), "%s", error->text);
    }
    return error->status == STORE_OK;
}

static int take_from_crawl(struct options *whole, const struct options *options,
                           const struct fleet_plan *fleet, bool *is_whole)
{
    struct crawl_record record;
    struct store_error error;
    int status;

    if (!fleet_read_crawl(&record, options, fleet, &error)) {
        status = complain_failure("cannot read the crawl at %s: %s",
                                  fleet->label, error.text);
    } else {
        struct joining joining = {
            .now = options,
            .recorded = &record.given,
            .label = fleet->label,
        };
        status = take_options(whole, &joining);
        *is_whole = true;
    }
    crawl_record_release(&record);
    return status;
}

static int ask_engine(struct options *whole, const struct options *options,
                      struct fleet_plan *fleet, bool *is_whole)
{
    struct fleet_snapshot snapshot;
    struct fleet_error why;
    int status;

    enum fleet_result result =
        fleet_look(fleet, &snapshot, &fleet->arena, &why);
    if (result == FLEET_REFUSED)
        return 0; /* there is no crawl yet */
    if ((status = fleet_explain(result, fleet->label, why.text)) ||
        (status = fleet_check_rules(&snapshot.crawl, fleet->label, NULL)))
        return status;
    return take_from_crawl(whole, options, fleet, is_whole);
}

int fleet_whole_options(struct options *whole, const struct options *options,
                        bool *is_whole)
{
    struct fleet_plan fleet = {0};
    struct fleet_marker marker = {0};
    int status;

    options_init(whole);
    *is_whole = false;
    if (options->argument_count < 2)
        return 0; /* what is wrong is said when the crawl is planned */
    const char *dir_path = options->argument[options->argument_count - 2];
    arena_init(&fleet.arena);
    if (!(status = fleet_check_engine(options->fleet, options->name,
                                      &fleet.label, &fleet.arena)) &&
        !(status = fleet_read_marker(store_name_in(dir_path, &fleet.arena),
                                     dir_path, &marker, &fleet.arena))) {
        fleet.is_known = marker.directory.len;
        fleet.engine = engine_postgres_new(options->fleet, options->name);
        status = ask_engine(whole, options, &fleet, is_whole);
        fleet.engine->type->close(fleet.engine);
    }
    arena_release(&fleet.arena);
    return status;
}
