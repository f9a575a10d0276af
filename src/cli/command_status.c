#include <stdio.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/overview.h"
#include "cli/progress.h"
#include "cli/usage.h"

/* crawler status pageDirectory */

enum { DOMAINS_SHOWN = 10, HOSTS_SHOWN = 5, LINE_MAX_LEN = 64 * 1024 };

struct report {
    struct ask *ask;
    struct overview overview;
    struct buf line;
};

static void say(struct report *report, const char *label)
{
    usage_line(stdout, "  %-8s %s", label, buf_cstr(&report->line));
    buf_clear(&report->line);
}

static unsigned long long number(uint64_t value)
{
    return value;
}

/* "1 page", "2 pages" */
static void put_count(struct buf *line, uint64_t count, const char *what)
{
    buf_printf(line, "%llu %s%s", number(count), what, count == 1 ? "" : "s");
}

/* --- how it is ---------------------------------------------------------- */

static const char *state_text(enum ask_state state)
{
    static const char *const texts[] = {
        [ASK_RUNNING] = "running",
        [ASK_FINISHED] = "finished",
        [ASK_NOTHING] = "finished without a single page",
        [ASK_INTERRUPTED] = "stopped: interrupted by a signal",
        [ASK_MAX_PAGES] = "stopped: --max-pages was reached",
        [ASK_MAX_TIME] = "stopped: --max-time was over",
        [ASK_FAILED] = "stopped: something could not be written",
        [ASK_KILLED] = "stopped: killed, or the machine went down",
    };

    return texts[state];
}

static void say_state(struct report *report, enum ask_state state)
{
    usage_line(stdout, "The crawl in %s is %s", report->ask->dir_path,
               state_text(state));
}

static void say_times(struct report *report, enum ask_state state)
{
    const struct overview *overview = &report->overview;
    const struct past *past = &report->ask->plan.past;
    uint64_t wall_ms = report->ask->wall_ms;
    bool over = state != ASK_RUNNING && state != ASK_KILLED;
    uint64_t last_ms = over ? overview->ended_ms : overview->committed_ms;

    if (past->seed_count) {
        buf_printf(&report->line, "%.*s", (int)past->seeds[0].url.len,
                   past->seeds[0].url.ptr);
        if (past->seed_count > 1)
            buf_printf(&report->line, " and %zu more", past->seed_count - 1);
        buf_printf(&report->line, ", maxDepth %llu", number(past->depth));
        say(report, "from");
    }
    ask_put_time(&report->line, overview->started_ms);
    if (last_ms) {
        buf_put(&report->line, over ? STR("; ended ") : STR("; last written "));
        ask_put_time(&report->line, last_ms);
        if (!over && last_ms <= wall_ms) {
            buf_put(&report->line, STR(", "));
            ask_put_duration(&report->line, wall_ms - last_ms);
            buf_put(&report->line, STR(" ago"));
        }
    }
    say(report, "begun");
}

static void say_pages(struct report *report)
{
    const struct overview *overview = &report->overview;
    const struct stats *stats = &overview->stats;
    struct buf *line = &report->line;

    buf_printf(line, "%llu saved, ", number(stats->saved));
    progress_put_bytes(line, stats->bytes);
    buf_printf(line, "; %llu redirected, %llu failed, %llu refused",
               number(stats->outcome[REDIRECTED]), number(stats_failed(stats)),
               number(overview->refused));
    say(report, "pages");
    put_count(line, overview->queued, "URL");
    if (overview->retrying) {
        buf_printf(line, ", %llu of them to be tried again",
                   number(overview->retrying));
    }
    say(report, "queue");
}

/* Which name a site's owner writes into robots.txt. */
static void say_robots(struct report *report)
{
    struct str agent = report->ask->plan.crawl.hand.robots_agent;

    if (agent.len)
        buf_printf(&report->line, "obeyed as %.*s", (int)agent.len, agent.ptr);
    else
        buf_put(&report->line, STR("ignored"));
    say(report, "robots");
}

/* --- what it waits for -------------------------------------------------- */

