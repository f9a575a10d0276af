/* An XML parser for documents that nobody trusts: expat with a limit on its
 * memory, because a document decides how much it takes (every new name of an
 * element is kept, and a tag is looked at when it is whole).
 *
 * There is one at a time in a thread, with the parsers that expat derives from
 * it for parts of the document.
 */
#ifndef HTML_XML_H
#define HTML_XML_H

#include <expat.h>

#include "base/str.h"

enum { XML_BYTES_MAX = 16 << 20 };

/* `encoding` is NULL where the document says it. Names are as written, with
 * their prefixes. */
XML_Parser xml_parser_new(const char *encoding);
void xml_parser_free(XML_Parser parser);

/* Read the whole document; false where it is broken, or too much for the
 * memory, or a handler has stopped the parser. */
bool xml_parse(XML_Parser parser, struct str document);

#endif
