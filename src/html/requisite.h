/* Requisites: what a page needs to be shown. This module knows which elements
 * and attributes name them; the scanners (html/scan.c, html/xhtml.c) report
 * elements only if `want_requisites` asks for it.
 */
#ifndef HTML_REQUISITE_H
#define HTML_REQUISITE_H

#include "html/css.h"
#include "html/found.h"

/* The attributes by which an element names requisites; the first one is
 * "style", which every element may have. Unused ones are empty. */
enum { HTML_REQUISITE_ATTRS = 4 };
const struct str *html_requisite_attrs(enum html_tag tag, bool is_svg);

/* Names the element requisites in other attributes than "style" too? */
bool html_requisite_is_element(enum html_tag tag, bool is_svg);

/* An element begins; `value` has the attributes of html_requisite_attrs, as
 * html_found_element has its own. */
void html_requisite_element(
    struct html_found *found, enum html_tag tag, bool is_svg,
    const struct str value[static HTML_REQUISITE_ATTRS]);

/* Does a reference lead to something to fetch? Not one to the page itself, and
 * not one that is its own content. */
bool html_requisite_is_fetched(struct str href);

/* The content of a style element; it lasts as long as the page. */
void html_requisite_css(struct html_found *found, struct str css,
                        enum css_place place);

#endif
