/* MIME types, as far as a crawler of pages needs them: what a Content-Type
 * value says, and what the first bytes say where it says nothing. By the
 * WHATWG's MIME Sniffing standard. Pure functions; nothing is allocated.
 *
 * Is this answer a page? Ask once when the headers are in, and again with the
 * first bytes only where the first answer is MIME_SNIFF:
 *
 *     struct str essence = mime_essence(content_type); // {0} if missing
 *     switch (mime_verdict(essence)) {
 *     case MIME_PAGE:  ... read on
 *     case MIME_OTHER: ... cut the transfer, nothing need be read
 *     case MIME_SNIFF: ... wait for MIME_SNIFF_LEN bytes or the body's end
 *     }
 *     if (mime_is_html(mime_sniff(first_bytes, nosniff)))
 *         ... it is a page
 *
 * Only a missing type, one that cannot be parsed, and the three names for
 * "do not know" are sniffed. A type that is given counts: HTML that is served
 * as text/plain is text, and a feed that is served as text/html is a page.
 *
 * Not here: the list form that several Content-Type headers make ("a/b, c/d"
 * has no type, so it is sniffed), and the charset of the bytes
 * (html/charset.h).
 */
#ifndef PAGE_MIME_H
#define PAGE_MIME_H

#include "base/buf.h"
#include "base/str.h"

/* ---- what a value says ------------------------------------------------- */

/* A parsed value; all slices are parts of it, in the case they came in. */
struct mime {
    struct str essence; /* "Text/HTML"; compare with str_eq_nocase */
    struct str type, subtype;
    struct str parameters; /* the rest, for mime_parameters */
};

/* `value` is bytes, as of a header. False, and `*mime` all empty, where it
 * has no type/subtype form; bad parameters are no failure. */
bool mime_parse(struct mime *mime, struct str value);

/* The essence alone: "Text/HTML" of " Text/HTML ;charset=x"; empty where the
 * value has none. */
struct str mime_essence(struct str value);

/* The parameters that are valid, in order. Of two with the same name (in any
 * case) the first counts; both come out.
 *
 *     struct mime_parameters at = mime_parameters(&mime);
 *     struct mime_parameter parameter;
 *     while (mime_parameters_next(&at, &parameter))
 *         ...
 */
struct mime_parameters {
    const char *at, *end;
};

struct mime_parameter {
    struct str name; /* in the case it came in */
    struct str raw;  /* of a quoted value: what is between the quotes */
    bool has_escapes;
};

static inline struct mime_parameters mime_parameters(const struct mime *mime)
{
    struct str s = mime->parameters;

    return (struct mime_parameters){s.ptr, s.ptr ? s.ptr + s.len : s.ptr};
}

bool mime_parameters_next(struct mime_parameters *parameters,
                          struct mime_parameter *parameter);

/* Append the value, without the backslashes of a quoted one. False if that
 * would pass the cap of `out`. */
bool mime_parameter_put(const struct mime_parameter *parameter,
                        struct buf *out);

/* Append the value of the first valid "charset", for charset_find. False if
 * there is none, or no room. (html/charset.h has a laxer one that needs no
 * buffer.) */
bool mime_put_charset(const struct mime *mime, struct buf *out);

/* text/html or application/xhtml+xml, in any case. */
bool mime_is_html(struct str essence);
bool mime_is_xhtml(struct str essence);

/* ---- what the bytes say ------------------------------------------------ */

enum mime_verdict {
    MIME_OTHER, /* not a page */
    MIME_PAGE,
    MIME_SNIFF, /* the type says nothing: the bytes decide */
};

/* From the essence, which is empty where the header is missing or bad. */
enum mime_verdict mime_verdict(struct str essence);

/* More bytes than this are never looked at. With fewer, the answer is good
 * only if the body has no more. */
enum { MIME_SNIFF_LEN = 1445 };

/* The essence of bytes of unknown type, a constant; never empty. It is
 * text/html, text/xml, text/plain, that of an image, of audio, of an archive,
 * ..., or application/octet-stream. With `nosniff` (X-Content-Type-Options)
 * it is none of those that can carry scripts, so never HTML.
 *
 * XML is not HTML, even if it is XHTML: only its type could say so. No bytes
 * at all are text/plain. A byte order mark is text/plain, whatever follows.
 * "<!--" is HTML without a blank or '>' after it too: the standard's table has
 * one there, but no browser asks for it. MP3 without ID3 is not recognised,
 * and comes out as application/octet-stream. */
struct str mime_sniff(struct str bytes, bool nosniff);

/* The computed type of an answer, whatever it says of itself: the supplied
 * essence, or what the bytes say. A served text/plain (in one of the four
 * spellings that servers have as default) with binary bytes in it is
 * application/octet-stream; it is never HTML. `value` is {0} where the header
 * is missing. */
struct str mime_of_answer(struct str value, bool nosniff, struct str bytes);

/* One family of the standard's signatures, for who knows what to expect; {0}
 * where none matches. */
enum mime_family {
    MIME_FAMILY_SCRIPTABLE, /* HTML, XML, PDF */
    MIME_FAMILY_TEXT,       /* PostScript and byte order marks */
    MIME_FAMILY_IMAGE,
    MIME_FAMILY_AUDIO_VIDEO,
    MIME_FAMILY_ARCHIVE,
    MIME_FAMILY_FONT, /* never sniffed: so weak that text has them */
    MIME_FAMILIES,
};

struct str mime_match(enum mime_family family, struct str bytes);

/* For an answer without a type: do its first bytes look like HTML? Unlike
 * mime_sniff, after a byte order mark too. */
bool mime_sniffs_as_html(struct str body);

#endif
