#include "cli/commands.h"
#include "cli/open_record.h"
#include "cli/usage.h"
#include "report/status.h"

/* crawler status pageDirectory */

static int run(const struct options *options)
{
    struct open_record open;
    struct store_error error;

    if (options->argument_count != 1)
        return complain("status needs one argument, pageDirectory, not %zu",
                        options->argument_count);
    int status = record_open(&open, options->argument[0]);
    if (!status)
        status = record_recall(&open);
    if (!status && !status_print(&open.report, &error))
        status = record_fail(&open, &error);
    record_close(&open);
    return status;
}

int command_status(int argc, char *const argv[])
{
    return usage_run(COMMAND_STATUS, argc, argv, run);
}
