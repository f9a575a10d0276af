/* crawler export: the pages of a crawl, or its links, for other programs. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "report/report.h"

/* In the order of the choices of --format. */
enum export_format {
    EXPORT_NONE,
    EXPORT_JSONL,
    EXPORT_CSV,
    EXPORT_LINKS,
    EXPORT_SITEMAP,
    EXPORT_CDXJ,
    EXPORT_WACZ,
    EXPORT_PAGES,
    EXPORT_SQLITE,
};

/* Print lines (jsonl, csv or links) on standard output. False with `error`. If
 * standard output cannot be written it ends early; that is no error here. */
bool export_lines(struct report *report, enum export_format format);

/* A sitemap may be too large for one file. */
struct sitemap_size {
    uint64_t parts;
    uint64_t left_out; /* pages whose URL is too long for a sitemap */
};
enum { SITEMAP_URL_MAX = 2047 };

/* Print a part, of which the first is 1, or none if it is 0. `*size` is that of
 * the sitemap up to there. */
bool export_sitemap(struct report *report, uint64_t part,
                    struct sitemap_size *size);

#endif
