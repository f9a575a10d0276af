#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/arguments.h"
#include "cli/usage.h"

/* A file that we open must not take the place of a closed standard stream, or
 * the log would be written into it. /dev/null, opened the wrong way round,
 * fails as the closed stream would. */
static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(1);
}

int main(int argc, char *argv[])
{
    struct arguments arguments;

    mem_setup();
    fill_standard_streams();
    arguments_take(&arguments, argc, argv);
    int status = usage_run(&arguments);
    arguments_release(&arguments);
    return status;
}
