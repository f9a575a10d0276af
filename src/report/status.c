#include "report/report.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/words.h"
#include "report/hand_orders.h"
#include "report/status_json.h"
#include "report/totals.h"

enum { DOMAINS_SHOWN = 10, HOSTS_SHOWN = 5, LINE_MAX_LEN = 4 << 20 };

struct status {
    struct report *report;
    struct totals totals;
    struct buf line; /* as far as it is put together */
};

/* Print the line behind a label, and clear it. */
static void say(struct status *status, const char *label)
{
    terminal_line(stdout, "  %-8s %s", label, buf_cstr(&status->line));
    buf_clear(&status->line);
}

static unsigned long long number(uint64_t value)
{
    return value;
}

/* --- how it is ---------------------------------------------------------- */

static void say_seeds(struct status *status)
{
    const struct facts *facts = status->report->facts;

    if (!facts->seeds)
        return;
    buf_put(&status->line, facts->seed[0].url);
    if (facts->seeds > 1)
        buf_printf(&status->line, " and %zu more", facts->seeds - 1);
    buf_printf(&status->line, ", maxDepth %llu",
               number(facts->number[FACT_DEPTH]));
    say(status, "from");
}

static void say_times(struct status *status)
{
    const struct facts *facts = status->report->facts;
    uint64_t wall_ms = status->report->wall_ms;
    bool over = facts->state != STATE_RUNNING;
    uint64_t last_ms = facts->number[over ? FACT_ENDED_MS : FACT_COMMITTED_MS];
    struct buf *line = &status->line;

    buf_put(line, str_of(words_time(facts->number[FACT_STARTED_MS]).text));
    if (last_ms)
        buf_printf(line, "; %s %s", over ? "ended" : "last written",
                   words_time(last_ms).text);
    if (last_ms && !over && last_ms <= wall_ms)
        buf_printf(line, ", %s ago", words_duration(wall_ms - last_ms).text);
    say(status, "begun");
}

/* A site's owner writes this name into robots.txt. */
static void say_robots(const struct status *status)
{
    struct str agent = status->report->scan.robots_agent;

    terminal_line(stdout, "  robots   %s%.*s",
                  agent.len ? "obeyed as " : "ignored", STR_ARGS(agent));
}

static void say_pages(struct status *status)
{
    const struct totals *totals = &status->totals;
    const uint64_t *ends = totals->ends;

    terminal_line(stdout,
                  "  pages    %llu saved, %s; %llu redirected, %llu not kept, "
                  "%llu failed, %llu refused",
                  number(ends[URL_SAVED]), words_bytes(totals->bytes).text,
                  number(ends[URL_REDIRECTED]), number(ends[URL_NOT_KEPT]),
                  number(ends[URL_FAILED]), number(ends[URL_REFUSED]));
    if (totals->equal) {
        buf_printf(&status->line, "%s %s the content of an earlier one",
                   words_count(totals->equal, "page").text,
                   totals->equal == 1 ? "has" : "have");
        say(status, "equal");
    }
    buf_put(&status->line, str_of(words_count(ends[URL_QUEUED], "URL").text));
    if (totals->retrying)
        buf_printf(&status->line, ", %llu of them to be tried again",
                   number(totals->retrying));
    say(status, "queue");
}

static void say_requisites(const struct status *status)
{
    const uint64_t *ends = status->totals.requisites;
    const struct facts *facts = status->report->facts;
    uint64_t all = 0;

    for (int i = 0; i < URL_ENDS; i++)
        all += ends[i];
    if (!all)
        return;
    terminal_line(stdout,
                  "  needed   %llu requisites fetched, %s; %llu redirected, "
                  "%llu not kept, %llu failed, %llu refused, %llu queued",
                  number(ends[URL_SAVED]),
                  words_bytes(facts->number[FACT_REQUISITE_BYTES]).text,
                  number(ends[URL_REDIRECTED]), number(ends[URL_NOT_KEPT]),
                  number(ends[URL_FAILED]), number(ends[URL_REFUSED]),
                  number(ends[URL_QUEUED]));
}

static void say_archive(struct status *status)
{
    const struct totals *totals = &status->totals;
    struct buf *line = &status->line;

    if (!totals->archives && !totals->noarchive)
        return;
    buf_printf(line, "%s", words_count(totals->captures, "exchange").text);
    buf_printf(line, " in %s, %s", words_count(totals->archives, "file").text,
               words_bytes(totals->archive_bytes).text);
    if (totals->revisits)
        buf_printf(line, "; %llu known before", number(totals->revisits));
    if (totals->noarchive)
        buf_printf(line, "; %llu left out (noarchive)",
                   number(totals->noarchive));
    say(status, "archive");
}

