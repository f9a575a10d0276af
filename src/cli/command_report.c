/* crawler report: what is wrong with a site, from the record of its crawl. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "report/print_report.h"

struct request {
    const struct options *options;
    uint32_t fail_on;
};

static int no_room(void)
{
    return complain_failure("cannot sort the findings: no room for a "
                            "temporary file");
}

/* --- printing ------------------------------------------------------------ */

static int print_to(struct site_report *report, const struct options *options,
                    FILE *out)
{
    report->out = out;
    return report_print(report, (enum report_format)options->report_format)
               ? 0
               : no_room();
}

/* The stream has a descriptor of its own, which is closed with it. */
static int write_file(struct site_report *report, const struct options *options,
                      int fd)
{
    int copy = dup(fd);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

    if (!out)
        return complain_failure("cannot write '%s': %s", options->report_output,
                                strerror(errno));
    int status = print_to(report, options, out);
    bool bad = ferror(out);
    errno = 0;
    if ((fclose(out) || bad) && !status)
        status =
            complain_failure("cannot write '%s': %s", options->report_output,
                             strerror(errno ? errno : EIO));
    return status;
}

static int print(struct site_report *report, const struct options *options)
{
    struct output_file file;

    if (!options->report_output || !strcmp(options->report_output, "-"))
        return print_to(report, options, stdout);
    int status = output_open(&file, options->report_output, OUTPUT_INTO);
    if (status)
        return status;
    return output_close(&file, write_file(report, options, file.fd));
}

/* --- the report ---------------------------------------------------------- */

/* Does --fail-on want status 1? It does where nothing is known, too: no page
 * was saved, or not all pages of other sites were asked for. */
static bool fails(const struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);

    return report->fail_on &&
           (!summary->pages || report_count(report, report->fail_on) ||
            (report->fail_on & 1u << FINDING_EXTERNAL &&
             summary->doubts[FINDING_EXTERNAL]));
}

/* A kind that was not looked for cannot pass. */
static int refuse_unchecked(const struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);

    if (report->fail_on == FINDINGS_ANY)
        return 0; /* any: of those that were */
    for (unsigned i = 0; i < FINDINGS; i++)
        if (report->fail_on & 1u << i && summary->unchecked[i])
            return complain("--fail-on %s: this was not checked, %s",
                            finding_words((enum finding_kind)i)->name,
                            summary->unchecked[i]);
    return 0;
}

static int report_findings(struct findings *findings, struct report *report,
                           const struct plan *plan,
                           const struct request *request)
{
    struct site_report pages = {
        .findings = findings,
        .report = report,
        .fail_on = request->fail_on,
        .has_outside = request->options->check_external,
    };
    int status = 0;

    if (!findings_read(findings))
        return -1;
    if ((status = refuse_unchecked(&pages)))
        return status;
    if (pages.has_outside &&
        (status = check_external(findings, plan, &request->options->given)))
        return status;
    if (!findings_sort(findings))
        return no_room();
    status = print(&pages, request->options);
    return !status && fails(&pages) ? EXIT_FAILURE : status;
}

static int use_record(struct report *report, struct plan *plan, void *user)
{
    const struct request *request = user;
    const struct findings_options options = {
        .slow_ms = request->options->slow_ms,
        .large_bytes = request->options->large,
        .wants_outside = request->options->check_external,
        .has_requisites = plan->options->requisites,
        .has_sitemaps = plan->options->sitemaps || plan->options->sitemap.count,
    };
    int status = options.wants_outside
                     ? check_external_proxy(plan, &request->options->given)
                     : 0;

    if (status)
        return status;
    struct findings *findings = findings_new(report, &options);
    if (!findings)
        return no_room();
    status = report_findings(findings, report, plan, request);
    findings_free(findings);
    return status;
}

/* The kinds, for a message: "broken, external, ...". */
static int refuse_kind(struct str bad)
{
    struct buf names;

    buf_init(&names, 1024);
    for (unsigned i = 0; i < FINDINGS; i++)
        buf_printf(&names, "%s, ", finding_words((enum finding_kind)i)->name);
    int status =
        complain("--fail-on has no kind '%.*s'; there are %sany",
                 (int)str_first(bad, 100).len, bad.ptr, buf_cstr(&names));
    buf_release(&names);
    return status;
}

int command_report(const struct options *options)
{
    struct request request = {.options = options};
    struct str bad;

    if (options->fail_on &&
        !finding_kinds_parse(str_of(options->fail_on), &request.fail_on, &bad))
        return refuse_kind(bad);
    if (options->fail_on && !options->check_external &&
        request.fail_on & 1u << FINDING_EXTERNAL &&
        request.fail_on != FINDINGS_ANY)
        return complain("--fail-on external needs --check-external");
    if (options->proxy && !options->check_external)
        return complain("--proxy needs --check-external");
    return record_use(options->argument[0], use_record, &request);
}
