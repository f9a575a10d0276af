#include "report/print_report.h"

#include "base/escape.h"
#include "base/words.h"

/* A line has a few URLs and a text, six times as long when it is escaped. */
enum { LINE_MAX_LEN = 4 << 20 };

/* --- shared -------------------------------------------------------------- */

/* U+FFFE and U+FFFF are characters of UTF-8, but not of XML. */
static bool is_no_xml(struct str text)
{
    return text.len >= 3 && (unsigned char)text.ptr[0] == 0xef &&
           (unsigned char)text.ptr[1] == 0xbf &&
           (unsigned char)text.ptr[2] >= 0xbe;
}

void print_escaped(struct buf *out, struct str text)
{
    struct buf plain;

    buf_init(&plain, text.len + 1);
    terminal_put(&plain, text, '?');
    struct str rest = buf_str(&plain);
    while (rest.len) {
        bool is_none = is_no_xml(rest);
        markup_put_char(out, is_none ? '?' : rest.ptr[0]);
        rest = str_skip(rest, is_none ? 3 : 1);
    }
    buf_release(&plain);
}

void print_places(struct buf *out, const struct finding_subject *subject)
{
    if (subject->places != subject->pages)
        buf_put(out, str_of(words_count(subject->places, "place").text));
    if (subject->places != subject->pages && subject->pages)
        buf_put(out, STR(" on "));
    if (subject->pages)
        buf_put(out, str_of(words_count(subject->pages, "page").text));
}

void print_flush(struct site_report *report)
{
    fwrite(report->line.ptr, 1, report->line.len, report->out);
    buf_clear(&report->line);
}

struct str site_seed(const struct site_report *report)
{
    const struct facts *facts = report->report->facts;

    return facts->seeds ? facts->seed[0].url : STR("");
}

const char *site_state(const struct site_report *report)
{
    return facts_is_over(report->report->facts) ? "finished" : "not finished";
}

uint64_t report_count(const struct site_report *report, uint32_t kinds)
{
    const struct findings_summary *summary = findings_summary(report->findings);
    uint64_t count = 0;

    for (unsigned i = 0; i < FINDINGS; i++)
        if (kinds & 1u << i)
            count += summary->counts[i].subjects;
    return count;
}

bool report_print(struct site_report *report, enum report_format format)
{
    bool good;

    buf_init(&report->line, LINE_MAX_LEN);
    switch (format) {
    case REPORT_JSON:
        good = print_json(report);
        break;
    case REPORT_HTML:
        good = print_html(report);
        break;
    case REPORT_JUNIT:
        good = print_junit(report);
        break;
    default:
        good = print_text(report);
    }
    buf_release(&report->line);
    return good;
}

/* --- text ---------------------------------------------------------------- */

static void text_begin(void *user, enum finding_kind kind)
{
    struct site_report *report = user;
    const struct findings_summary *summary = findings_summary(report->findings);
    uint64_t count = summary->counts[kind].subjects;

    if (!count && !summary->doubts[kind] && !summary->unchecked[kind])
        return;
    /* The head says so; the kind before it says so. */
    if ((kind == FINDING_EXTERNAL || kind == FINDING_OUTSIDE_FRAGMENT ||
         kind == FINDING_ORPHAN_CANDIDATE) &&
        summary->unchecked[kind])
        return;
    buf_printf(&report->line, "\n%s (%s): ", finding_words(kind)->title,
               finding_words(kind)->name);
    if (summary->unchecked[kind])
        buf_printf(&report->line, "not checked, %s\n",
                   summary->unchecked[kind]);
    else
        buf_printf(&report->line, "%llu\n", (unsigned long long)count);
    if (summary->doubts[kind])
        buf_printf(&report->line, "  inconclusive: %s\n",
                   summary->doubts[kind]);
    print_flush(report);
}

static void text_subject(void *user, const struct finding_subject *subject)
{
    struct site_report *report = user;

    buf_put(&report->line, STR("  "));
    terminal_put(&report->line, subject->text, '?');
    if (subject->detail.len) {
        buf_put(&report->line, STR("  "));
        terminal_put(&report->line, subject->detail, '?');
    }
    buf_put_char(&report->line, '\n');
    print_flush(report);
    report->subject = *subject;
    report->places_shown = 0;
}

static void text_place(void *user, const struct finding_place *place)
{
    struct site_report *report = user;

    if (report->places_shown++ >= PLACES_SHOWN)
        return;
    buf_put(&report->line, place->named_by.len ? STR("    ") : STR("    in "));
    terminal_put(&report->line,
                 place->named_by.len ? place->named_by : place->url, '?');
    if (place->text.len) {
        buf_put(&report->line, STR("  \""));
        terminal_put(&report->line, place->text, '?');
        buf_put_char(&report->line, '"');
    }
    if (place->via.len) {
        buf_put(&report->line, STR("  through "));
        terminal_put(&report->line, place->via, '?');
    }
    buf_put_char(&report->line, '\n');
    print_flush(report);
}

static void text_end_subject(void *user)
{
    struct site_report *report = user;

    if (report->subject.places <= PLACES_SHOWN)
        return;
    buf_put(&report->line, STR("    and more: "));
    print_places(&report->line, &report->subject);
    buf_put(&report->line, STR(" in all\n"));
    print_flush(report);
}

static void text_head(struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);

    buf_put(&report->line, STR("Report on "));
    terminal_put(&report->line, site_seed(report), '?');
    buf_printf(&report->line, "\n  crawl    of %s, %s\n  read     %s, ",
               words_time(report->report->facts->number[FACT_STARTED_MS]).text,
               site_state(report), words_count(summary->pages, "page").text);
    buf_printf(&report->line, "%s, %llu of them to other sites%s\n",
               words_count(summary->links, "link").text,
               (unsigned long long)summary->outside,
               report->has_outside || !summary->outside
                   ? ""
                   : ", which were not checked (--check-external)");
    print_flush(report);
}

static bool is_certain(const struct site_report *report)
{
    const struct findings_summary *summary = findings_summary(report->findings);

    for (unsigned i = 0; i < FINDINGS; i++)
        if (summary->doubts[i] || summary->unchecked[i])
            return false;
    return true;
}

bool print_text(struct site_report *report)
{
    const struct findings_visitor visitor = {
        .user = report,
        .begin = text_begin,
        .subject = text_subject,
        .place = text_place,
        .end_subject = text_end_subject,
    };

    text_head(report);
    bool good = findings_visit(report->findings, &visitor);
    if (!findings_summary(report->findings)->pages)
        fputs("\nNothing is known: no page was saved.\n", report->out);
    else if (!report_count(report, (1u << FINDINGS) - 1))
        fputs(is_certain(report) ? "\nNothing is wrong.\n"
                                 : "\nNothing wrong was found.\n",
              report->out);
    return good;
}