/* --- what it waits for -------------------------------------------------- */

static void put_idle(struct status *status, const struct idle *idle)
{
    const struct report *report = status->report;
    uint64_t until_ms = idle->until_ms - report->now_ms + report->wall_ms;
    struct buf *line = &status->line;

    switch (idle->reason) {
    case IDLE_PAUSE:
        buf_printf(line, "for the pause of %.*s%s", STR_ARGS(idle->host),
                   idle->is_left_behind ? ", which is left behind" : "");
        break;
    case IDLE_BACKOFF:
        buf_printf(line, "for %.*s, which backs off: %s", STR_ARGS(idle->host),
                   outcome_text((enum outcome)idle->last_outcome));
        break;
    case IDLE_RETRY:
        buf_printf(line, "to try %.*s again", STR_ARGS(idle->host));
        break;
    default:
        buf_printf(line, "for nothing: %s",
                   report->locked ? "fetching" : "could go on at once");
        return;
    }
    buf_printf(line, ", until %s", words_when(until_ms, report->wall_ms).text);
}

/* For a crawl at work this is how it was when it last wrote. */
static void say_waits(struct status *status)
{
    const struct report *report = status->report;

    if (!report->loaded || status->totals.paused_ms)
        return;
    struct idle idle =
        frontier_idle(report->validator.frontier, report->now_ms);
    put_idle(status, &idle);
    say(status, "waits");
}

/* --- limits ------------------------------------------------------------- */

/* `what` is counted; NULL: the limit ended the crawl. */
static void put_limit(struct buf *line, const char *name, uint64_t count,
                      const char *what)
{
    if (!count)
        return;
    buf_printf(line, "%s%s", line->len ? ", " : "", name);
    if (what)
        buf_printf(line, " (%s)", words_count(count, what).text);
}

static void say_limits(struct status *status)
{
    enum crawl_state state = status->report->facts->state;
    const struct totals *totals = &status->totals;
    struct buf *line = &status->line;

    put_limit(line, "--max-pages", state == STATE_MAX_PAGES, NULL);
    put_limit(line, "--max-bytes", state == STATE_MAX_BYTES, NULL);
    put_limit(line, "--max-time", state == STATE_MAX_TIME, NULL);
    put_limit(line, "--max-per-domain", totals->domains_capped, "domain");
    put_limit(line, "maxDepth", totals->too_deep, "URL");
    put_limit(line, "--max-size", totals->too_large, "page");
    if (line->len)
        say(status, "limits");
}

/* --- why not saved ------------------------------------------------------ */

/* The label stands before the first of them alone. */
static void say_kind(const char **label, const struct totals_kind *kind,
                     const char *text)
{
    if (!kind->count)
        return;
    terminal_line(stdout, "  %-8s %s: %s, such as %.*s", *label,
                  words_count(kind->count, "URL").text, text,
                  STR_ARGS(kind->example));
    *label = "";
}

/* They add up to the figures of the pages. */
static void say_kinds(const struct status *status)
{
    const struct totals *totals = &status->totals;
    const char *label = "not kept";

    for (int i = 0; i < OUTCOMES; i++)
        say_kind(&label, &totals->not_kept[i], outcome_text((enum outcome)i));
    label = "failed";
    for (int i = 0; i < OUTCOMES; i++)
        say_kind(&label, &totals->failed[i], outcome_text((enum outcome)i));
    for (int i = 0; i < VERDICTS; i++)
        say_kind(&label, &totals->not_asked[i], verdict_text((enum verdict)i));
    label = "refused";
    for (int i = 0; i < VERDICTS; i++)
        say_kind(&label, &totals->refused[i], verdict_text((enum verdict)i));
}

/* --- hosts -------------------------------------------------------------- */

