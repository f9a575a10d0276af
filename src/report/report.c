#include "report/report.h"

#include "report/words.h"

bool report_load(struct report *report, struct store_error *error)
{
    const struct resume_options options = {
        .fingerprint_seed = report->scan.fingerprint_seed,
        .robots_agent = report->scan.robots_agent,
        .now_ms = report->now_ms,
        .wall_ms = report->wall_ms,
    };
    struct resumed resumed;

    if (report->loaded)
        return true;
    validator_init(&report->validator, report->scope, report->max_depth,
                   &report->frontier);
    report->loaded = true;
    return resume_load(report->store, &report->validator, &options, &resumed,
                       error);
}

void report_release(struct report *report)
{
    if (report->loaded)
        validator_release(&report->validator);
    report->loaded = false;
}

bool report_was_killed(const struct report *report)
{
    return report->facts->state == STATE_RUNNING && !report->locked;
}

void report_put_resume(const struct report *report, struct buf *line)
{
    buf_put(line, STR("crawler --resume"));
    /* That limit is of the whole crawl, which would stop at once. */
    if (report->facts->state == STATE_MAX_PAGES)
        buf_put(line, STR(" --max-pages ..."));
    buf_printf(line, "%s ", report->ask_again);
    words_put_path(line, str_of(report->dir_path));
}

bool report_can_go_on(const struct report *report)
{
    return !facts_is_over(report->facts) &&
           (report->facts->state != STATE_RUNNING || !report->locked);
}
