/* crawler export --format cdxj and wacz, of several page directories: those of
 * one fleet, whose engine is named first, or any others.
 *
 *     crawler export --format wacz --output all.wacz postgres://db/crawl m1 m2
 *     crawler export --format cdxj postgres://db/crawl
 *     crawler export --format cdxj one two
 *
 * The second is the index of all machines of the fleet.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/crawl_record.h"
#include "cli/fleet_plan.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "fleet/engine_postgres.h"
#include "page/pagedir.h"
#include "report/export.h"
#include "report/export_archive.h"
#include "web/url.h"

/* Numbers of pages are those of their crawl, which has 32 bits for them. */
#define PAGES_OF_A_CRAWL ((uint64_t)1 << 32)

struct archives {
    const struct options *options;
    struct arena arena;
    const char *url, *label; /* of the engine; NULL: none is named */
    struct fleet_snapshot fleet;
    uint64_t pages; /* of all sources so far */

    struct archive_source *source;
    const char **name;   /* of each, for messages */
    struct pagedir *dir; /* of each; fd -1: none */
    uint32_t *node;      /* of each; 0: it is in no fleet */
    size_t count;
};

/* --- opening -------------------------------------------------------------- */

static int look(struct archives *all)
{
    const char *name = all->options->name;
    int status = fleet_check_engine(all->url, name, &all->label, &all->arena);
    struct fleet_error why;

    if (status)
        return status;
    struct fleet_engine *engine = engine_postgres_new(all->url, name);
    enum fleet_result result =
        engine->type->look(engine, 0, &all->fleet, &all->arena, &why);
    engine->type->close(engine);
    status = fleet_explain(result, all->label, why.text);
    return status ? status
                  : fleet_check_readable(&all->fleet.crawl, all->label);
}

static void add(struct archives *all, const char *name, struct store *store,
                struct pagedir dir, const struct fleet_node *node)
{
    all->source[all->count] = (struct archive_source){
        .store = store,
        .dir_fd = dir.fd,
        .pages_before = all->pages,
    };
    all->name[all->count] = name;
    all->dir[all->count] = dir;
    all->node[all->count++] = node ? node->node : 0;
    all->pages += node ? node->pages : 0;
}

static struct store *open_machine(const struct archives *all, uint32_t node)
{
    return fleet_open_machine(all->url, all->options->name, &all->fleet.crawl,
                              node, crawler_codes());
}

static int add_machine(struct archives *all, const char *path,
                       struct pagedir dir, const struct fleet_marker *marker)
{
    const struct fleet_node *node;

    if (!all->url)
        return complain("'%s' is the page directory of a fleet's machine; name "
                        "the engine first: postgres://...",
                        path);
    node = fleet_find_node(&all->fleet, marker->directory);
    if (!node || !str_eq(marker->crawl, all->fleet.crawl.uuid))
        return complain("'%s' is no machine of the crawl at %s", path,
                        all->label);
    for (size_t i = 0; i < all->count; i++)
        if (all->node[i] == node->node)
            return complain("'%s' is a copy of '%s'", path, all->name[i]);
    add(all, path, open_machine(all, node->node), dir, node);
    return 0;
}

static bool find_directory_key(void *user, const struct store_setting *row)
{
    *(bool *)user |= str_eq(row->name, STR(FLEET_SETTING_DIRECTORY));
    return true;
}

/* The record of a machine's directory says only which machine it is. */
static int add_directory(struct archives *all, const char *path,
                         struct pagedir dir)
{
    const char *store_name = store_name_in(path, &all->arena);
    struct store_error error;
    struct store *store =
        store_open(store_name, STORE_READ, crawler_codes(), &error);
    bool is_machine = false;
    const struct store_reader reader = {.user = &is_machine,
                                        .setting = find_directory_key};
    struct fleet_marker marker = {0};
    int status;

    if (!store || !store_load(store, 0, &reader, &error)) {
        store_close(store);
        return complain("no crawl can be read in '%s': %s", path, error.text);
    }
    if (!is_machine && !all->url) {
        add(all, path, store, dir, NULL);
        all->pages += PAGES_OF_A_CRAWL;
        return 0;
    }
    store_close(store);
    if ((status = fleet_read_marker(store_name, path, &marker, &all->arena)))
        return status;
    return add_machine(all, path, dir, &marker);
}

/* The name under which a directory was given before; NULL: it was not. */
static const char *find_same(const struct archives *all, int fd)
{
    struct stat one, other;

    for (size_t i = 0; i < all->count && !fstat(fd, &one); i++)
        if (!fstat(all->dir[i].fd, &other) && one.st_dev == other.st_dev &&
            one.st_ino == other.st_ino)
            return all->name[i];
    return NULL;
}

static int open_directory(struct archives *all, const char *path)
{
    struct pagedir dir = {.fd = -1};

    if (!pagedir_open_read(&dir, path))
        return complain("pageDirectory '%s': %s", login_hide(&all->arena, path),
                        strerror(errno));
    const char *same = find_same(all, dir.fd);
    int status =
        same ? complain("'%s' and '%s' are the same directory", same, path)
             : add_directory(all, path, dir);
    if (status)
        pagedir_close(&dir);
    return status;
}

static bool is_given(const struct archives *all, uint32_t node)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->node[i] == node)
            return true;
    return false;
}

