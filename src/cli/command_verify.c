#include "base/clock.h"
#include "cli/commands.h"
#include "cli/open_record.h"
#include "cli/usage.h"
#include "report/verify.h"

/* crawler verify pageDirectory */

static int run(const struct options *options)
{
    struct open_record open;
    struct store_error error;
    bool clean;

    if (options->argument_count != 1)
        return complain("verify needs one pageDirectory, not %zu arguments",
                        options->argument_count);
    int status = record_open(&open, options->argument[0]);
    if (!status) {
        if (!verify_print(open.store, &open.dir, clock_mono_us(), &clean,
                          &error))
            status = record_fail(&open, &error);
        else
            status = clean ? 0 : 1;
    }
    record_close(&open);
    return usage_flush(status);
}

int command_verify(int argc, char *const argv[])
{
    return usage_run(COMMAND_VERIFY, argc, argv, run);
}
