#include "cli/commands.h"
#include "cli/open_record.h"
#include "cli/usage.h"
#include "report/why.h"

/* crawler why pageDirectory URL */

static int answer(struct open_record *open, const char *text)
{
    struct store_error error;
    struct page_link link;
    enum err err = pagescanner_link(&link, &open->arena, str_of(text), NULL,
                                    NULL, &open->report.scan);

    if (err)
        return complain("'%s' cannot be crawled: %s",
                        login_hide(&open->arena, text), err_message(err));
    return why_print(&open->report, &link, &error) ? 0
                                                   : record_fail(open, &error);
}

static int run(const struct options *options)
{
    struct open_record open;

    if (options->argument_count != 2)
        return complain("why needs two arguments, pageDirectory and URL, "
                        "not %zu",
                        options->argument_count);
    int status = record_open(&open, options->argument[0]);
    if (!status)
        status = record_recall(&open);
    if (!status)
        status = answer(&open, options->argument[1]);
    record_close(&open);
    return status;
}

int command_why(int argc, char *const argv[])
{
    return usage_run(COMMAND_WHY, argc, argv, run);
}