static void say_host(struct status *status, const struct store_host *host)
{
    uint64_t wall_ms = status->report->wall_ms;
    struct buf *line = &status->line;

    buf_printf(line, "%.*s: ", STR_ARGS(host->name));
    if (host->given_up & GIVEN_UP_HOST)
        buf_printf(line, "%s%s",
                   host->given_up & GIVEN_UP_ROBOTS ? "its robots.txt: " : "",
                   outcome_text((enum outcome)host->outcome));
    else
        buf_put(line, str_of(outcome_text(HTTP_SERVER_ERROR)));
    if (!(host->given_up & GIVEN_UP_HOST) && host->until_ms > wall_ms)
        buf_printf(line, ", until %s",
                   words_when(host->until_ms, wall_ms).text);
    say(status, "");
}

static void say_hosts(struct status *status, const struct totals_hosts *hosts,
                      const char *label, const char *what)
{
    if (!hosts->count)
        return;
    terminal_line(stdout, "  %-8s %s %s", label,
                  words_count(hosts->count, "host").text, what);
    for (size_t i = 0; i < hosts->count && i < HOSTS_SHOWN; i++)
        say_host(status, &hosts->host[i]);
    if (hosts->count > HOSTS_SHOWN)
        terminal_line(stdout, "  %-8s and %zu more", "",
                      hosts->count - HOSTS_SHOWN);
}

/* --- domains ------------------------------------------------------------ */

static void say_domains(struct status *status)
{
    static const struct {
        const char *heading;
        enum url_end end;
    } columns[] = {
        {"saved", URL_SAVED},       {"redirected", URL_REDIRECTED},
        {"not kept", URL_NOT_KEPT}, {"failed", URL_FAILED},
        {"refused", URL_REFUSED},   {"queued", URL_QUEUED},
    };
    const struct totals *totals = &status->totals;
    struct buf *line = &status->line;

    if (!totals->domains)
        return;
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        buf_printf(line, " %10s", columns[i].heading);
    terminal_line(stdout, "%s  domain", buf_cstr(line));
    for (size_t i = 0; i < totals->domains && i < DOMAINS_SHOWN; i++) {
        const struct totals_domain *domain = &totals->domain[i];
        buf_clear(line);
        for (size_t j = 0; j < ARRAY_LEN(columns); j++)
            buf_printf(line, " %10llu", number(domain->ends[columns[j].end]));
        terminal_line(stdout, "%s  %.*s%s", buf_cstr(line),
                      STR_ARGS(domain->name),
                      domain->capped ? " (at its cap)" : "");
    }
    buf_clear(line);
    if (totals->domains > DOMAINS_SHOWN)
        terminal_line(stdout, "  and %zu more",
                      totals->domains - DOMAINS_SHOWN);
}

/* --- all of it ---------------------------------------------------------- */

static void put_state(struct status *status)
{
    const struct report *report = status->report;
    struct buf *line = &status->line;

    if (!status->totals.paused_ms) {
        buf_put(line, str_of(report_state(report)));
        return;
    }
    buf_printf(line, "paused by hand since %s; crawler ctl ",
               words_time(status->totals.paused_ms).text);
    words_put_path(line, str_of(report->dir_path));
    buf_put(line, STR(" resume goes on"));
}

static void say_all(struct status *status)
{
    const struct report *report = status->report;
    const struct totals *totals = &status->totals;

    put_state(status);
    terminal_line(stdout, "The crawl in %s is %s", report->dir_path,
                  buf_cstr(&status->line));
    buf_clear(&status->line);
    say_seeds(status);
    say_times(status);
    say_robots(status);
    say_pages(status);
    say_requisites(status);
    say_archive(status);
    say_waits(status);
    say_limits(status);
    say_kinds(status);
    say_hosts(status, &totals->backing_off, "slow",
              totals->backing_off.count == 1 ? "backs off" : "back off");
    say_hosts(status, &totals->given_up, "dead", "given up");
    say_domains(status);
    if (report_can_go_on(report)) {
        report_put_resume(report, &status->line);
        say(status, "go on");
    }
}

bool status_print(struct report *report, bool json)
{
    struct status status = {.report = report};

    buf_init(&status.line, LINE_MAX_LEN);
    /* Everything is read before anything is said. */
    bool good = totals_read(&status.totals, report) &&
                hand_orders_paused(report, &status.totals.paused_ms) &&
                (!(status.totals.ends[URL_QUEUED] +
                   status.totals.requisites[URL_QUEUED]) ||
                 report_load(report));
    if (good && json)
        status_put_json(&status.line, report, &status.totals);
    if (good && json)
        fwrite(status.line.ptr, 1, status.line.len, stdout);
    else if (good)
        say_all(&status);
    totals_release(&status.totals);
    buf_release(&status.line);
    return good;
}
