#include <string.h>

#include "cli/commands.h"

struct command_row {
    const char *name;
    int (*run)(int argc, char *const argv[]);
};

static const struct command_row commands[] = {
    {"url", command_url},
    {"links", command_links},
};

int main(int argc, char *argv[])
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (argc > 1 && !strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 2, argv + 2);
    return command_crawl(argc - 1, argv + 1);
}
