#include <errno.h>

#include "base/clock.h"
#include "base/escape.h"
#include "cli/fleet_record.h"
#include "cli/output_file.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "crawler/resume.h"
#include "fleet/engine_postgres.h"
#include "report/details.h"
#include "report/export.h"
#include "report/export_archive.h"
#include "report/report.h"

/* The record of a crawl, opened to be read. Nothing is changed, so it works
 * beside a crawl at work and in a directory that cannot be written.
 *
 * The functions return status 0, or another after one line on standard error:
 * EXIT_USAGE if there is no record, 1 if it is damaged or cannot be read. */
struct open_record {
    struct arena arena;
    const char *label; /* of the record, for messages */
    struct pagedir dir;
    struct crawl_record record; /* until it is part of the plan */
    struct options options;     /* of the crawl */
    bool planned;
    struct plan plan; /* if so */
    struct report report;
    bool lists_damage; /* see open_record */
};

enum { PATH_LEN_MAX = 8192 };

/* --- opening ------------------------------------------------------------ */

static int fail(const struct open_record *open)
{
    return complain_failure("cannot read the state in '%s': %s", open->label,
                            open->report.error.text);
}

static int refuse(const struct open_record *open)
{
    const struct store_error *error = &open->report.error;
    const char *dir_path = open->report.dir_path;

    switch (error->status) {
    case STORE_NONE:
        return complain("no crawl is recorded in '%s': %s is missing", dir_path,
                        open->label);
    case STORE_EMPTY:
    case STORE_NOTE:
    case STORE_FOREIGN:
        return complain("no crawl is recorded in '%s': %s is %s", dir_path,
                        open->label, error->text);
    case STORE_NEWER:
        return complain("the state in '%s' was %s", open->label, error->text);
    default:
        return fail(open);
    }
}

/* A crawl takes its lock before it writes that it runs, and writes that it
 * ended before it gives the lock up. So the lock was looked at first, and is
 * looked at again if the crawl seems to have been killed. */
static int read_facts(struct open_record *open)
{
    struct crawl_record *record = &open->record;

    crawl_record_read_from(record, open->report.store);
    open->report.error = record->error;
    if (record->facts.is_machine)
        return crawl_record_refuse_machine(record, open->report.dir_path,
                                           "ask its engine:");
    if (record->error.status != STORE_OK)
        return open->lists_damage ? 0 : fail(open);
    if (record->facts.state == STATE_RUNNING && !open->report.locked &&
        !open->report.machines)
        open->report.locked = pagedir_is_locked(&open->dir);
    return 0;
}

/* `lists_damage`: whoever uses the record finds and lists what is damaged. */
static int open_record(struct open_record *open, const char *dir_path,
                       bool lists_damage)
{
    *open = (struct open_record){
        .dir.fd = -1,
        .report.dir_path = dir_path,
        .lists_damage = lists_damage,
    };
    arena_init(&open->arena);
    options_init(&open->options);
    const char *name = store_name_in(dir_path, &open->arena);
    open->label = store_label(name, &open->arena);
    if (!pagedir_open_read(&open->dir, dir_path))
        return complain("pageDirectory '%s': %s",
                        login_hide(&open->arena, dir_path), strerror(errno));
    open->report.locked = pagedir_is_locked(&open->dir);
    open->report.store =
        store_open(name, STORE_READ, crawler_codes(), &open->report.error);
    return open->report.store ? read_facts(open) : refuse(open);
}

/* The record of a fleet, with the files of one machine if a directory of pages
 * is named too. */
static int open_fleet(struct open_record *open, const struct options *options)
{
    bool has_files =
        options->command == COMMAND_VERIFY && options->argument_count > 1;
    bool is_why = options->command == COMMAND_WHY;

    *open = (struct open_record){.dir.fd = -1};
    arena_init(&open->arena);
    options_init(&open->options);
    int status = (is_why ? fleet_record_open_in_place : fleet_record_open)(
        &open->report, options, &open->arena);
    open->label = open->report.dir_path;
    if (!status)
        status = read_facts(open);
    if (status || !has_files)
        return status;
    const char *path = options->argument[1];
    if (!pagedir_open_read(&open->dir, path))
        return complain("pageDirectory '%s': %s",
                        login_hide(&open->arena, path), strerror(errno));
    return fleet_record_find_machine(&open->report, path, &open->arena);
}

