#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/usage.h"

/* crawler seedURL pageDirectory maxDepth */

enum { PROGRESS_MS = 200 };

/* As nohup does it: what is blocked would else be kept for us to read. */
static bool is_ignored(int number)
{
    struct sigaction action;

    return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* Signals are read like any other event, by the mind; no handler runs. */
static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (!is_ignored(SIGHUP))
        sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    /* A reader of the log who leaves and a file that grows too large show as
     * failed writes. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void print_summary(const struct stats *stats)
{
    fprintf(
        stderr,
        "crawler: %llu pages saved, %llu bytes, %llu failed, %llu retries\n",
        (unsigned long long)stats->saved, (unsigned long long)stats->bytes,
        (unsigned long long)stats_failed(stats),
        (unsigned long long)stats->retries);
}

static int crawl(struct plan *plan, const struct options *options)
{
    struct progress progress = {0};
    struct stats stats = {0};
    bool on_terminal = !options->quiet && progress_is_wanted();

    if (!pagedir_mark(&plan->dir)) {
        fprintf(stderr, "crawler: cannot create %s in %s: %s\n", PAGEDIR_MARKER,
                plan->crawl.dir_path, strerror(errno));
        return CRAWL_FAILED;
    }
    if (on_terminal) {
        plan->crawl.on_progress = progress_draw;
        plan->crawl.user = &progress;
        plan->crawl.progress_ms = PROGRESS_MS;
        plan->log.make_room = progress_wipe;
        plan->log.user = &progress;
        plan->log.out_needs_room = isatty(STDOUT_FILENO);
    }
    plan->crawl.signal_fd = open_signals();
    enum crawl_end end = crawler_run(&plan->crawl, &stats);
    progress_wipe(&progress);
    if (on_terminal || (options->verbose && !options->quiet))
        print_summary(&stats);
    if (end == CRAWL_NOTHING)
        fprintf(stderr, "crawler: not a single page could be fetched\n");
    close(plan->crawl.signal_fd);
    return (int)end;
}

static int run(const struct options *options)
{
    struct plan plan;

    if (!pagefetcher_setup()) {
        fputs("crawler: libcurl cannot start\n", stderr);
        return CRAWL_FAILED;
    }
    int status = plan_make(&plan, options);
    if (!status)
        status = crawl(&plan, options);
    plan_release(&plan);
    pagefetcher_teardown();
    return status;
}

int command_crawl(int argc, char *const argv[])
{
    return usage_run(COMMAND_CRAWL, argc, argv, run);
}