/* Machines whose directory is not given. An index needs no files, so it can
 * have them all; otherwise say which are missing. A machine whose pages are
 * lost has none to miss. */
static void look_at_others(struct archives *all, bool adds_all)
{
    for (size_t i = 0; i < all->fleet.nodes; i++) {
        const struct fleet_node *node = &all->fleet.node[i];
        if (node->node == FLEET_SEEDS || node->pages_lost ||
            is_given(all, node->node))
            continue;
        if (adds_all)
            add(all, all->label, open_machine(all, node->node),
                (struct pagedir){.fd = -1}, node);
        else if (node->pages)
            complain("machine %u with %llu pages is left out: its page "
                     "directory is not named",
                     (unsigned)node->node, (unsigned long long)node->pages);
    }
}

static int open_all(struct archives *all)
{
    const struct options *options = all->options;
    size_t count = options->argument_count;
    int status = 0;

    if (engine_postgres_is_url(options->argument[0])) {
        all->url = options->argument[0];
        if ((status = look(all)))
            return status;
    }
    size_t room = count + all->fleet.nodes;
    all->source = mem_array(room, sizeof(*all->source));
    all->name = mem_array(room, sizeof(*all->name));
    all->dir = mem_array(room, sizeof(*all->dir));
    all->node = mem_array(room, sizeof(*all->node));
    for (size_t i = all->url ? 1 : 0; i < count && !status; i++)
        status = open_directory(all, options->argument[i]);
    if (status || !all->url)
        return status;
    if (!all->count && options->format == EXPORT_WACZ)
        return complain("export takes the page directories behind %s: the "
                        "files of the archive are there",
                        all->label);
    look_at_others(all, !all->count);
    return 0;
}

static void close_all(struct archives *all)
{
    for (size_t i = 0; i < all->count; i++) {
        store_close(all->source[i].store);
        if (all->dir[i].fd >= 0)
            pagedir_close(&all->dir[i]);
    }
    free(all->source);
    free(all->name);
    free(all->dir);
    free(all->node);
    arena_release(&all->arena);
}

/* --- exporting ------------------------------------------------------------ */

static int tell(const struct archives *all, enum archive_status status,
                const struct archive_export *done)
{
    const char *name = all->count ? all->name[done->source] : all->label;

    switch (status) {
    case ARCHIVE_NONE:
        return complain("there is no archive: the crawl was run without "
                        "--warc, or nothing was archived yet");
    case ARCHIVE_NO_RECORD:
        return complain_failure("cannot read the record of '%s': %s", name,
                                done->store_error.text);
    case ARCHIVE_NOT_SORTED:
        return complain_failure("cannot sort the index: no room for a "
                                "temporary file");
    case ARCHIVE_NO_FILE:
        return complain_failure("cannot read '%s/%s': %s", name, done->file,
                                done->error == ENODATA
                                    ? "it is shorter than the record says"
                                    : strerror(done->error));
    case ARCHIVE_NOT_WRITTEN:
        return complain_failure("cannot write '%s': %s", all->options->output,
                                strerror(done->error));
    case ARCHIVE_SAME_NAME:
        return complain("'%s/%s' has the name of another file; an index or a "
                        "package has one file of a name",
                        name, done->file);
    case ARCHIVE_DONE:
        break;
    }
    return 0;
}

/* All machines of a fleet have the same options. */
static const char *dedup_of(const struct archives *all,
                            struct crawl_record *record)
{
    crawl_record_read_from(record, all->source[0].store);
    return crawl_record_dedup(record);
}

/* `*is_damaged`: the package is good but for what is told. */
static int fill_package(const struct archives *all, int fd, bool *is_damaged)
{
    const struct wacz_options options = {
        .now_ms = clock_wall_ms(),
        .software = "crawler " CRAWLER_VERSION,
    };
    struct crawl_record record = {0};
    struct archive_export done;
    const char *elsewhere = dedup_of(all, &record);
    int status = tell(
        all,
        export_wacz(all->source, all->count, elsewhere, fd, &options, &done),
        &done);

    crawl_record_release(&record);
    if (!status && done.originals_missing)
        complain("%llu of %llu payloads in the archive of --warc-dedup were "
                 "not found there",
                 (unsigned long long)done.originals_missing,
                 (unsigned long long)done.originals);
    *is_damaged = !status && done.damaged;
    if (*is_damaged)
        complain("%llu of %llu captures are damaged and cannot be found in "
                 "'%s'",
                 (unsigned long long)done.damaged,
                 (unsigned long long)done.captures, all->options->output);
    return status;
}

static int write_package(const struct archives *all)
{
    struct output_file out;
    bool is_damaged = false;
    int status = output_open(&out, all->options->output, OUTPUT_NEW);

    if (status)
        return status;
    status = output_close(&out, fill_package(all, out.fd, &is_damaged));
    return !status && is_damaged ? EXIT_FAILURE : status;
}

int command_export_archives(const struct options *options)
{
    struct archives all = {.options = options};
    struct archive_export done;

    arena_init(&all.arena);
    int status = open_all(&all);
    if (!status && options->format == EXPORT_WACZ)
        status = write_package(&all);
    else if (!status)
        status = tell(&all, export_cdxj(all.source, all.count, &done), &done);
    close_all(&all);
    return status;
}