static void close_record(struct open_record *open)
{
    if (open->report.loaded)
        validator_release(&open->report.validator);
    if (open->planned)
        plan_release(&open->plan);
    options_release(&open->options);
    crawl_record_release(&open->record);
    store_close(open->report.store);
    if (open->dir.fd >= 0)
        pagedir_close(&open->dir);
    arena_release(&open->arena);
}

/* --- the rules of the crawl --------------------------------------------- */

static bool load(struct report *report)
{
    const struct resume_options options = {
        .fingerprint_seed = report->scan.fingerprint_seed,
        .robots_agent = report->scan.robots_agent,
        .now_ms = report->now_ms,
        .wall_ms = report->wall_ms,
        .is_copy = report->machines > 0,
    };
    struct frontier_options frontier = report->frontier;
    struct resumed resumed;

    fleet_record_partition(report, &frontier);
    validator_init(&report->validator, report->scope, report->max_depth,
                   &frontier);
    report->validator.filter = report->filter;
    report->loaded = true;
    return resume_load(report->store, &report->validator, &options, &resumed,
                       &report->error);
}

static void fill_report(struct open_record *open)
{
    const struct plan *plan = &open->plan;
    struct report *report = &open->report;

    report->facts = &plan->record.facts;
    report->now_ms = clock_mono_ms();
    report->wall_ms = clock_wall_ms();
    report->scope = plan->scope;
    report->filter = plan->filter;
    report->domains = plan->domains;
    report->max_depth = plan->crawl.max_depth;
    report->max_redirects = plan->crawl.max_redirects;
    report->frontier = plan->crawl.frontier;
    report->scan = plan->crawl.worker.scan;
    report->secret_options = crawl_record_secrets(
        &open->plan.record.given, open->plan.record.logins.count, &open->arena);
    report->load = load;
}

static int plan_report(struct open_record *open)
{
    if (crawl_record_options(&open->options, &open->record, &(struct list){0},
                             open->report.dir_path))
        return 1;
    open->planned = true;
    if (plan_recall(&open->plan, &open->options, &open->record))
        return 1;
    fill_report(open);
    return 0;
}

/* --- the commands ------------------------------------------------------- */

static int print_status(struct open_record *open, bool json)
{
    int status = plan_report(open);

    if (!status && !status_print(&open->report, json))
        status = fail(open);
    return status;
}

/* What the record has of the URL. Of a fleet its partition knows that, but for
 * a link that was refused where it was found: that may be anywhere. */
static int find_url(struct open_record *open, const struct page_link *link,
                    bool is_verbose, struct url_details *details)
{
    struct report *report = &open->report;

    if (!url_details_read(details, report, link, NULL, &open->arena))
        return fail(open);
    if (!report->turn_to || url_details_are_whole(details))
        return 0;
    if (is_verbose)
        complain("%s: all partitions are read",
                 details->row.number
                     ? "the URL of the page with the link is not in the ledger"
                     : "the partition of this URL does not know it");
    int status = fleet_record_copy(report, &open->arena);
    if (status)
        return status;
    return url_details_read(details, report, link, NULL, &open->arena)
               ? 0
               : fail(open);
}

static int print_why(struct open_record *open, const struct options *options)
{
    const char *text = options->argument[1];
    struct url_details details;
    struct page_link link;
    int status = plan_report(open);

    if (status)
        return status;
    enum err err = pagescanner_link(&link, &open->arena, str_of(text), NULL,
                                    NULL, &open->report.scan);
    if (err)
        return complain("'%s' cannot be crawled: %s",
                        login_hide(&open->arena, text), err_message(err));
    status = find_url(open, &link, options->verbose, &details);
    if (status)
        return status;
    return why_print(&open->report, &link, &details) ? 0 : fail(open);
}

static int verify(struct open_record *open)
{
    bool clean;

    if (!verify_print(&open->report, open->dir.fd < 0 ? NULL : &open->dir,
                      clock_mono_us(), &clean))
        return fail(open);
    return clean ? 0 : 1;
}

