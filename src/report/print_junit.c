/* crawler report --format junit: a suite for each kind of finding, a
 * failed case for each finding. With --fail-on the other kinds are skipped
 * cases; without it candidates are. Continuous integration shows these. */
#include "report/print_report.h"

static bool fails(const struct site_report *report, enum finding_kind kind)
{
    return (report->fail_on ? report->fail_on : FINDINGS_ANY) & 1u << kind;
}

/* A kind without a finding is one case that passes, or that is skipped if it
 * was not looked for. */
static uint64_t cases_of(uint64_t findings)
{
    return findings ? findings : 1;
}

static void put_counts(struct site_report *report, const char *element,
                       const char *name, uint64_t tests, uint64_t failures,
                       uint64_t skipped)
{
    buf_printf(&report->line,
               "<%s name=\"%s\" tests=\"%llu\" failures=\"%llu\" "
               "errors=\"0\" skipped=\"%llu\">\n",
               element, name, (unsigned long long)tests,
               (unsigned long long)failures, (unsigned long long)skipped);
}

static void begin(void *user, enum finding_kind kind)
{
    struct site_report *report = user;
    const struct findings_summary *summary = findings_summary(report->findings);
    uint64_t count = summary->counts[kind].subjects;
    uint64_t failures = fails(report, kind) ? count : 0;
    const char *name = finding_words(kind)->name;
    const char *unchecked = summary->unchecked[kind];

    report->kind = kind;
    put_counts(report, "testsuite", name, cases_of(count), failures,
               unchecked ? 1 : count - failures);
    if (unchecked)
        buf_printf(&report->line,
                   "<testcase classname=\"%s\" name=\"not checked\">"
                   "<skipped message=\"%s\"/></testcase>\n",
                   name, unchecked);
    else if (!count)
        buf_printf(&report->line,
                   "<testcase classname=\"%s\" name=\"none\"/>\n", name);
    print_flush(report);
}

static void subject(void *user, const struct finding_subject *subject)
{
    struct site_report *report = user;
    const struct finding_words *words = finding_words(subject->kind);
    struct buf *line = &report->line;

    buf_printf(line, "<testcase classname=\"%s\" name=\"", words->name);
    print_escaped(line, subject->text);
    buf_printf(line, "\"><%s message=\"",
               fails(report, subject->kind) ? "failure" : "skipped");
    print_escaped(line, str_of(words->title));
    if (subject->detail.len) {
        buf_put(line, STR(": "));
        print_escaped(line, subject->detail);
    }
    buf_put(line, STR("\">"));
    print_flush(report);
}

static void place(void *user, const struct finding_place *place)
{
    struct site_report *report = user;
    struct buf *line = &report->line;

    buf_put(line, place->named_by.len ? STR("\n") : STR("\nin "));
    print_escaped(line, place->named_by.len ? place->named_by : place->url);
    if (place->text.len) {
        buf_put(line, STR(": "));
        print_escaped(line, place->text);
    }
    if (place->via.len) {
        buf_put(line, STR(", through "));
        print_escaped(line, place->via);
    }
    print_flush(report);
}

static void end_subject(void *user)
{
    struct site_report *report = user;

    fprintf(report->out, "</%s></testcase>\n",
            fails(report, report->kind) ? "failure" : "skipped");
}

static void end(void *user, enum finding_kind kind)
{
    struct site_report *report = user;
    const char *doubt = findings_summary(report->findings)->doubts[kind];

    if (doubt) {
        buf_put(&report->line, STR("<system-out>inconclusive: "));
        print_escaped(&report->line, str_of(doubt));
        buf_put(&report->line, STR("</system-out>\n"));
    }
    buf_put(&report->line, STR("</testsuite>\n"));
    print_flush(report);
}

bool print_junit(struct site_report *report)
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
    uint64_t tests = 0, failures = 0, findings = 0, unchecked = 0;

    for (unsigned i = 0; i < FINDINGS; i++) {
        uint64_t count = summary->counts[i].subjects;
        tests += cases_of(count);
        findings += count;
        unchecked += summary->unchecked[i] != NULL;
        failures += fails(report, (enum finding_kind)i) ? count : 0;
    }
    buf_put(&report->line, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    put_counts(report, "testsuites", "crawler report", tests, failures,
               findings - failures + unchecked);
    print_flush(report);
    bool good = findings_visit(report->findings, &visitor);
    fputs("</testsuites>\n", report->out);
    return good;
}
