/* crawler report --format html: one file that needs nothing else, no
 * script and no network. Its policy forbids both, should a text of the site
 * ever pass as markup. */
#include "base/words.h"
#include "report/print_report.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;"
    "--paper:#fff;--line:#d0d7de;--mark:#0b57d0;--bad:#a40e26;"
    "--good:#116329;--box:#f6f8fa}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;"
    "--paper:#0d1117;--line:#30363d;--mark:#79b8ff;--bad:#ff8182;"
    "--good:#56d364;--box:#161b22}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:60rem;margin:0 auto;padding:1rem}"
    "h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}"
    "h2{font-size:1.2rem;margin:2.2rem 0 .2rem;padding-top:.6rem;"
    "border-top:1px solid var(--line)}"
    "a{color:var(--mark);overflow-wrap:anywhere}"
    "p{margin:.3rem 0}"
    ".soft{color:var(--soft)}"
    ".count{color:var(--bad);font-variant-numeric:tabular-nums}"
    ".none{color:var(--good)}"
    ".doubt{border-left:.25rem solid var(--soft);padding-left:.6rem}"
    "table{border-collapse:collapse;width:100%;margin-top:1rem}"
    "caption{text-align:left;color:var(--soft)}"
    "th,td{text-align:left;padding:.3rem .4rem;"
    "border-bottom:1px solid var(--line);font-weight:inherit}"
    "thead th{color:var(--soft)}"
    "td{text-align:right;font-variant-numeric:tabular-nums}"
    "th.n{text-align:right}"
    "ul.found{list-style:none;padding:0}"
    "ul.found>li{background:var(--box);border:1px solid var(--line);"
    "border-radius:.4rem;padding:.5rem .7rem;margin:.6rem 0;"
    "overflow-wrap:anywhere}"
    ".detail{color:var(--bad);display:block}"
    "details{margin-top:.2rem}"
    "li ul{padding-left:1.2rem;margin:.3rem 0}"
    "summary{cursor:pointer}"
    "@media print{details>ul{display:block}}";

/* --- the head ------------------------------------------------------------ */

/* A broken link may be no URL at all. */
static void put_link(struct buf *line, struct str url)
{
    if (!str_starts_nocase(url, STR("http://")) &&
        !str_starts_nocase(url, STR("https://"))) {
        print_escaped(line, url);
        return;
    }
    buf_put(line, STR("<a rel=\"noreferrer\" href=\""));
    print_escaped(line, url);
    buf_put(line, STR("\">"));
    print_escaped(line, url);
    buf_put(line, STR("</a>"));
}

static void put_head(struct site_report *report)
{
    struct buf *line = &report->line;

    buf_put(line, STR("<!doctype html>\n<html lang=\"en\">\n<head>\n"
                      "<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\""
                      "default-src 'none'; style-src 'unsafe-inline'\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\">\n<title>Report on "));
    print_escaped(line, site_seed(report));
    buf_printf(line, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n",
               style);
    buf_put(line, STR("<h1>Report on "));
    put_link(line, site_seed(report));
    buf_put(line, STR("</h1>\n"));
}

static void put_facts(struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);
    struct buf *line = &report->line;

    buf_printf(line, "<p>%s and ", words_count(summary->pages, "page").text);
    buf_printf(line, "%s were read.", words_count(summary->links, "link").text);
    if (summary->outside)
        buf_printf(line, " %s to other sites %s.",
                   words_count(summary->outside, "link").text,
                   report->has_outside ? "are among them"
                                       : "were not checked "
                                         "(--check-external)");
    buf_printf(line,
               "</p>\n<p class=\"soft\">The crawl began at %s and is %s.</p>\n",
               words_time(report->report->facts->number[FACT_STARTED_MS]).text,
               site_state(report));
}

static bool is_shown(const struct findings_summary *summary,
                     enum finding_kind kind)
{
    return summary->counts[kind].subjects || summary->doubts[kind] ||
           (summary->unchecked[kind] && kind != FINDING_ORPHAN_CANDIDATE);
}

static void put_summary_row(struct buf *line,
                            const struct findings_summary *summary,
                            enum finding_kind kind)
{
    const struct findings_counts *counts = &summary->counts[kind];
    const struct finding_words *words = finding_words(kind);

    if (is_shown(summary, kind))
        buf_printf(line, "<tr><th scope=\"row\"><a href=\"#%s\">%s</a></th>",
                   words->name, words->title);
    else
        buf_printf(line, "<tr><th scope=\"row\">%s</th>", words->title);
    if (summary->unchecked[kind]) {
        buf_put(line,
                STR("<td class=\"soft\">not checked</td><td></td></tr>\n"));
        return;
    }
    buf_printf(line, "<td class=\"%s\">%llu</td><td>%llu</td></tr>\n",
               counts->subjects ? "count" : "none",
               (unsigned long long)counts->subjects,
               (unsigned long long)counts->places);
}

