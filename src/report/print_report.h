/* crawler report: the findings on a site, printed. Texts of the site are
 * shown as texts, whatever they are: markup, control characters and what is no
 * UTF-8 are taken out or escaped. */
#ifndef REPORT_PRINT_REPORT_H
#define REPORT_PRINT_REPORT_H

#include <stdio.h>

#include "report/findings.h"

/* In the order of the choices of --format. */
enum report_format {
    REPORT_BY_DEFAULT, /* text */
    REPORT_TEXT,
    REPORT_JSON,
    REPORT_HTML,
    REPORT_JUNIT,
};

struct site_report {
    struct findings *findings;
    const struct report *report;
    uint32_t fail_on; /* kinds: 1 << enum finding_kind; 0: not given */
    bool has_outside; /* links to other sites were asked */
    FILE *out;
    struct buf line; /* scratch */
    /* of the printer */
    bool has_items, has_places;
    uint64_t places_shown; /* of the subject */
    enum finding_kind kind;
    struct finding_subject subject;
};

/* False if a temporary file failed. What cannot be written is seen by
 * ferror(). */
bool report_print(struct site_report *report, enum report_format format);

/* How many findings are of these kinds? */
uint64_t report_count(const struct site_report *report, uint32_t kinds);

/* --- for the printers ---------------------------------------------------- */

bool print_text(struct site_report *report);
bool print_json(struct site_report *report);
bool print_html(struct site_report *report);
bool print_junit(struct site_report *report);

/* People see so many places of a subject at once. */
enum { PLACES_SHOWN = 3 };

/* Append "1449 places on 746 pages", or "746 pages" if there is one on each. */
void print_places(struct buf *out, const struct finding_subject *subject);

/* Append a text of the site for HTML and XML: also between quotes. */
void print_escaped(struct buf *out, struct str text);

/* Print the line that was put together, and begin the next. */
void print_flush(struct site_report *report);

/* "http://example.org/": where the crawl began. */
struct str site_seed(const struct site_report *report);

/* "finished", "not finished" */
const char *site_state(const struct site_report *report);

#endif
