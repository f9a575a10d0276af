/* The statements of a page about itself that a report on the site needs: its
 * title, and the names that the fragment of a link can have ("#name").
 *
 * The scanners (html/scan.c, html/xhtml.c) report title elements and the
 * attributes `id` of every element and `name` of an `a`, if the options ask for
 * them. What is kept is bounded, whatever the page has; html_content_finish
 * puts it into the page's html_info.
 */
#ifndef HTML_CONTENT_H
#define HTML_CONTENT_H

#include "base/buf.h"
#include "html/scan.h"

enum {
    HTML_TITLE_MAX = 1000,
    HTML_ID_MAX = 1000,
    HTML_IDS_MAX = 10000,
    HTML_IDS_BYTES_MAX = 256 << 10,
};

struct html_content {
    struct html_info *info;
    struct arena *arena;
    bool wants_title, wants_ids;
    struct buf ids;
    size_t id_count;
};

void html_content_init(struct html_content *content, struct html_info *info,
                       struct arena *arena,
                       const struct html_scan_options *options);
void html_content_finish(struct html_content *content);

/* The text of a title element, decoded. The first one of a page counts, also if
 * it is empty. */
void html_content_title(struct html_content *content, struct str text);

/* Is the title not known yet? */
static inline bool html_content_needs_title(const struct html_content *content)
{
    return content->wants_title && !content->info->title.ptr;
}

/* The value of an `id`, or of the `name` of an `a`. An empty one names nothing.
 */
void html_content_id(struct html_content *content, struct str id);

/* The fragment of a reference, as written; {NULL, 0} where there is none. */
struct str html_fragment(struct str href);

#endif
