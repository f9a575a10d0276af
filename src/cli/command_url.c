#include <stdio.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/usage.h"
#include "url/url.h"

/* crawler url: references in, URLs as they would be fetched out. */

struct answering {
    const struct url *base;
    struct arena arena;
};

static void answer(void *user, struct str reference)
{
    struct answering *answering = user;
    struct url url;

    arena_clear(&answering->arena);
    enum err err =
        url_parse(&url, &answering->arena, reference, answering->base, NULL);
    if (err)
        printf("! %s\n", err_message(err));
    else
        printf("%.*s\n", (int)url.href.len, url.href.ptr);
}

static int answer_all(const struct url *base)
{
    struct answering answering = {.base = base};

    arena_init(&answering.arena);
    bool good = input_lines(answer, &answering);
    if (!good)
        perror("crawler: cannot read standard input");
    arena_release(&answering.arena);
    return usage_flush(good ? 0 : 1);
}

static int run(const struct options *options)
{
    struct arena arena;
    struct url base;

    if (options->argument_count)
        return complain("url takes no argument: references are read from "
                        "standard input, one a line");
    arena_init(&arena);
    enum err err = options->base ? url_parse(&base, &arena,
                                             str_of(options->base), NULL, NULL)
                                 : ERR_NONE;
    int status =
        err ? complain("--base '%s': %s", options->base, err_message(err))
            : answer_all(options->base ? &base : NULL);
    arena_release(&arena);
    return status;
}

int command_url(int argc, char *const argv[])
{
    return usage_run(COMMAND_URL, argc, argv, run);
}
