#include "cli/commands.h"
#include "cli/usage.h"

/* crawler export pageDirectory */

static int run(const struct options *options)
{
    (void)options;
    return usage_error("not there yet");
}

int command_export(int argc, char *const argv[])
{
    return usage_run(COMMAND_EXPORT, argc, argv, run);
}
