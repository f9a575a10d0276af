#include <errno.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/usage.h"
#include "robots/agent.h"
#include "robots/robots.h"
#include "url/url.h"

/* crawler robots: a robots.txt and URLs in, what it says of each out. */

enum { FILE_MAX = 16 << 20 };

static void answer(void *user, struct str line)
{
    const struct robots *robots = user;
    struct arena arena;
    struct url url;
    unsigned rule = 0;

    arena_init(&arena);
    enum err err = url_parse(&url, &arena, line, NULL, NULL);
    if (err) {
        printf("! %s\n", err_message(err));
    } else {
        bool allowed = robots_allows(robots, url_path_query(&url), &rule);
        printf("%s\t%u\t%.*s\n", allowed ? "allow" : "disallow", rule,
               (int)line.len, line.ptr);
    }
    arena_release(&arena);
}

/* As a crawl with these options would have it; empty where there is none. */
static struct str agent_of(const struct options *options)
{
    if (options->agent)
        return str_of(options->agent);
    return options->user_agent ? robots_token_of(str_of(options->user_agent))
                               : STR("crawler");
}

static int run(const struct options *options)
{
    struct str agent = agent_of(options);
    struct buf file;
    int status = 0;

    if (options->argument_count != 1)
        return complain("robots needs one FILE, not %zu arguments; URLs are "
                        "read from standard input, one a line",
                        options->argument_count);
    if (!agent.len && !options->agent)
        return complain(
            "the User-Agent '%s' has no name of letters, '-' and '_' that "
            "robots.txt could have; give one with --agent",
            options->user_agent);
    buf_init(&file, FILE_MAX);
    if (!input_read(options->argument[0], &file)) {
        status = complain("%s: %s", options->argument[0], strerror(errno));
    } else {
        struct robots *robots = robots_new(buf_str(&file), agent);
        if (!input_lines(answer, robots)) {
            perror("crawler: cannot read standard input");
            status = 1;
        }
        robots_free(robots);
    }
    buf_release(&file);
    return usage_flush(status);
}

int command_robots(int argc, char *const argv[])
{
    return usage_run(COMMAND_ROBOTS, argc, argv, run);
}
