#include <stdio.h>

#include "cli/commands.h"
#include "cli/export.h"
#include "cli/recorded.h"
#include "cli/usage.h"

/* crawler export pageDirectory: its pages, or its links, for other programs. */

/* A line has at most two URLs or a link's text, six times as long in JSON. */
enum { LINE_LEN_MAX = 1 << 20 };

struct printer {
    void (*put)(struct buf *line, const struct export_page *page);
    struct buf line;
};

static bool print_line(struct buf *line)
{
    fwrite(line->ptr, 1, line->len, stdout);
    buf_clear(line);
    return !ferror(stdout);
}

static bool print_page(void *user, const struct export_page *page)
{
    struct printer *printer = user;

    printer->put(&printer->line, page);
    return print_line(&printer->line);
}

static bool print_link(void *user, struct str source,
                       const struct store_link *link)
{
    struct printer *printer = user;

    export_put_link(&printer->line, source, link);
    return print_line(&printer->line);
}

static int print(struct store *store, const char *dir_path,
                 enum export_format format)
{
    struct printer printer = {
        .put = format == EXPORT_CSV ? export_put_csv : export_put_json,
    };
    const struct export_reader reader = {
        .user = &printer,
        .page = format == EXPORT_LINKS ? NULL : print_page,
        .link = format == EXPORT_LINKS ? print_link : NULL,
    };
    struct store_error error;
    int status = 0;

    buf_init(&printer.line, LINE_LEN_MAX);
    if (format == EXPORT_CSV) {
        export_put_csv_head(&printer.line);
        print_line(&printer.line);
    }
    /* That nobody reads is told by usage_flush. */
    if (!export_read(store, &reader, &error) && !ferror(stdout))
        status = recorded_failed(dir_path, &error);
    buf_release(&printer.line);
    return status;
}

/* --- were the links kept? ----------------------------------------------- */

static bool note_links(void *user, const struct store_setting *row)
{
    bool *kept = user;

    if (str_starts(row->name, STR("option.")) &&
        str_eq(row->value, STR("links")))
        *kept = true;
    return true;
}

static int check_links(struct store *store, const char *dir_path)
{
    bool kept = false;
    const struct store_reader reader = {.user = &kept, .setting = note_links};
    struct store_error error;

    if (!store_load(store, &reader, &error))
        return recorded_failed(dir_path, &error);
    if (!kept)
        return usage_error("the crawl in '%s' was run without --links, so its "
                           "links were not kept",
                           dir_path);
    return 0;
}

static int export(struct store *store, const struct options *options)
{
    const char *path = options->argument[0];
    int status = 0;

    if (options->format == EXPORT_SITEMAP)
        return export_sitemap(store, path, options->part);
    if (options->format == EXPORT_LINKS)
        status = check_links(store, path);
    if (!status)
        status = print(store, path, (enum export_format)options->format);
    return status;
}

static int run(const struct options *options)
{
    int status = 0;

    if (!options->format)
        return usage_error("export needs --format jsonl, csv, links or "
                           "sitemap");
    if (options->argument_count != 1)
        return usage_error("export needs one pageDirectory, not %zu arguments",
                           options->argument_count);
    if (options->part && options->format != EXPORT_SITEMAP)
        return usage_error("--part is for --format sitemap");
    struct store *store = recorded_open(options->argument[0], &status);
    if (store)
        status = export(store, options);
    store_close(store);
    return usage_flush(status);
}

int command_export(int argc, char *const argv[])
{
    return usage_run(COMMAND_EXPORT, argc, argv, run);
}
