/* XML: a parser for documents that nobody trusts, and the link scanner for
 * XHTML on it.
 *
 * The parser is expat with a limit on its memory, because a document decides
 * how much it takes (every new name of an element is kept, and a tag is looked
 * at when it is whole). There is one at a time in a thread, with the parsers
 * that expat derives from it for parts of the document.
 */
#ifndef WEB_XML_H
#define WEB_XML_H

#include <expat.h>

#include "web/html.h"

enum { XML_BYTES_MAX = 16 << 20 };

/* `encoding` is NULL where the document says it. Names are as written, with
 * their prefixes. */
XML_Parser xml_parser_new(const char *encoding);
void xml_parser_free(XML_Parser parser);

/* Read the whole document; false where it is broken, or too much for the
 * memory, or a handler has stopped the parser. */
bool xml_parse(XML_Parser parser, struct str document);

/* --- XHTML ---------------------------------------------------------------
 *
 * Pages that are served as application/xhtml+xml are XML, so a browser reads
 * them with another parser. "<script/>" has no content, names have a case, text
 * in a script is markup, namespaces say what is HTML.
 *
 * Where a page is not well-formed a browser shows what stands before that
 * place, so the links up to there count. So do those before a place where the
 * page asks for too much: entities that contain references or markup, many
 * default attributes, namespaces that change over and over, text that its
 * entities make many times larger, more memory than XML_BYTES_MAX. No page of
 * the web needs those.
 *
 * Entities: the five of XML, those of HTML under the DOCTYPEs for which
 * browsers know them, and what the page itself declares as plain text. Nothing
 * is ever fetched.
 */

/* As html_scan, which calls it; `links` is empty. */
void xhtml_scan(struct html_links *links, struct arena *arena, struct str page,
                const struct html_scan_options *options);

#endif
