/* The links and requisites that a scanner finds, and the page's statements
 * about itself. For the scanners of HTML (html.c) and of XHTML (xml.c).
 *
 * They report each element that may say something; this module decides what it
 * means, and keeps no more than the caps of web/html.h allow. All values are
 * decoded UTF-8 and last as long as the page and the arena; they are {NULL, 0}
 * where there is no such attribute.
 */
#ifndef WEB_FOUND_H
#define WEB_FOUND_H

#include "web/css.h"
#include "web/html.h"
#include "web/tree.h"

struct html_found {
    struct html_links *links;
    struct arena *arena;
    const struct html_scan_options *options;

    struct html_link *link; /* becomes links->link, in the arena, at the end */
    size_t count, room;
    struct html_requisite *requisite; /* the same of what the page needs */
    size_t requisites, requisite_room;
    struct buf ids; /* the same of links->info.ids */
    size_t id_count;

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

/* Forget all links and requisites but the first of each. */
void html_found_cut(struct html_found *found, size_t links, size_t requisites);

/* --- links --------------------------------------------------------------- */

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

/* --- title and ids: if the options ask for them -------------------------- */

/* The text of a title element. The first one of a page counts, also if it is
 * empty. */
void html_found_title(struct html_found *found, struct str text);

/* Is the title wanted, and not known yet? */
static inline bool html_found_needs_title(const struct html_found *found)
{
    return found->options->want_title && !found->links->info.title.ptr;
}

/* The value of an `id`, or of the `name` of an `a`: a name that the fragment of
 * a link can have. An empty one names nothing. */
void html_found_id(struct html_found *found, struct str id);

/* --- requisites: only if the options ask for them ------------------------ */

/* The attributes by which an element names requisites; the first one is
 * "style", which every element may have. Unused ones are empty, at the end. */
enum { HTML_REQUISITE_ATTRS = 4 };
const struct str *html_requisite_attrs(enum html_tag tag, bool is_svg);

/* An element begins; `value` has the attributes of html_requisite_attrs. */
void html_requisite_element(
    struct html_found *found, enum html_tag tag, bool is_svg,
    const struct str value[static HTML_REQUISITE_ATTRS]);

/* The content of a style element; it lasts as long as the page. */
void html_requisite_css(struct html_found *found, struct str css,
                        enum css_place place);

#endif
