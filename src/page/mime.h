/* MIME types as far as a crawler of pages needs them. */
#ifndef PAGE_MIME_H
#define PAGE_MIME_H

#include "base/str.h"

/* "text/html" of "Text/HTML; charset=x": trimmed, as written; empty where
 * the value has no type/subtype form. */
struct str mime_essence(struct str content_type);

/* text/html or application/xhtml+xml, in any case. */
bool mime_is_html(struct str essence);

/* For an answer without a type: do its first bytes look like HTML? The
 * signatures are those of the MIME Sniffing standard. */
bool mime_sniffs_as_html(struct str body);

#endif
