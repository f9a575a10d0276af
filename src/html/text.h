/* From raw slices of a page to what they mean: character references, NULs
 * and line ends, done only when somebody asks.
 */
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

#include "base/buf.h"
#include "base/str.h"

/* Where a raw slice stands decides how it is read. */
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

/* Append what `raw`, in UTF-8, means. False if `out`'s cap is reached; three
 * times the length of `raw` always suffices. */
bool html_text_put(struct buf *out, struct str raw, enum html_text kind);

#endif
