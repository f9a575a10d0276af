/* Is an answer a page? By the WHATWG's MIME Sniffing standard: the Content-Type
 * decides, and only if it says nothing the first bytes do.
 *
 *     struct str essence = mime_essence(content_type); // {0} if missing
 *     switch (mime_verdict(essence)) {
 *     case MIME_PAGE:  ... read on
 *     case MIME_OTHER: ... cut the transfer
 *     case MIME_SNIFF: ... wait for MIME_SNIFF_LEN bytes or the body's end,
 *                          then ask mime_sniffs_as_html
 *     }
 *
 * Several Content-Type headers make a list ("a/b, c/d"), which has no type.
 */
#ifndef PAGE_MIME_H
#define PAGE_MIME_H

#include "base/mem.h"
#include "base/str.h"

/* "Text/HTML" of " Text/HTML ;charset=x"; empty where the value has no
 * type/subtype form. */
struct str mime_essence(struct str value);

bool mime_is_xhtml(struct str essence);

enum mime_verdict {
    MIME_OTHER, /* not a page */
    MIME_PAGE,
    MIME_SNIFF, /* the type says nothing: the bytes decide */
};

/* An empty essence is a header that is missing or bad. */
enum mime_verdict mime_verdict(struct str essence);

/* More bytes than this are never looked at. With fewer, the answer is good
 * only if the body has no more. */
enum { MIME_SNIFF_LEN = 1445 };

/* XML does not count, even if it is XHTML: only its type could say so. Unlike
 * in the standard, a byte order mark may come first, and "<!--" needs no blank
 * or '>' after it, because no browser asks for one. */
bool mime_sniffs_as_html(struct str body);

/* The types that are saved beside HTML: "type/subtype", all subtypes of a
 * type, or all types, which includes answers without a known one. */
struct mime_list {
    const struct str *pattern;
    size_t count;
};

/* Read words with commas in between: html (which is always saved and adds
 * nothing), pdf, text, image, audio, video, all, or patterns. False if one is
 * neither; `*bad` is that word. */
bool mime_list_parse(struct mime_list *list, struct str text,
                     struct arena *arena, struct str *bad);
bool mime_list_has(const struct mime_list *list, struct str essence);

#endif