static void put_summary(struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);
    struct buf *line = &report->line;

    buf_put(line, STR("<table>\n<caption>Findings, and how often they stand in "
                      "pages</caption>\n<thead><tr><th scope=\"col\">Finding"
                      "</th><th scope=\"col\" class=\"n\">Number</th>"
                      "<th scope=\"col\" class=\"n\">Places</th></tr></thead>"
                      "\n<tbody>\n"));
    for (unsigned i = 0; i < FINDINGS; i++)
        if (i != FINDING_ORPHAN_CANDIDATE || summary->counts[i].subjects)
            put_summary_row(line, summary, (enum finding_kind)i);
    buf_put(line, STR("</tbody>\n</table>\n"));
    print_flush(report);
}

/* --- findings ------------------------------------------------------------ */

static void put_doubt(struct buf *line, const char *what, const char *why)
{
    if (!why)
        return;
    buf_printf(line, "<p class=\"doubt\">%s: ", what);
    print_escaped(line, str_of(why));
    buf_put(line, STR(".</p>\n"));
}

static void begin(void *user, enum finding_kind kind)
{
    struct site_report *report = user;
    const struct finding_words *words = finding_words(kind);
    const struct findings_summary *summary = findings_summary(report->findings);
    struct buf *line = &report->line;

    if (!is_shown(summary, kind))
        return;
    buf_printf(line, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s",
               words->name, words->name, words->title);
    if (!summary->unchecked[kind])
        buf_printf(line, " <span class=\"count\">%llu</span>",
                   (unsigned long long)summary->counts[kind].subjects);
    buf_printf(line, "</h2>\n<p class=\"soft\">%s</p>\n", words->help);
    put_doubt(line, "Not checked", summary->unchecked[kind]);
    put_doubt(line, "Inconclusive", summary->doubts[kind]);
    if (summary->counts[kind].subjects)
        buf_put(line, STR("<ul class=\"found\">\n"));
    print_flush(report);
}

static void subject(void *user, const struct finding_subject *subject)
{
    struct site_report *report = user;
    struct buf *line = &report->line;

    buf_put(line, STR("<li>"));
    if (subject->kind == FINDING_DUPLICATE) {
        buf_put(line, STR("Content "));
        print_escaped(line, subject->text);
    } else if (subject->kind == FINDING_SAME_TITLE) {
        print_escaped(line, subject->text);
    } else {
        put_link(line, subject->text);
    }
    if (subject->detail.len) {
        buf_put(line, STR(" <span class=\"detail\">"));
        print_escaped(line, subject->detail);
        buf_put(line, STR("</span>"));
    }
    report->has_places = subject->places > 0;
    report->places_shown = 0;
    if (report->has_places) {
        buf_put(line, STR("\n<p class=\"soft\">"));
        print_places(line, subject);
        buf_put(line, STR("</p>\n<ul>\n"));
    }
    print_flush(report);
}

static void place(void *user, const struct finding_place *place)
{
    struct site_report *report = user;
    struct buf *line = &report->line;

    /* The rest is behind a line that opens. */
    if (report->places_shown++ == PLACES_SHOWN)
        buf_put(line, STR("</ul>\n<details><summary>more</summary>\n<ul>\n"));
    buf_put(line, STR("<li>"));
    if (place->named_by.len) {
        print_escaped(line, place->named_by);
    } else {
        put_link(line, place->url);
    }
    if (place->text.len) {
        buf_put(line, STR(" <q>"));
        print_escaped(line, place->text);
        buf_put(line, STR("</q>"));
    }
    if (place->via.len) {
        buf_put(line, STR(" through "));
        print_escaped(line, place->via);
    }
    buf_put(line, STR("</li>\n"));
    print_flush(report);
}

static void end_subject(void *user)
{
    struct site_report *report = user;

    fputs(report->places_shown > PLACES_SHOWN ? "</ul></details></li>\n"
          : report->has_places                ? "</ul></li>\n"
                                              : "</li>\n",
          report->out);
}

static void end(void *user, enum finding_kind kind)
{
    struct site_report *report = user;
    const struct findings_summary *summary = findings_summary(report->findings);

    if (summary->counts[kind].subjects)
        fputs("</ul>\n", report->out);
    if (is_shown(summary, kind))
        fputs("</section>\n", report->out);
}

bool print_html(struct site_report *report)
{
    const struct findings_visitor visitor = {
        .user = report,
        .begin = begin,
        .subject = subject,
        .place = place,
        .end_subject = end_subject,
        .end = end,
    };

    put_head(report);
    put_facts(report);
    put_summary(report);
    bool good = findings_visit(report->findings, &visitor);
    fputs("</main>\n</body>\n</html>\n", report->out);
    return good;
}
