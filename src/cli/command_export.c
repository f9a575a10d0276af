/* crawler export: chooses who makes each format. A recorded crawl is read in
 * cli/command_record.c; here are WARC files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/wacz.h"
#include "archive/warc_index.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/usage.h"
#include "cli/warc_file.h"
#include "fleet/engine_postgres.h"
#include "report/export.h"

/* --- WARC files ----------------------------------------------------------- */

/* Where the captures of all files go. */
struct destination {
    struct cdxj_sorter *sorter; /* of an index */
    struct wacz *wacz;          /* of a package */
    uint64_t captures;          /* also those without a place in an index */
    int error;                  /* errno, if that failed */
};

static bool add_capture(void *user, const struct cdxj_entry *entry,
                        const struct warc_record *record)
{
    struct destination *to = user;
    struct wacz_page page = {.url = entry->url, .date_ms = entry->date_ms};
    bool good;

    (void)record;
    if (to->sorter)
        good = cdxj_sorter_add(to->sorter, entry);
    else
        good = wacz_add_capture(to->wacz, entry) &&
               (!warc_index_is_page(entry) || wacz_add_page(to->wacz, &page));
    to->captures++;
    if (!good)
        to->error = errno;
    return good;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Print which captures are not in the index, and why. */
static void tell(const char *path, const struct warc_indexed *indexed,
                 bool is_empty)
{
    if (is_empty)
        complain("%s: it is empty", path);
    if (indexed->is_cut)
        complain("%s: it is cut off at byte %llu; the records before it count",
                 path, (unsigned long long)indexed->cut_at);
    if (indexed->broken)
        complain("%s: %llu places are no records and are passed over", path,
                 (unsigned long long)indexed->broken);
    if (indexed->shared)
        complain("%s: %llu captures are left out: they share a gzip member "
                 "with another record",
                 path, (unsigned long long)indexed->shared);
    if (indexed->undated)
        complain("%s: %llu captures are left out: their WARC-Date is no date",
                 path, (unsigned long long)indexed->undated);
}

/* Read one file. `*end` is that of its last whole record. */
static int index_file(const char *path, struct destination *to, uint64_t *end)
{
    struct warc_indexed indexed;
    int fd, status = warc_file_open(path, &fd);

    if (status)
        return status;
    enum warc_got got =
        warc_index(fd, str_of(name_of(path)), add_capture, to, &indexed);
    int why = errno;
    bool is_empty = warc_file_is_empty(fd);
    close(fd);
    *end = indexed.end;
    if (got == WARC_FAILED)
        return complain_failure("%s: %s", path, strerror(why));
    if (got == WARC_RECORD)
        return complain_failure("cannot sort the index: %s",
                                strerror(to->error));
    if (indexed.broken && !indexed.records)
        return complain("%s: it is no WARC file", path);
    to->captures += indexed.shared + indexed.undated;
    tell(path, &indexed, is_empty);
    return 0;
}

static bool print_line(void *user, struct str line)
{
    (void)user;
    return fwrite(line.ptr, 1, line.len, stdout) == line.len;
}

/* True also if standard output cannot be written, which is told elsewhere. */
static bool print_sorted(struct cdxj_sorter *sorter)
{
    return cdxj_sorter_each(sorter, print_line, NULL) || ferror(stdout);
}

/* An index and a package find a file by its name. */
static int check_names(const struct options *options)
{
    for (size_t i = 0; i < options->argument_count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(name_of(options->argument[i]),
                        name_of(options->argument[k])))
                return complain("'%s' and '%s' have the same name; an index "
                                "or a package has one file of a name",
                                options->argument[k], options->argument[i]);
    return 0;
}

static int print_index(const struct options *options)
{
    struct destination to = {.sorter = cdxj_sorter_new()};
    uint64_t end;
    int status = check_names(options);

    if (!to.sorter)
        return complain_failure("cannot sort the index: %s", strerror(ENOSPC));
    for (size_t i = 0; i < options->argument_count && !status; i++)
        status = index_file(options->argument[i], &to, &end);
    if (!status && !print_sorted(to.sorter))
        status =
            complain_failure("cannot sort the index: %s", strerror(ENOSPC));
    cdxj_sorter_free(to.sorter);
    return status;
}

static int add_file(struct wacz *wacz, const char *path, uint64_t length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return complain_failure("%s: %s", path, strerror(errno));
    bool good = wacz_add_file(wacz, name_of(path), fd, length);
    io_close(fd);
    return good ? 0
                : complain_failure("cannot package '%s': %s", path,
                                   strerror(errno));
}

/* Index all files, then copy them. */
static int fill_package(const struct options *options, struct wacz *wacz)
{
    size_t count = options->argument_count;
    uint64_t *end = mem_array(count, sizeof(*end));
    struct destination to = {.wacz = wacz};
    int status = 0;

    for (size_t i = 0; i < count && !status; i++)
        status = index_file(options->argument[i], &to, &end[i]);
    if (!status && !to.captures)
        status = complain_failure("there is no capture to package");
    for (size_t i = 0; i < count && !status; i++)
        status = add_file(wacz, options->argument[i], end[i]);
    free(end);
    if (!status && !wacz_finish(wacz))
        status = complain_failure("cannot write '%s': %s", options->output,
                                  strerror(errno));
    return status;
}

static int write_package(const struct options *options)
{
    const struct wacz_options wacz_options = {
        .now_ms = clock_wall_ms(),
        .software = "crawler " CRAWLER_VERSION,
    };
    struct output_file out;
    int status = check_names(options);

    if (status || (status = output_open(&out, options->output, OUTPUT_NEW)))
        return status;
    struct wacz *wacz = wacz_new(out.fd, &wacz_options);
    status = wacz ? fill_package(options, wacz)
                  : complain_failure("cannot write '%s': %s", options->output,
                                     strerror(errno));
    wacz_free(wacz);
    return output_close(&out, status);
}

/* --- the command ---------------------------------------------------------- */

static bool is_archive_format(uint64_t format)
{
    return format == EXPORT_CDXJ || format == EXPORT_WACZ;
}

static int check_options(const struct options *options)
{
    uint64_t format = options->format;

    if (!format)
        return complain("export needs --format jsonl, csv, links, sitemap, "
                        "cdxj, wacz, pages or sqlite");
    if (options->part && format != EXPORT_SITEMAP)
        return complain("--part is for --format sitemap");
    if (format == EXPORT_WACZ && !options->output)
        return complain("--format wacz needs --output FILE");
    if (format == EXPORT_SQLITE && !options->output)
        return complain("--format sqlite needs --output FILE");
    if (format == EXPORT_PAGES && !options->output)
        return complain("--format pages needs --output DIRECTORY");
    if (format != EXPORT_WACZ && format != EXPORT_PAGES &&
        format != EXPORT_SQLITE && options->output)
        return complain("--output is for --format wacz, pages and sqlite; the "
                        "other formats are printed on standard output");
    return 0;
}

static bool is_directory(const char *path)
{
    struct stat stat_of;

    return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

static bool is_engine(const struct options *options)
{
    return engine_postgres_is_url(options->argument[0]);
}

static int check_arguments(const struct options *options)
{
    size_t count = options->argument_count;

    if (options->format == EXPORT_PAGES && count &&
        engine_postgres_is_url(options->argument[0]))
        return complain("--format pages takes page directories and archives, "
                        "not a fleet's engine");

    if (options->format == EXPORT_PAGES)
        return count ? 0
                     : complain("export takes a pageDirectory, WACZ or WARC "
                                "files");
    if (is_archive_format(options->format) && !count)
        return complain("export takes page directories or WARC files");
    for (size_t i = 1; i < count && is_archive_format(options->format); i++)
        if (is_directory(options->argument[i]) !=
            (is_engine(options) || is_directory(options->argument[0])))
            return complain("export takes page directories or WARC files, not "
                            "both");
    if (options->format == EXPORT_SQLITE && count == 1 &&
        !engine_postgres_is_url(options->argument[0]))
        return complain("--format sqlite is for a fleet (postgres://...): the "
                        "record of a page directory is pageDirectory/.crawler");
    if (!is_archive_format(options->format) && count != 1)
        return complain("export takes one argument, pageDirectory, not %zu",
                        count);
    return 0;
}

int command_export(const struct options *options)
{
    int status;

    if ((status = check_options(options)) ||
        (status = check_arguments(options)))
        return status;
    if (options->format == EXPORT_PAGES)
        return command_export_pages(options);
    if (is_archive_format(options->format) &&
        (is_engine(options) || is_directory(options->argument[0])) &&
        (is_engine(options) || options->argument_count > 1))
        return command_export_archives(options);
    if (!is_archive_format(options->format) ||
        is_directory(options->argument[0]))
        return command_record(options);
    return options->format == EXPORT_CDXJ ? print_index(options)
                                          : write_package(options);
}