static void put_idle(struct report *report, const struct idle *idle)
{
    const struct ask *ask = report->ask;
    struct buf *line = &report->line;
    int len = (int)idle->host.len;
    const char *host = idle->host.ptr;

    switch (idle->reason) {
    case IDLE_PAUSE:
        buf_printf(line, "for the pause of %.*s", len, host);
        break;
    case IDLE_BACKOFF:
        buf_printf(line, "for %.*s, which backs off: %s", len, host,
                   outcome_text((enum outcome)idle->cause));
        break;
    case IDLE_RETRY:
        buf_printf(line, "to try %.*s again", len, host);
        break;
    default:
        return;
    }
    buf_put(line, STR(", until "));
    ask_put_time(line, idle->until_ms - ask->now_ms + ask->wall_ms);
    buf_put(line, STR(", in "));
    ask_put_duration(line, idle->until_ms - ask->now_ms);
}

/* Of a crawl at work it is what was so when it last wrote. */
static int say_waits(struct report *report)
{
    if (!report->overview.queued)
        return 0;
    int status = ask_load(report->ask);
    if (status)
        return status;
    struct idle idle =
        frontier_idle(report->ask->validator.frontier, report->ask->now_ms);
    put_idle(report, &idle);
    if (!report->line.len)
        buf_put(&report->line, report->ask->locked
                                   ? STR("for nothing: fetching")
                                   : STR("for nothing: could go on at once"));
    say(report, "waits");
    return 0;
}

/* --- limits ------------------------------------------------------------- */

static void say_limits(struct report *report, enum ask_state state)
{
    const struct overview *overview = &report->overview;
    const struct stats *stats = &overview->stats;
    struct buf *line = &report->line;
    uint64_t too_deep = stats->links.verdict[TOO_DEEP];
    uint64_t too_large = stats->outcome[TOO_LARGE];

    if (state == ASK_MAX_PAGES)
        buf_put(line, STR("--max-pages"));
    if (state == ASK_MAX_TIME)
        buf_put(line, STR("--max-time"));
    if (overview->domains_capped) {
        buf_printf(line, "%s--max-per-domain (", line->len ? ", " : "");
        put_count(line, overview->domains_capped, "domain");
        buf_put_char(line, ')');
    }
    if (too_deep) {
        buf_printf(line, "%smaxDepth (", line->len ? ", " : "");
        put_count(line, too_deep, "link");
        buf_put_char(line, ')');
    }
    if (too_large) {
        buf_printf(line, "%s--max-size (", line->len ? ", " : "");
        put_count(line, too_large, "page");
        buf_put_char(line, ')');
    }
    if (line->len)
        say(report, "limits");
}

static void say_dead(struct report *report)
{
    const struct overview *overview = &report->overview;
    struct buf *line = &report->line;

    if (!overview->hosts)
        return;
    put_count(line, overview->hosts, "host");
    buf_put(line, STR(" given up"));
    say(report, "dead");
    for (size_t i = 0; i < overview->hosts && i < HOSTS_SHOWN; i++) {
        const struct overview_host *host = &overview->host[i];
        buf_printf(line, "%.*s: %s%s", (int)host->name.len, host->name.ptr,
                   host->by_robots ? "its robots.txt: " : "",
                   outcome_text((enum outcome)host->outcome));
        say(report, "");
    }
    if (overview->hosts > HOSTS_SHOWN) {
        buf_printf(line, "and %zu more", overview->hosts - HOSTS_SHOWN);
        say(report, "");
    }
}

/* Hosts that answer nothing but 5xx. */
static void say_backing_off(struct report *report)
{
    const struct overview *overview = &report->overview;
    uint64_t wall_ms = report->ask->wall_ms;
    struct buf *line = &report->line;

    if (!overview->slow_hosts)
        return;
    put_count(line, overview->slow_hosts, "host");
    buf_put(line,
            overview->slow_hosts == 1 ? STR(" backs off") : STR(" back off"));
    say(report, "slow");
    for (size_t i = 0; i < overview->slow_hosts && i < HOSTS_SHOWN; i++) {
        const struct overview_host *host = &overview->slow_host[i];
        buf_printf(line, "%.*s: %s", (int)host->name.len, host->name.ptr,
                   outcome_text(HTTP_SERVER_ERROR));
        if (host->until_ms > wall_ms) {
            buf_put(line, STR(", until "));
            ask_put_time(line, host->until_ms);
            buf_put(line, STR(", in "));
            ask_put_duration(line, host->until_ms - wall_ms);
        }
        say(report, "");
    }
    if (overview->slow_hosts > HOSTS_SHOWN) {
        buf_printf(line, "and %zu more", overview->slow_hosts - HOSTS_SHOWN);
        say(report, "");
    }
}