/* Is there such a part of the sitemap? */
static int check_part(const struct open_record *open,
                      const struct sitemap_size *size, uint64_t part)
{
    unsigned long long parts = size->parts;

    if (!parts)
        return complain_failure("there is no page in '%s' for a sitemap",
                                open->report.dir_path);
    if (!part && parts > 1)
        return complain("the pages do not fit into one sitemap: print it with "
                        "--part 1 to --part %llu, each into a file of its own",
                        parts);
    if (part > parts)
        return complain("there is no --part %llu: the sitemap has %llu",
                        (unsigned long long)part, parts);
    if (size->left_out && part <= 1)
        complain("%llu pages are left out: a sitemap has no URLs of more than "
                 "%d characters",
                 (unsigned long long)size->left_out, SITEMAP_URL_MAX);
    return 0;
}

static int print_sitemap(struct open_record *open, uint64_t part)
{
    struct report *report = &open->report;
    struct sitemap_size size;

    if (!export_sitemap(report, 0, &size))
        return fail(open);
    int status = check_part(open, &size, part);
    if (!status && !export_sitemap(report, part ? part : 1, &size))
        status = fail(open);
    return status;
}

static int check_links(const struct open_record *open, const struct list *given)
{
    return option_is_given(given, "links")
               ? 0
               : complain("the crawl in '%s' was run without --links, so its "
                          "links were not kept",
                          open->report.dir_path);
}

/* --- the archive -------------------------------------------------------- */

static int tell_archive(const struct open_record *open,
                        enum archive_status status,
                        const struct archive_export *done, const char *output)
{
    const char *dir_path = open->report.dir_path;

    switch (status) {
    case ARCHIVE_NONE:
        return complain("there is no archive in '%s': the crawl was run "
                        "without --warc, or nothing was archived yet",
                        dir_path);
    case ARCHIVE_NO_RECORD:
        return complain_failure("cannot read the state in '%s': %s",
                                open->label, done->store_error.text);
    case ARCHIVE_NOT_SORTED:
        return complain_failure("cannot sort the index: no room for a "
                                "temporary file");
    case ARCHIVE_NO_FILE:
        return complain_failure("cannot read '%s/%s': %s", dir_path, done->file,
                                done->error == ENODATA
                                    ? "it is shorter than the record says"
                                    : strerror(done->error));
    case ARCHIVE_NOT_WRITTEN:
        return complain_failure("cannot write '%s': %s", output,
                                strerror(done->error));
    default:
        return 0;
    }
}

static int print_index(struct open_record *open)
{
    const struct archive_source source = {.store = open->report.store,
                                          .dir_fd = -1};
    struct archive_export done;
    enum archive_status status = export_cdxj(&source, 1, &done);

    return tell_archive(open, status, &done, NULL);
}

/* `*is_damaged`: the package is good but for what is told. */
static int fill_package(struct open_record *open, int fd, const char *name,
                        bool *is_damaged)
{
    const struct wacz_options options = {
        .now_ms = clock_wall_ms(),
        .software = "crawler " CRAWLER_VERSION,
    };
    const struct archive_source source = {.store = open->report.store,
                                          .dir_fd = open->dir.fd};
    struct archive_export done;
    enum archive_status end = export_wacz(
        &source, 1, crawl_record_dedup(&open->record), fd, &options, &done);
    int status = tell_archive(open, end, &done, name);

    if (!status && done.originals_missing)
        complain("%llu of %llu payloads in the archive of --warc-dedup were "
                 "not found there; pages that refer to them are not whole in "
                 "'%s'",
                 (unsigned long long)done.originals_missing,
                 (unsigned long long)done.originals, name);
    *is_damaged = !status && done.damaged;
    if (*is_damaged)
        complain("%llu of %llu captures in '%s' are damaged and cannot be "
                 "found in '%s'; crawler verify tells which",
                 (unsigned long long)done.damaged,
                 (unsigned long long)done.captures, open->report.dir_path,
                 name);
    return status;
}

static int write_package(struct open_record *open, const char *path,
                         enum output_mode mode)
{
    struct output_file out;
    bool is_damaged;
    int status = output_open(&out, path, mode);

    if (status)
        return status;
    status = output_close(&out, fill_package(open, out.fd, path, &is_damaged));
    return !status && is_damaged ? EXIT_FAILURE : status;
}

static int export(struct open_record *open, const struct options *options)
{
    enum export_format format = (enum export_format)options->format;
    int status = 0;

    if (format == EXPORT_SITEMAP)
        return print_sitemap(open, options->part);
    if (format == EXPORT_CDXJ)
        return print_index(open);
    if (format == EXPORT_WACZ)
        return write_package(open, options->output, OUTPUT_NEW);
    if (format == EXPORT_LINKS)
        status = check_links(open, &open->record.given);
    if (!status && !export_lines(&open->report, format))
        status = fail(open);
    return status;
}

