#include "report/status_json.h"

#include "base/date.h"
#include "base/json.h"

static void add_time(struct buf *out, const char *name, uint64_t wall_ms)
{
    if (wall_ms)
        json_add_str(out, name, str_of(date_iso(wall_ms).text));
    else
        json_add_null(out, name);
}

static void add_ends(struct buf *out, const char *name, const uint64_t *ends)
{
    json_open(out, name);
    for (int end = 0; end < URL_OUTSIDE; end++)
        json_add_number(out, url_end_name((enum url_end)end), ends[end]);
    json_close(out);
}

static void add_kind(struct buf *out, const char *name,
                     const struct totals_kind *kind)
{
    if (!kind->count)
        return;
    json_open(out, name);
    json_add_number(out, "count", kind->count);
    json_add_str(out, "example", kind->example);
    json_close(out);
}

static void add_kinds(struct buf *out, const struct totals *totals)
{
    json_open(out, "not_kept");
    for (int i = 0; i < OUTCOMES; i++)
        add_kind(out, outcome_name((enum outcome)i), &totals->not_kept[i]);
    json_close(out);
    json_open(out, "failed");
    for (int i = 0; i < OUTCOMES; i++)
        add_kind(out, outcome_name((enum outcome)i), &totals->failed[i]);
    for (int i = 0; i < VERDICTS; i++)
        add_kind(out, verdict_name((enum verdict)i), &totals->not_asked[i]);
    json_close(out);
    json_open(out, "refused");
    for (int i = 0; i < VERDICTS; i++)
        add_kind(out, verdict_name((enum verdict)i), &totals->refused[i]);
    json_close(out);
}

/* As the text does it, a few domains: there may be millions. */
static void add_domains(struct buf *out, const struct totals *totals)
{
    enum { DOMAINS_SHOWN = 10 };

    json_add_number(out, "domains", totals->domains);
    json_add_number(out, "domains_capped", totals->domains_capped);
    json_add_number(out, "hosts_backing_off", totals->backing_off.count);
    json_add_number(out, "hosts_given_up", totals->given_up.count);
    json_open(out, "largest_domains");
    for (size_t i = 0; i < totals->domains && i < DOMAINS_SHOWN; i++)
        add_ends(out, totals->domain[i].name.ptr, totals->domain[i].ends);
    json_close(out);
}

static void add_archive(struct buf *out, const struct totals *totals)
{
    json_open(out, "archive");
    json_add_number(out, "files", totals->archives);
    json_add_number(out, "bytes", totals->archive_bytes);
    json_add_number(out, "captures", totals->captures);
    json_add_number(out, "revisits", totals->revisits);
    json_add_number(out, "noarchive", totals->noarchive);
    json_close(out);
}

static void add_waits(struct buf *out, const struct report *report,
                      const struct totals *totals)
{
    static const char *const names[] = {
        [IDLE_PAUSE] = "pause",
        [IDLE_BACKOFF] = "backoff",
        [IDLE_RETRY] = "retry",
    };
    struct idle idle = {0};

    if (totals->paused_ms) {
        json_open(out, "waits");
        json_add_str(out, "for", STR("hand"));
        json_add_null(out, "host");
        json_add_null(out, "until");
        add_time(out, "since", totals->paused_ms);
        json_close(out);
        return;
    }
    if (report->loaded)
        idle = frontier_idle(report->validator.frontier, report->now_ms);
    if (!report->loaded || (size_t)idle.reason >= ARRAY_LEN(names) ||
        !names[idle.reason]) {
        json_add_null(out, "waits");
        return;
    }
    json_open(out, "waits");
    json_add_str(out, "for", str_of(names[idle.reason]));
    json_add_str(out, "host", idle.host);
    add_time(out, "until", idle.until_ms - report->now_ms + report->wall_ms);
    json_close(out);
}

static void add_resume(struct buf *out, const struct report *report)
{
    struct buf command;

    if (!report_can_go_on(report)) {
        json_add_null(out, "resume");
        return;
    }
    buf_init(&command, 64 * 1024);
    report_put_resume(report, &command);
    json_add_str(out, "resume", buf_str(&command));
    buf_release(&command);
}

void status_put_json(struct buf *out, const struct report *report,
                     const struct totals *totals)
{
    const struct facts *facts = report->facts;
    bool is_killed = facts->state == STATE_RUNNING && !report->locked;

    json_open(out, NULL);
    json_add_str(out, "directory", str_of(report->dir_path));
    json_add_str(out, "state",
                 is_killed ? STR("killed")
                           : str_of(crawl_state_name(facts->state)));
    if (facts->seeds)
        json_add_str(out, "seed", facts->seed[0].url);
    else
        json_add_null(out, "seed");
    json_add_number(out, "seeds", facts->seeds);
    json_add_number(out, "max_depth", facts->number[FACT_DEPTH]);
    add_time(out, "begun", facts->number[FACT_STARTED_MS]);
    add_time(out, "written", facts->number[FACT_COMMITTED_MS]);
    add_time(out, "ended", facts->number[FACT_ENDED_MS]);
    json_add_str(out, "robots_agent", report->scan.robots_agent);
    add_ends(out, "urls", totals->ends);
    json_add_number(out, "bytes", totals->bytes);
    json_add_number(out, "equal", totals->equal);
    json_add_number(out, "retrying", totals->retrying);
    add_kinds(out, totals);
    add_ends(out, "requisites", totals->requisites);
    add_archive(out, totals);
    add_domains(out, totals);
    add_waits(out, report, totals);
    add_resume(out, report);
    json_close(out);
    buf_put_char(out, '\n');
}