/* --- domains ------------------------------------------------------------ */

static void say_domains(struct report *report)
{
    const struct overview *overview = &report->overview;

    if (!overview->domains)
        return;
    usage_line(stdout, "  %9s %9s %9s  %s", "pages", "queued", "refused",
               "domain");
    for (size_t i = 0; i < overview->domains && i < DOMAINS_SHOWN; i++) {
        const struct overview_domain *domain = &overview->domain[i];
        usage_line(stdout, "  %9llu %9llu %9llu  %.*s%s", number(domain->pages),
                   number(domain->queued), number(domain->refused),
                   (int)domain->name.len, domain->name.ptr,
                   domain->capped ? " (at its cap)" : "");
    }
    if (overview->domains > DOMAINS_SHOWN)
        usage_line(stdout, "  and %zu more", overview->domains - DOMAINS_SHOWN);
}

/* --- what remains ------------------------------------------------------- */

static void put_secrets(struct report *report)
{
    const struct list *given = &report->ask->plan.past.given;

    for (size_t i = 0; i < given->count; i++)
        if (past_is_secret(given->item[i])) {
            struct str name = str_cut(str_of(given->item[i]), '=').head;
            buf_printf(&report->line, " --%.*s ...", (int)name.len, name.ptr);
        }
    if (report->ask->plan.past.logins.count)
        buf_put(&report->line, STR(" --user ..."));
}

/* As a shell takes it for one word, and we for a path. */
static void put_path(struct buf *line, struct str path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./+:,@%=";
    bool quoted = !path.len || strspn(path.ptr, plain) < path.len;

    if (quoted)
        buf_put_char(line, '\'');
    if (str_starts(path, STR("-")))
        buf_put(line, STR("./"));
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '\'')
            buf_put(line, STR("'\\''"));
        else
            buf_put_char(line, path.ptr[i]);
    }
    if (quoted)
        buf_put_char(line, '\'');
}

static void say_rest(struct report *report, enum ask_state state)
{
    if (!ask_state_is_open(state))
        return;
    buf_put(&report->line, STR("crawler --resume"));
    /* What it counts is the whole crawl, so it would stop at once. */
    if (state == ASK_MAX_PAGES)
        buf_put(&report->line, STR(" --max-pages ..."));
    put_secrets(report);
    buf_put_char(&report->line, ' ');
    put_path(&report->line, str_of(report->ask->dir_path));
    say(report, "go on");
}

/* --- all of it ---------------------------------------------------------- */

static int tell(struct report *report)
{
    enum ask_state state = ask_state(report->ask);

    say_state(report, state);
    say_times(report, state);
    say_robots(report);
    say_pages(report);
    int status = say_waits(report);
    if (status)
        return status;
    say_limits(report, state);
    say_backing_off(report);
    say_dead(report);
    say_domains(report);
    say_rest(report, state);
    return 0;
}

static int run(const struct options *options)
{
    struct ask ask;
    struct report report = {.ask = &ask};
    struct store_error error;

    if (options->argument_count != 1)
        return usage_error("status needs one argument, pageDirectory, not %zu",
                           options->argument_count);
    int status = ask_open(&ask, options->argument[0]);
    if (!status) {
        buf_init(&report.line, LINE_MAX_LEN);
        const struct crawl_options *crawl = &ask.plan.crawl;
        status = overview_read(&report.overview, ask.store,
                               crawl->frontier.max_per_domain,
                               &crawl->hand.scan, &error)
                     ? tell(&report)
                     : ask_fail(&ask, &error);
        overview_release(&report.overview);
        buf_release(&report.line);
    }
    ask_close(&ask);
    return status;
}

int command_status(int argc, char *const argv[])
{
    return usage_run(COMMAND_STATUS, argc, argv, run);
}
