/* For the files of `why`: what is known of the URL, and lines about it. */
#ifndef REPORT_WHY_INTERNAL_H
#define REPORT_WHY_INTERNAL_H

#include "report/details.h"

struct why {
    struct report *report;
    struct page_link asked; /* as a link of the crawl */
    struct page_link known; /* the spelling that the crawl knows, if it does */
    struct str host_name;   /* of that, with its port */
    struct url_details url;
    struct host_details host;
    struct arena arena;
    struct buf line; /* as far as it is put together */
};

/* Print the line behind a label, and clear it. */
void why_say(struct why *why, const char *label);

/* The reason for a verdict. `depth` is of the URL, `line` of robots.txt. For
 * DOMAIN_CAP the report must be loaded. */
void why_say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                  unsigned line);

/* The rule of the user that decides about the URL, if there is one. */
void why_say_filter(const struct why *why);

#endif
