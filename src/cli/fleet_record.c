#include "cli/fleet_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/fleet_plan.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "fleet/fleet_copy.h"
#include "fleet/fleet_store.h"
#include "web/partition.h"

enum { PATH_LEN_MAX = 8192 };

/* A directory for the copy while it is made. */
struct place {
    char dir_path[PATH_LEN_MAX];
    const char *name;  /* of the copy, for a store */
    const char *label; /* its path */
};

/* --- the engine ----------------------------------------------------------- */

static int open_fleet(const struct options *options, struct arena *arena,
                      struct store **store, const char **label)
{
    const char *url = options->argument[0];
    struct store_error error;

    int status = fleet_check_engine(url, options->name, label, arena);
    if (status)
        return status;
    *store = fleet_open_record(url, options->name, crawler_codes(), &error);
    if (*store)
        return fleet_check_readable(&fleet_store_moment(*store)->crawl, *label);
    return fleet_explain(error.status == STORE_NONE ? FLEET_REFUSED
                                                    : FLEET_AWAY,
                         *label, error.text);
}

/* --- the place of the copy ------------------------------------------------ */

/* `beside`: a file in whose directory it is made; NULL: among temporary
 * files. */
static int make_place(struct place *place, const char *beside,
                      struct arena *arena)
{
    const char *temp = getenv("TMPDIR");
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    struct str where = beside ? str_between(beside, slash ? slash : beside)
                       : temp && *temp ? str_of(temp)
                                       : STR("/tmp");

    if (beside && !slash)
        where = STR(".");
    int len = snprintf(place->dir_path, sizeof(place->dir_path),
                       "%.*s/.crawler-copy-XXXXXX", STR_ARGS(where));
    if (len >= (int)sizeof(place->dir_path) || !mkdtemp(place->dir_path))
        return complain_failure("cannot make a temporary directory in '%.*s': "
                                "%s",
                                STR_ARGS(where), strerror(errno));
    place->name = store_name_in(place->dir_path, arena);
    place->label = store_label(place->name, arena);
    return 0;
}

/* SQLite has no other file there after the copy is closed; a copy that failed
 * may leave its journals. */
static void remove_place(const struct place *place)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char path[PATH_LEN_MAX + 16];

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        snprintf(path, sizeof(path), "%s%s", place->label, ends[i]);
        unlink(path);
    }
    rmdir(place->dir_path);
}

static int copy(struct store *from, const struct place *place,
                const char *label)
{
    struct store_error error;

    if (fleet_copy(from, place->name, &error))
        return 0;
    return complain_failure("cannot copy the record at %s: %s", label,
                            error.text);
}

/* --- reports -------------------------------------------------------------- */

static void list_machines(struct report *report, const struct store *store,
                          struct arena *arena)
{
    const struct fleet_snapshot *moment = fleet_store_moment(store);
    struct report_machine *machine =
        arena_new(arena, (moment->nodes + 1) * sizeof(*machine));
    size_t count = 0;

    report->has_lost_referrers = !fleet_has_referrers(&moment->crawl);
    for (size_t i = 0; i < moment->nodes; i++) {
        const struct fleet_node *node = &moment->node[i];
        if (node->node == FLEET_SEEDS)
            continue;
        machine[count++] = (struct report_machine){
            .number = node->node,
            .pages_before = fleet_store_pages_before(store, node->node),
            .pages = (uint32_t)node->pages,
            .directory = arena_copy(arena, node->directory),
            .has_left = node->state == FLEET_LEFT,
        };
        report->locked |= node->state == FLEET_ALIVE;
        report->has_lost_referrers |= node->pages_lost;
    }
    report->crawl_key = arena_copy(arena, moment->crawl.uuid);
    report->machine = machine;
    report->machines = count;
}

/* An open file stays readable without a name: so nothing is left when the
 * program ends, whatever ends it. */
