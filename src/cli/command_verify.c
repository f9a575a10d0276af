#include "cli/commands.h"
#include "cli/usage.h"

/* crawler verify pageDirectory */

static int run(const struct options *options)
{
    (void)options;
    return usage_error("not there yet");
}

int command_verify(int argc, char *const argv[])
{
    return usage_run(COMMAND_VERIFY, argc, argv, run);
}