static int run(struct open_record *open, const struct options *options)
{
    switch (options->command) {
    case COMMAND_STATUS:
        return print_status(open, options->json);
    case COMMAND_WHY:
        return print_why(open, options);
    case COMMAND_VERIFY:
        return verify(open);
    default:
        return export(open, options);
    }
}

/* "pages" of "some/where/pages/"; "archive" of "/". */
static const char *name_of(const char *dir_path, struct arena *arena)
{
    char *path = realpath(dir_path, NULL);
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct str name = slash ? str_of(slash + 1) : STR("");

    const char *copy = arena_copy(arena, name.len ? name : STR("archive")).ptr;
    free(path);
    return copy;
}

const char *record_package_name(const char *dir_path, struct arena *arena)
{
    struct buf name;

    buf_init(&name, PATH_LEN_MAX);
    buf_printf(&name, "%s.wacz", name_of(dir_path, arena));
    const char *copy = arena_copy(arena, buf_str(&name)).ptr;
    buf_release(&name);
    return copy;
}

bool record_has_package(const char *dir_path)
{
    struct arena arena;
    struct buf path;
    struct stat about;

    arena_init(&arena);
    buf_init(&path, PATH_LEN_MAX);
    buf_printf(&path, "%s/" ARCHIVE_DIR "/%s", dir_path,
               record_package_name(dir_path, &arena));
    bool found = !lstat(buf_cstr(&path), &about);
    buf_release(&path);
    arena_release(&arena);
    return found;
}

int record_package(const char *dir_path, bool is_quiet)
{
    struct open_record open;
    struct buf path;
    int status = open_record(&open, dir_path, false);

    buf_init(&path, PATH_LEN_MAX);
    if (!status && open.record.facts.state == STATE_INTERRUPTED) {
        if (!is_quiet)
            terminal_line(stderr,
                          "crawler: interrupted, so there is no package; "
                          "crawler export --format wacz makes one");
    } else if (!status) {
        buf_printf(&path, "%s/" ARCHIVE_DIR "/%s", dir_path,
                   record_package_name(dir_path, &open.arena));
        status = write_package(&open, buf_cstr(&path), OUTPUT_OWN);
        if (!status && !is_quiet)
            terminal_line(stderr, "crawler: the archive is packaged in %s",
                          buf_cstr(&path));
    }
    buf_release(&path);
    close_record(&open);
    return status;
}

int record_package_to(const char *dir_path, int fd, const char *name)
{
    struct open_record open;
    int status = open_record(&open, dir_path, false);

    if (!status)
        status = fill_package(&open, fd, name, &(bool){false});
    close_record(&open);
    return status;
}

int record_use(const char *dir_path,
               int (*use)(struct report *report, struct plan *plan, void *user),
               void *user)
{
    struct open_record open;
    int status = open_record(&open, dir_path, false);

    if (!status)
        status = plan_report(&open);
    if (!status)
        status = check_links(&open, &open.plan.record.given);
    if (!status)
        status = use(&open.report, &open.plan, user);
    if (status < 0)
        status = fail(&open);
    close_record(&open);
    return status;
}

static int check_verify(const struct options *options, bool is_fleet)
{
    size_t count = options->argument_count;

    if (count == 1 || (is_fleet && count == 2))
        return 0;
    return is_fleet
               ? complain("verify takes the engine of a fleet and one "
                          "pageDirectory at most, not %zu arguments",
                          count)
               : complain("verify takes one argument, pageDirectory, not %zu",
                          count);
}

int command_record(const struct options *options)
{
    struct open_record open;
    bool is_fleet =
        options->argument_count && engine_postgres_is_url(options->argument[0]);
    int status;

    if (options->command == COMMAND_VERIFY &&
        (status = check_verify(options, is_fleet)))
        return status;
    if (is_fleet && options->command == COMMAND_STATUS)
        return command_fleet_status(options);
    if (is_fleet && options->format == EXPORT_SQLITE)
        return fleet_record_export(options);
    status = is_fleet ? open_fleet(&open, options)
                      : open_record(&open, options->argument[0],
                                    options->command == COMMAND_VERIFY);

    if (!status)
        status = run(&open, options);
    close_record(&open);
    return status;
}
