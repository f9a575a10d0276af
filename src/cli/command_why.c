#include "cli/commands.h"
#include "cli/usage.h"

/* crawler why pageDirectory */

static int run(const struct options *options)
{
    (void)options;
    return usage_error("not there yet");
}

int command_why(int argc, char *const argv[])
{
    return usage_run(COMMAND_WHY, argc, argv, run);
}
