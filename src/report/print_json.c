/* crawler report --format json: one object. */
#include "base/json.h"
#include "report/print_report.h"

static void begin(void *user, enum finding_kind kind)
{
    struct site_report *report = user;
    const struct findings_summary *summary = findings_summary(report->findings);
    struct buf *line = &report->line;

    buf_printf(line, "%s\n    \"%s\": ", kind ? "," : "",
               finding_words(kind)->name);
    json_open(line, NULL);
    json_add_number(line, "count", summary->counts[kind].subjects);
    json_add_number(line, "places", summary->counts[kind].places);
    if (summary->unchecked[kind])
        json_add_str(line, "not_checked", str_of(summary->unchecked[kind]));
    if (summary->doubts[kind])
        json_add_str(line, "inconclusive", str_of(summary->doubts[kind]));
    json_open_array(line, "items");
    report->has_items = false;
    print_flush(report);
}

static void subject(void *user, const struct finding_subject *subject)
{
    struct site_report *report = user;
    struct buf *line = &report->line;

    buf_put(line, report->has_items ? STR(",\n      ") : STR("\n      "));
    report->has_items = true;
    report->has_places = false;
    buf_put_char(line, '{');
    json_add_str(line,
                 subject->kind == FINDING_SAME_TITLE  ? "title"
                 : subject->kind == FINDING_DUPLICATE ? "digest"
                                                      : "url",
                 subject->text);
    if (subject->detail.len)
        json_add_str(line, "detail", subject->detail);
    json_open_array(line, "places");
    print_flush(report);
}

static void place(void *user, const struct finding_place *place)
{
    struct site_report *report = user;
    struct buf *line = &report->line;

    buf_put(line,
            report->has_places ? STR(",\n        {") : STR("\n        {"));
    report->has_places = true;
    if (place->named_by.len) {
        json_add_str(line, "named_by", place->named_by);
    } else {
        json_add_number(line, "page", place->page);
        json_add_str(line, "url", place->url);
    }
    if (place->text.len)
        json_add_str(line, "text", place->text);
    if (place->via.len)
        json_add_str(line, "via", place->via);
    buf_put_char(line, '}');
    print_flush(report);
}

static void end_subject(void *user)
{
    struct site_report *report = user;

    fputs("]}", report->out);
}

static void end(void *user, enum finding_kind kind)
{
    struct site_report *report = user;

    (void)kind;
    fputs("]}", report->out);
}

bool print_json(struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);
    const struct findings_visitor visitor = {
        .user = report,
        .begin = begin,
        .subject = subject,
        .place = place,
        .end_subject = end_subject,
        .end = end,
    };
    struct buf *line = &report->line;

    json_open(line, NULL);
    json_add_str(line, "seed", site_seed(report));
    json_add_str(line, "state", str_of(site_state(report)));
    json_add_number(line, "started_ms",
                    report->report->facts->number[FACT_STARTED_MS]);
    json_add_number(line, "pages", summary->pages);
    json_add_number(line, "links", summary->links);
    json_add_number(line, "external_links", summary->outside);
    json_add_bool(line, "external_checked",
                  report->has_outside && !summary->doubts[FINDING_EXTERNAL]);
    buf_put(line, STR(",\n  \"findings\": {"));
    print_flush(report);
    bool good = findings_visit(report->findings, &visitor);
    fputs("\n  }\n}\n", report->out);
    return good;
}
