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

static int print_sitemap(const struct open_record *record, uint64_t part)
{
    struct sitemap_size size;
    struct store_error error;

    if (!export_measure_sitemap(record->store, &size, &error))
        return record_fail(record, &error);
    int status = choose_part(&size, record->report.dir_path, part);
    if (!status && !export_sitemap(record->store, part ? part : 1, &error))
        status = record_fail(record, &error);
    return status;
}

static int check_links(struct open_record *record)
{
    int status = record_read_facts(record);

    for (size_t i = 0; i < record->past.given.count && !status; i++)
        if (option_is_named(str_of(record->past.given.item[i]), STR("links")))
            return 0;
    return status ? status
                  : complain("the crawl in '%s' was run without --links, so "
                             "its links were not kept",
                             record->report.dir_path);
}

static int export(struct open_record *record, const struct options *options)
{
    enum export_format format = (enum export_format)options->format;
    struct store_error error;
    int status = 0;

    if (format == EXPORT_SITEMAP)
        return print_sitemap(record, options->part);
    if (format == EXPORT_LINKS)
        status = check_links(record);
    if (!status && !export_lines(record->store, format, &error))
        status = record_fail(record, &error);
    return status;
}

static int run(const struct options *options)
{
    struct open_record record;

    if (!options->format)
        return complain("export needs --format jsonl, csv, links or "
                        "sitemap");
    if (options->argument_count != 1)
        return complain("export needs one pageDirectory, not %zu arguments",
                        options->argument_count);
    if (options->part && options->format != EXPORT_SITEMAP)
        return complain("--part is for --format sitemap");
    int status = record_open(&record, options->argument[0]);
    if (!status)
        status = export(&record, options);
    record_close(&record);
    return usage_flush(status);
}

int command_export(int argc, char *const argv[])
{
    return usage_run(COMMAND_EXPORT, argc, argv, run);
}
