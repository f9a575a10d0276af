#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/usage.h"
#include "url/url.h"

/* crawler url: references in, URLs as they would be fetched out. */

static void answer(struct str reference, const struct url *base,
                   struct arena *arena)
{
    struct url url;
    enum err err = url_parse(&url, arena, reference, base, NULL);

    if (err)
        printf("! %s\n", err_message(err));
    else
        printf("%.*s\n", (int)url.href.len, url.href.ptr);
}

/* False with errno if not all could be read. */
static bool answer_all(FILE *in, const struct url *base)
{
    struct arena arena;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    arena_init(&arena);
    while ((len = getline(&line, &room, in)) >= 0) {
        struct str reference = {line, (size_t)len};
        if (str_ends(reference, STR("\n")))
            reference.len--;
        arena_clear(&arena);
        answer(reference, base, &arena);
    }
    int why = errno;
    free(line);
    arena_release(&arena);
    errno = why;
    return !ferror(in);
}

static int run(const struct options *options)
{
    struct arena arena;
    struct url base;
    int status = 0;

    if (options->argument_count)
        return usage_error("url takes no argument: references are read from "
                           "standard input, one a line");
    arena_init(&arena);
    enum err err = options->base ? url_parse(&base, &arena,
                                             str_of(options->base), NULL, NULL)
                                 : ERR_NONE;
    if (err) {
        status =
            usage_error("--base '%s': %s", options->base, err_message(err));
    } else if (!answer_all(stdin, options->base ? &base : NULL)) {
        perror("crawler: cannot read standard input");
        status = 1;
    }
    arena_release(&arena);
    if (!status && fflush(stdout)) {
        perror("crawler: cannot write");
        status = 1;
    }
    return status;
}

int command_url(int argc, char *const argv[])
{
    return usage_run(COMMAND_URL, argc, argv, run);
}
