/* Parts of the answers of `crawler why`: the rule behind a verdict, what would
 * become of a URL, what a queued one waits for. Each prints lines. Only
 * report/why.c includes this. */
#ifndef REPORT_WHY_LINES_H
#define REPORT_WHY_LINES_H

#include "report/host_record.h"
#include "report/report.h"
#include "report/url_index.h"

enum {
    HOPS_SHOWN = 10,
    DETAILS_MAX = 2 + 2 * HOPS_SHOWN,
};

struct why {
    struct report *report;
    struct url_index index;
    struct page_link asked; /* as a link of the crawl */
    struct page_link known; /* the spelling that the crawl knows, if it does */
    struct url_details details[DETAILS_MAX]; /* first: of the URL asked for */
    size_t count;
    struct host_record host;
    struct arena arena;
    struct buf line;
};

/* "  label     the line so far", which is empty then. */
void why_say(struct why *why, const char *label);

/* The reason for a verdict. `depth` is of the URL, `line` of robots.txt. For
 * DOMAIN_CAP the report must be loaded. */
void why_say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                  unsigned line);

/* The whole answer for a URL that the crawl has not met, and the rest of it for
 * one that is queued. False with `error`. */
bool why_say_never_seen(struct why *why, struct store_error *error);
bool why_say_queued(struct why *why, struct store_error *error);

#endif
