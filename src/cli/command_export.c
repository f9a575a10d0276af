#include "cli/commands.h"
#include "cli/open_record.h"
#include "cli/usage.h"
#include "report/export.h"

/* crawler export pageDirectory */

/* Is there such a part? Status 0, or another after one line. */
static int choose_part(const struct sitemap_size *size, const char *dir_path,
                       uint64_t part)
{
    unsigned long long parts = size->parts;

    if (!parts) {
        complain("no page in '%s' can be in a sitemap, which must have one",
                 dir_path);
        return 1;
    }
    if (!part && parts > 1)
        return complain("the pages do not fit into one sitemap: print it "
                        "with --part 1 to --part %llu, each into a file of "
                        "its own",
                        parts);
    if (part > parts)
        return complain("there is no --part %llu: the sitemap has %llu",
                        (unsigned long long)part, parts);
    if (size->left_out && part <= 1)
        complain("%llu pages are left out: a sitemap has no URLs of more "
                 "than %d characters",
                 (unsigned long long)size->left_out, SITEMAP_URL_MAX);
    return 0;
}

static int print_sitemap(const struct open_record *open, uint64_t part)
{
    struct sitemap_size size;
    struct store_error error;

    if (!export_measure_sitemap(open->store, &size, &error))
        return record_fail(open, &error);
    int status = choose_part(&size, open->report.dir_path, part);
    if (!status && !export_sitemap(open->store, part ? part : 1, &error))
        status = record_fail(open, &error);
    return status;
}

static int check_links(struct open_record *open)
{
    int status = record_read_facts(open);

    for (size_t i = 0; i < open->record.given.count && !status; i++)
        if (option_is_named(str_of(open->record.given.item[i]), STR("links")))
            return 0;
    return status ? status
                  : complain("the crawl in '%s' was run without --links, so "
                             "its links were not kept",
                             open->report.dir_path);
}

static int export(struct open_record *open, const struct options *options)
{
    enum export_format format = (enum export_format)options->format;
    struct store_error error;
    int status = 0;

    if (format == EXPORT_SITEMAP)
        return print_sitemap(open, options->part);
    if (format == EXPORT_LINKS)
        status = check_links(open);
    if (!status && !export_lines(open->store, format, &error))
        status = record_fail(open, &error);
    return status;
}

static int run(const struct options *options)
{
    struct open_record open;

    if (!options->format)
        return complain("export needs --format jsonl, csv, links or "
                        "sitemap");
    if (options->argument_count != 1)
        return complain("export needs one pageDirectory, not %zu arguments",
                        options->argument_count);
    if (options->part && options->format != EXPORT_SITEMAP)
        return complain("--part is for --format sitemap");
    int status = record_open(&open, options->argument[0]);
    if (!status)
        status = export(&open, options);
    record_close(&open);
    return usage_flush(status);
}

int command_export(int argc, char *const argv[])
{
    return usage_run(COMMAND_EXPORT, argc, argv, run);
}
