/* Decodes raw slices of a page: character references ("&amp;", "&#8212;",
 * "&#x2014;", "&copy"; 13.2.5.72), NULs and line ends. It is done only when
 * somebody asks.
 */
#ifndef WEB_TEXT_H
#define WEB_TEXT_H

#include "base/buf.h"
#include "base/str.h"

/* The kind of text that a raw slice is decides how it is read. */
enum html_text {
    HTML_TEXT_DATA,   /* between tags */
    HTML_TEXT_RCDATA, /* inside title, textarea */
    HTML_TEXT_RAW,    /* inside script, style, ..., comments */
    HTML_TEXT_CDATA,  /* inside <![CDATA[ ]]> */
    HTML_TEXT_VALUE,  /* of an attribute */
    HTML_TEXT_KINDS,
};

/* True if html_text_put would change nothing. */
bool html_text_is_plain(struct str raw, enum html_text kind);

/* Append the meaning of `raw`, which is UTF-8. False if `out`'s cap is reached;
 * three times the length of `raw` always suffices. */
bool html_text_put(struct buf *out, struct str raw, enum html_text kind);

struct html_reference {
    size_t len;      /* bytes of the input that it takes, 0 if it is none */
    size_t utf8_len; /* of the characters that it stands for */
    char utf8[8];
};

/* The meaning of the '&' that `s` starts with: of "&lt;b" it is "<", of 4
 * bytes. In an attribute value a name without semicolon before '=', a letter or
 * a digit is not a reference, so that "?a=1&copy=2" stays what it is. */
struct html_reference html_reference(struct str s, bool in_attribute);

/* The meaning of the name between '&' and ';'; false if there is no such name.
 * Every name has a `number` of its own, under HTML_ENTITIES. */
enum { HTML_ENTITIES = 2125 };
bool html_entity_find(struct str name, struct html_reference *meaning,
                      unsigned *number);

#endif