static int open_copy(struct report *report, struct store *from,
                     const char *label, struct arena *arena)
{
    struct place place = {0};
    int status = make_place(&place, NULL, arena);

    if (status)
        return status;
    status = copy(from, &place, label);
    if (!status) {
        report->store =
            store_open(place.name, STORE_READ, crawler_codes(), &report->error);
        if (!report->store)
            status = complain_failure("cannot read the copy of %s: %s", label,
                                      report->error.text);
    }
    remove_place(&place);
    return status;
}

/* --- in place ------------------------------------------------------------- */

static void turn_to(struct report *report, const struct url *url)
{
    const struct fleet_crawl *crawl = &fleet_store_moment(report->store)->crawl;
    struct str domain = domain_of_host(report->domains, url_host(url));

    fleet_store_show_part(report->store,
                          partition_of(domain, crawl->seed, crawl->partitions));
}

static struct str find_page(struct report *report, uint32_t page,
                            struct arena *arena)
{
    struct str url;

    return fleet_store_find_page(report->store, page, &url, arena)
               ? url
               : (struct str){0};
}

void fleet_record_partition(const struct report *report,
                            struct frontier_options *options)
{
    const struct fleet_crawl *crawl;

    if (!report->turn_to)
        return;
    crawl = &fleet_store_moment(report->store)->crawl;
    options->partitions = crawl->partitions;
    options->partition_seed = crawl->seed;
}

int fleet_record_open_in_place(struct report *report,
                               const struct options *options,
                               struct arena *arena)
{
    int status = open_fleet(options, arena, &report->store, &report->dir_path);

    if (status)
        return status;
    list_machines(report, report->store, arena);
    report->turn_to = turn_to;
    report->find_page = find_page;
    return 0;
}

int fleet_record_copy(struct report *report, struct arena *arena)
{
    struct store *store = report->store;

    fleet_store_show_all(store);
    report->turn_to = NULL;
    report->find_page = NULL;
    report->store = NULL;
    int status = open_copy(report, store, report->dir_path, arena);
    store_close(store);
    return status;
}

int fleet_record_open(struct report *report, const struct options *options,
                      struct arena *arena)
{
    int status = fleet_record_open_in_place(report, options, arena);

    return status ? status : fleet_record_copy(report, arena);
}

int fleet_record_find_machine(struct report *report, const char *dir_path,
                              struct arena *arena)
{
    struct fleet_marker marker = {0};
    int status = fleet_read_marker(store_name_in(dir_path, arena), dir_path,
                                   &marker, arena);

    if (status)
        return status;
    for (size_t i = 0; i < report->machines && marker.directory.len; i++)
        if (str_eq(report->machine[i].directory, marker.directory) &&
            str_eq(report->crawl_key, marker.crawl))
            report->own = &report->machine[i];
    return report->own ? 0
                       : complain("'%s' is no page directory of the crawl at "
                                  "%s",
                                  dir_path, report->dir_path);
}

/* --- a file --------------------------------------------------------------- */

/* Nothing that is there is replaced. Some file systems know only one of the two
 * ways. */
static int publish(const struct place *place, const char *output)
{
    if (!renameat2(AT_FDCWD, place->label, AT_FDCWD, output,
                   RENAME_NOREPLACE) ||
        (errno == EINVAL && !link(place->label, output)))
        return 0;
    return complain_failure("cannot write '%s': %s", output, strerror(errno));
}

int fleet_record_export(const struct options *options)
{
    struct store *store = NULL;
    struct place place = {0};
    struct arena arena;
    const char *label;

    arena_init(&arena);
    int status = output_check(options->output, OUTPUT_NEW);
    if (!status)
        status = open_fleet(options, &arena, &store, &label);
    if (!status && !(status = make_place(&place, options->output, &arena))) {
        status = copy(store, &place, label);
        if (!status)
            status = publish(&place, options->output);
        remove_place(&place);
    }
    store_close(store);
    arena_release(&arena);
    return status;
}
