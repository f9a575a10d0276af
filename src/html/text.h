/* Decodes raw slices of a page: character references, NULs and line ends. It is
 * done only when somebody asks.
 */
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

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

#endif
