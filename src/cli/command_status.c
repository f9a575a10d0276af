#include "cli/commands.h"
#include "cli/usage.h"

/* crawler status pageDirectory */

static int run(const struct options *options)
{
    (void)options;
    return usage_error("not there yet");
}

int command_status(int argc, char *const argv[])
{
    return usage_run(COMMAND_STATUS, argc, argv, run);
}
