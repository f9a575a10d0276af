/* The link scanner for pages that are served as application/xhtml+xml: they are
 * XML, so a browser reads them with another parser. "<script/>" has no content,
 * names have a case, text in a script is markup, namespaces say what is HTML.
 *
 * Where a page is not well-formed a browser shows what stands before that
 * place, so the links up to there count. So do those before a place where the
 * page asks for too much: entities that contain references or markup, many
 * default attributes, namespaces that change over and over, text that its
 * entities make many times larger, more memory than html/xml.h has. No page of
 * the web needs those.
 *
 * Entities: the five of XML, those of HTML under the DOCTYPEs for which
 * browsers know them, and what the page itself declares as plain text. Nothing
 * is ever fetched.
 */
#ifndef HTML_XHTML_H
#define HTML_XHTML_H

#include "html/scan.h"

/* As html_scan, which calls it; `links` is empty. */
void xhtml_scan(struct html_links *links, struct arena *arena, struct str page,
                const struct html_scan_options *options);

#endif
