#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/words.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "crawler/fleet.h"
#include "crawler/record_codes.h"
#include "report/report.h"
#include "web/filter.h"

/* crawler seedURL pageDirectory maxDepth */

enum { PROGRESS_MS = 200, TEXT_MAX = 64 * 1024, URL_REPEATED = 200 };

/* --- signals ------------------------------------------------------------ */

/* nohup ignores SIGHUP; if it were blocked it would reach us all the same. */
static bool is_ignored(int number)
{
    struct sigaction action;

    return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* The crawler thread reads signals like any other event. */
static int open_signals(void)
{
    const int more[] = {SIGUSR1, SIGHUP};

    /* A file that grows too large shows as a failed write. */
    signal(SIGXFSZ, SIG_IGN);
    return signals_open(more, is_ignored(SIGHUP) ? 1 : 2);
}

/* --- not a single page -------------------------------------------------- */

/* Would the URL be in scope with this --scope? */
static bool is_in(const struct plan *plan, enum scope_kind kind,
                  const struct url *url)
{
    struct scope *scope = scope_new(plan->domains);
    const struct url *start;

    for (size_t i = 0; (start = plan_start(plan, i)); i++)
        scope_add_seed(scope, kind, start);
    bool inside = scope_contains(scope, url);
    scope_free(scope);
    return inside;
}

/* The narrowest --scope that the URL is in. */
static const char *scope_for(const struct plan *plan, const struct url *url)
{
    enum scope_kind kind = SCOPE_PREFIX;

    while (kind < SCOPE_ANY && !is_in(plan, kind, url))
        kind++;
    return scope_kind_name(kind);
}

/* `text` is a URL out of scope: say how to crawl it. */
static void put_scope(struct buf *out, struct plan *plan, struct str text,
                      bool redirect)
{
    struct url url;

    if (url_parse(&url, &plan->arena, text, NULL, NULL))
        return;
    buf_put(out, STR("; "));
    if (redirect && text.len <= URL_REPEATED &&
        plan_scope_kind(plan) != SCOPE_KINDS)
        buf_printf(out, "start from %.*s, or ", STR_ARGS(text));
    buf_printf(out, "use --scope %s%s", scope_for(plan, &url),
               redirect ? " to follow it" : "");
}

/* The rule of the user that leaves a URL out. */
static void put_rule(struct buf *out, const struct plan *plan, struct str url)
{
    struct filter_answer answer = {0};

    if (plan->filter)
        answer = filter_judge(plan->filter, url);
    if (answer.pattern.ptr)
        buf_printf(out, "; the rule is %s '%.*s'", filter_option(answer.kind),
                   STR_ARGS(str_first(answer.pattern, URL_REPEATED)));
}

static bool is_refused_by_site(const struct reason *reason)
{
    enum reason_kind kind = reason->kind;

    return kind == REASON_NO_ROBOTS ||
           (kind == REASON_VERDICT && reason->verdict == ROBOTS_REFUSED) ||
           (kind == REASON_OUTCOME &&
            (reason->outcome == NOINDEX || reason->outcome == NOARCHIVE));
}

static void put_help(struct buf *out, struct plan *plan,
                     const struct reason *reason)
{
    bool redirect = reason->kind == REASON_REDIRECT;

    if (is_refused_by_site(reason))
        buf_put(out, STR("; --robots ignore is for a site of your own"));
    else if (redirect && reason->verdict == TOO_MANY_REDIRECTS)
        buf_put(out, STR("; --max-redirects allows more"));
    else if (reason->verdict == EXCLUDED || reason->verdict == RULE_LIMIT)
        put_rule(out, plan, redirect ? reason->target : reason->url);
    else if (reason->verdict == EXTERNAL)
        put_scope(out, plan, redirect ? reason->target : reason->url, redirect);
}

static void put_reason(struct buf *out, struct plan *plan,
                       const struct reason *reason)
{
    unsigned long long total = reasons_total(plan->crawl.reasons);

    buf_put(out, STR(": "));
    if (reason->count < total)
        buf_printf(out, "%llu of %llu URLs such as ",
                   (unsigned long long)reason->count, total);
    else if (total > 1)
        buf_printf(out, "all %llu URLs such as ", total);
    reason_put(out, reason);
    put_help(out, plan, reason);
}

static void explain_nothing(struct plan *plan, const struct stats *stats)
{
    const struct reason *reason = reasons_main(plan->crawl.reasons);
    enum outcome outcome = reason ? reason->outcome : stats_main_failure(stats);
    bool is_fetched = (!reason || reason->kind == REASON_OUTCOME) &&
                      outcome != OUTCOMES &&
                      outcome_end(outcome) == URL_NOT_KEPT;
    struct buf line;

    buf_init(&line, TEXT_MAX);
    if (reason)
        put_reason(&line, plan, reason);
    else if (outcome != OUTCOMES) /* of an earlier run: no URL is known */
        buf_printf(&line, ": %s", outcome_text(outcome));
    complain("not a single page could be %s%s", is_fetched ? "kept" : "fetched",
             buf_cstr(&line));
    buf_release(&line);
}

/* --- figures ------------------------------------------------------------ */

static void print_stats(const struct stats *stats, bool details)
{
    struct buf text;

    buf_init(&text, TEXT_MAX);
    stats_put_summary(stats, &text);
    if (details)
        stats_put_details(stats, &text);
    fwrite(text.ptr, 1, text.len, stderr);
    buf_release(&text);
}

/* SIGUSR1: the figures as they are now. */
static void print_now(void *user, const struct crawl_progress *now)
{
    struct stats stats = *now->stats;

    progress_wipe(user);
    stats.counts = now->counts;
    print_stats(&stats, true);
}

/* "go on: crawler --resume DIR" */
static void print_command(struct plan *plan, const char *what,
                          enum crawl_state state)
{
    struct buf line;

    buf_init(&line, TEXT_MAX);
    report_put_command(&line, state,
                       crawl_record_secrets(&plan->options->given,
                                            plan->origins.logins, &plan->arena),
                       plan->crawl.dir_path);
    terminal_line(stderr, "%s: %s", what, buf_cstr(&line));
    buf_release(&line);
}

/* Say why a crawl that could go on has stopped, and the command that goes on
 * with it. */
static void print_stop(struct plan *plan, enum crawl_state state)
{
    bool by_order = fleet_is_stopped(plan->fleet.fleet);

    terminal_line(stderr, "%s",
                  by_order ? "stopped by order (crawler stop)"
                           : report_state_text(state));
    if (by_order)
        terminal_line(stderr,
                      "go on: crawler continue --name %s %s, then the same "
                      "command on each machine",
                      plan->options->name, plan->fleet.label);
    else if (plan->options->fleet)
        terminal_line(stderr, "go on: the same command%s, here or elsewhere",
                      state == STATE_MAX_TIME ? " with a longer --max-time"
                                              : "");
    else if (plan->store)
        print_command(plan, "go on", state);
}

/* A crawl that is over may have failures that pass. One without a page has left
 * the record of the crawl that it would have replaced. */
static void print_retry(struct plan *plan, const struct stats *stats)
{
    if (!stats->may_recover || !plan->store || plan->options->fleet ||
        (plan->crawl.replaces && !stats->saved))
        return;
    terminal_line(stderr, "%s failed and may answer later",
                  words_count(stats->may_recover, "URL").text);
    print_command(plan, "ask again", stats->state);
}

/* The figures are for whoever watches and for crawls of the open web; the
 * course's crawler prints nothing but its log. A failure was reported. */
static void print_end(struct plan *plan, const struct stats *stats,
                      enum crawl_end end)
{
    bool course = plan_is_course(plan);

    if (end != CRAWL_FAILED && !plan->options->quiet &&
        (!course || plan->options->verbose || progress_is_wanted())) {
        if (end != CRAWL_UNREAD)
            print_stats(stats, !course);
        if (end == CRAWL_STOPPED || end == CRAWL_UNREAD)
            print_stop(plan, stats->state);
        else if (!course)
            print_retry(plan, stats);
    }
    if (end == CRAWL_NOTHING)
        explain_nothing(plan, stats);
}

/* Write pageDirectory/.crawler-stats.json, for programs. A crawl without a page
 * leaves the figures of the crawl that it would have replaced. A crawl that
 * failed for want of space cannot write them either. */
static void write_stats(struct plan *plan, const struct stats *stats,
                        enum crawl_end end)
{
    struct buf text;

    if (plan->crawl.replaces && !stats->saved)
        return;
    buf_init(&text, TEXT_MAX);
    stats_put_json(stats, &text);
    if (!pagedir_write(&plan->dir, PAGEDIR_STATS, buf_str(&text)) &&
        end != CRAWL_FAILED)
        complain("cannot write %s in %s: %s", PAGEDIR_STATS,
                 plan->crawl.dir_path, strerror(errno));
    buf_release(&text);
}

/* --- a crawl ------------------------------------------------------------ */

/* Say what happens to the pages that are in the directory. A --restart was told
 * to replace them. */
static void say_beginning(const struct plan *plan)
{
    if (plan->crawl.resume)
        terminal_line(
            stderr, "crawler: going on with the crawl in %s after %s",
            plan->crawl.dir_path,
            words_count(crawl_record_pages(&plan->record), "page").text);
    else if (plan->dir.holds_old && plan->dir.old_last &&
             !plan->options->restart)
        terminal_line(stderr,
                      "crawler: %s of an earlier crawl in %s will be replaced "
                      "when a page is saved",
                      words_count(plan->dir.old_last, "page").text,
                      plan->crawl.dir_path);
}

static int crawl(struct plan *plan)
{
    struct progress progress = {0};
    struct stats stats = {0};
    const struct options *options = plan->options;
    bool on_terminal = !options->quiet && progress_is_wanted();

    /* Signals are blocked before anything is written, so none is lost. */
    plan->crawl.signal_fd = open_signals();
    int status = live_open(plan);
    bool begins = !status && state_begin(plan);
    if (!begins) {
        if (!status)
            status = options->fleet ? plan->fleet.early_end : CRAWL_FAILED;
        if (status == CRAWL_REJOIN)
            status = fleet_rejoin(plan);
        live_close(plan);
        close(plan->crawl.signal_fd);
        state_take_back(plan);
        return status;
    }
    if (!options->quiet)
        say_beginning(plan);
    if (on_terminal) {
        plan->crawl.on_progress = progress_draw;
        plan->crawl.progress_ms = PROGRESS_MS;
        plan->log.make_room = progress_wipe;
        plan->log.user = &progress;
        plan->log.out_needs_room = isatty(STDOUT_FILENO);
    }
    /* A report, which is not planned here, has the whole queue in memory. */
    plan->crawl.frontier.queue_bytes =
        options->queue_memory == OPTION_NONE ? 0 : options->queue_memory;
    plan->crawl.frontier.queue_dir_fd = plan->dir.fd;
    plan->crawl.reasons = reasons_new();
    plan->crawl.on_status_signal = print_now;
    plan->crawl.user = &progress;
    enum crawl_end end = crawler_run(&plan->crawl, &stats);
    if (end == CRAWL_REJOIN)
        _exit(fleet_rejoin(plan));
    live_close(plan);
    progress_wipe(&progress);
    if (!plan_is_course(plan) && end != CRAWL_UNREAD)
        write_stats(plan, &stats, end);
    print_end(plan, &stats, end);
    if (end != CRAWL_UNREAD && cookie_files_save(plan))
        end = CRAWL_FAILED;
    reasons_free(plan->crawl.reasons);
    close(plan->crawl.signal_fd);
    return (int)end;
}

static void say_over(const struct plan *plan)
{
    uint64_t may_recover = plan->record.facts.number[FACT_MAY_RECOVER];
    struct words pages = words_count(crawl_record_pages(&plan->record), "page");
    const char *path = plan->crawl.dir_path;

    if (may_recover)
        terminal_line(stderr,
                      "crawler: the crawl in %s is finished: %s; "
                      "--retry-failed asks again for %s that failed, "
                      "--restart starts over",
                      path, pages.text, words_count(may_recover, "URL").text);
    else
        terminal_line(stderr,
                      "crawler: the crawl in %s is finished: %s; "
                      "--restart starts over",
                      path, pages.text);
}

static int say_finished(struct plan *plan)
{
    store_tidy(plan->store_name);
    view_tidy(plan->dir.fd);
    /* Files of a machine that was killed before they counted: others have
     * fetched those pages again. */
    if (plan->options->fleet && plan->fleet.is_known) {
        pagedir_drop_run(&plan->dir, plan->fleet.pages);
        pagedir_resume(&plan->dir, plan->fleet.pages, true);
        pagedir_drop_old(&plan->dir);
        if (archiving_settle(plan))
            return CRAWL_FAILED;
    }
    if (plan->options->fleet && !plan->options->quiet)
        terminal_line(
            stderr, "crawler: the crawl at %s is finished: %s",
            plan->fleet.label,
            words_count(crawl_record_pages(&plan->record), "page").text);
    else if (!plan->options->quiet)
        say_over(plan);
    return CRAWL_FINISHED;
}

/* A second signal ends the program: a package that is not complete has no
 * name. */
static int package(const char *dir_path, bool is_quiet, int end)
{
    sigset_t set;

    if (end != CRAWL_FINISHED && end != CRAWL_STOPPED)
        return end;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return record_package(dir_path, is_quiet) ? CRAWL_FAILED : end;
}

static int run_plan(const struct options *options)
{
    struct plan plan;
    struct arena arena;

    if (!pagefetcher_setup())
        return complain_failure("libcurl cannot start");
    int status = plan_make(&plan, options);
    arena_init(&arena);
    const char *to_package = NULL;
    if (!status && plan.action == ACTION_NONE)
        status = say_finished(&plan);
    else if (!status)
        status = crawl(&plan);
    /* A finished crawl may lack its package: the run that should have written
     * it was killed. */
    if (options->wacz && plan.crawl.dir_path &&
        (plan.action != ACTION_NONE ||
         !record_has_package(plan.crawl.dir_path)))
        to_package = arena_copy(&arena, str_of(plan.crawl.dir_path)).ptr;
    plan_release(&plan);
    pagefetcher_teardown();
    if (to_package)
        status = package(to_package, options->quiet, status);
    arena_release(&arena);
    return status == CRAWL_UNREAD ? CRAWL_STOPPED : status;
}

int command_crawl(const struct options *options)
{
    struct options whole;
    bool is_whole = true;

    if (options->retry_failed && !options->resume)
        return complain("--retry-failed needs --resume");
    if (options->max_depth && !options->resume)
        return complain(
            "--max-depth is for a crawl that goes on, and needs "
            "--resume; a new one has maxDepth as its last argument");
    if (options->seed.count && !options->resume)
        return complain("--seed is for a crawl that goes on, and needs "
                        "--resume; for a new one put all seeds into a file: "
                        "--seeds FILE");
    int status = options->resume ? crawl_record_resume(&whole, options)
                 : options->fleet
                     ? fleet_whole_options(&whole, options, &is_whole)
                     : crawl_record_again(&whole, options, &is_whole);

    if (!status)
        status = run_plan(is_whole ? &whole : options);
    options_release(&whole);
    return status;
}
