/* The links that a scanner has found, and the page's statements about itself.
 *
 * The scanners of HTML (html/scan.c) and of XHTML (html/xhtml.c) report each
 * element that may give a link; this module decides what it means. All values
 * are decoded UTF-8 and last as long as the page and the arena; they are {NULL,
 * 0} where there is no such attribute.
 */
#ifndef HTML_FOUND_H
#define HTML_FOUND_H

#include "html/content.h"
#include "html/scan.h"
#include "html/tag.h"

struct html_found {
    struct html_links *links;
    struct arena *arena;
    const struct html_scan_options *options;

    struct html_link *link; /* becomes links->link, in the arena, at the end */
    size_t count, room;
    struct html_requisite *requisite; /* the same of what the page needs */
    size_t requisites, requisite_room;

    struct html_content content; /* title and ids */

    /* The text of the `a` that is open, while `is_in_a`. */
    bool is_in_a, has_blank, is_full;
    size_t text_link;
    size_t text_len;
    char text[HTML_LINK_TEXT_MAX];
};

void html_found_init(struct html_found *found, struct html_links *links,
                     struct arena *arena,
                     const struct html_scan_options *options);

/* The page is over: `links` has all that was found. */
void html_found_finish(struct html_found *found);

/* The names of the attributes that decide what an element of HTML says; NULL
 * for an element that says nothing. */
enum { HTML_FOUND_ATTRS = 3 };
const struct str *html_found_attrs(enum html_tag tag);

/* An element begins; `value` has the attributes of html_found_attrs(tag). An
 * `a` of SVG is TAG_A too. */
void html_found_element(struct html_found *found, enum html_tag tag,
                        const struct str value[static HTML_FOUND_ATTRS]);

/* Text, which counts while `is_in_a`, and the end of that text. */
void html_found_text(struct html_found *found, struct str text);
void html_found_end_text(struct html_found *found);

/* The page needs this to be shown. */
void html_found_requisite(struct html_found *found,
                          enum html_requisite_kind kind, struct str href);

/* Forget all links and requisites but the first of each. */
void html_found_cut(struct html_found *found, size_t links, size_t requisites);

#endif
