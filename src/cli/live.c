#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/mem.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "view/view.h"

/* A running crawl shows itself, and takes orders. */

enum { FLEET_WORDS_MAX = 4096 };

int live_check(struct plan *plan)
{
    const struct options *options = plan->options;
    struct http_address address;
    const char *problem;

    if (options->metrics_open && !options->listen)
        return complain("--metrics-open needs --listen");
    if (!options->listen ||
        http_address_parse(str_of(options->listen), &address, &problem))
        return 0;
    return complain("--listen: %s, not '%s'; from another machine use ssh -L",
                    problem, login_hide(&plan->arena, options->listen));
}

/* The fleet as the arguments of `crawler pause`, without a password. */
static const char *fleet_words(struct plan *plan)
{
    struct buf words;

    buf_init(&words, FLEET_WORDS_MAX);
    buf_printf(&words, "--name %s %s", plan->options->name, plan->fleet.label);
    struct str copy = arena_copy(&plan->arena, buf_str(&words));
    buf_release(&words);
    return copy.ptr;
}

static struct view_facts facts_of(struct plan *plan)
{
    const struct options *options = plan->options;

    plan->view_seeds = mem_array(plan->seed_count + 1, sizeof(struct str));
    for (size_t i = 0; i < plan->seed_count; i++)
        plan->view_seeds[i] = plan->seeds[i].url.href;
    return (struct view_facts){
        .directory = plan->crawl.dir_path,
        .version = CRAWLER_VERSION,
        .seeds = plan->view_seeds,
        .seed_count = plan->seed_count,
        .max_depth = plan->crawl.max_depth,
        .started_ms = clock_wall_ms(),
        .fleet = options->fleet ? fleet_words(plan) : NULL,
    };
}

/* The token is shown here and nowhere else. */
static void say_where(const struct plan *plan)
{
    struct str address = view_address(plan->view);

    if (str_starts(address, STR("unix:")))
        terminal_line(stderr, "crawler: watch it at %.*s, token %s",
                      STR_ARGS(address), view_token(plan->view));
    else if (address.len)
        terminal_line(stderr, "crawler: watch it at http://%.*s/#token=%s",
                      STR_ARGS(address), view_token(plan->view));
}

/* The crawl must not fetch from itself. */
static void refuse_own_address(struct plan *plan)
{
    struct str address = view_address(plan->view);
    const char *problem;

    if (address.len && !str_starts(address, STR("unix:")) &&
        http_address_parse(address, &plan->own_address, &problem))
        plan->crawl.worker.fetch.own_address = &plan->own_address.any;
}

int live_open(struct plan *plan)
{
    const struct options *options = plan->options;
    bool has_control = !plan_is_course(plan) && !options->state;
    const char *problem;

    if (!options->listen && !has_control)
        return 0;
    const struct view_options view = {
        .facts = facts_of(plan),
        .listen = options->listen,
        .metrics_open = options->metrics_open,
        .dir_fd = plan->dir.fd,
        .has_control = has_control,
    };
    plan->view = view_new(&view, &problem);
    if (!plan->view)
        return complain("cannot listen on %s: %s",
                        options->listen ? options->listen : "a socket",
                        problem);
    if (!view_run(plan->view))
        return complain_failure("cannot start a thread: %s", strerror(errno));
    refuse_own_address(plan);
    say_where(plan);
    plan->crawl.view = plan->view;
    return 0;
}

void live_close(struct plan *plan)
{
    view_free(plan->view);
    free(plan->view_seeds);
    plan->view = plan->crawl.view = NULL;
    plan->view_seeds = NULL;
}
