#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/commands.h"

struct command_row {
    const char *name;
    int (*run)(int argc, char *const argv[]);
};

static const struct command_row commands[] = {
    {"url", command_url},       {"links", command_links},
    {"robots", command_robots}, {"status", command_status},
    {"why", command_why},       {"verify", command_verify},
    {"export", command_export},
};

/* A file that we open must not take the place of a closed standard stream, or
 * the log would be written into it. What is put there instead fails as the
 * closed one would. */
static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(1);
}

int main(int argc, char *argv[])
{
    mem_setup();
    fill_standard_streams();
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (argc > 1 && !strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 2, argv + 2);
    return command_crawl(argc - 1, argv + 1);
}
