/* The encoding of a page and conversions from and to UTF-8.
 *
 * Which encoding: a byte order mark, else what the HTTP header says, else what
 * a meta element in the first 1024 bytes or in the head declares, else
 * windows-1252 (the HTML standard's order). Labels are those of the Encoding
 * standard, and so are the tables (tools/gen-charsets): what iconv has differs
 * from them, and from one version of glibc to the next.
 */
#ifndef WEB_CHARSET_H
#define WEB_CHARSET_H

#include "base/buf.h"
#include "base/str.h"

/* How the bytes are read. */
enum charset_kind {
    KIND_UTF_8,
    KIND_UTF_16BE,
    KIND_UTF_16LE,
    KIND_REPLACEMENT,
    KIND_X_USER_DEFINED,
    KIND_SINGLE_BYTE,
    KIND_GBK, /* decodes like gb18030, encodes only its two-byte part */
    KIND_GB18030,
    KIND_BIG5,
    KIND_EUC_JP,
    KIND_ISO_2022_JP,
    KIND_SHIFT_JIS,
    KIND_EUC_KR,
};

/* One of a constant table: compare by pointer. */
struct charset {
    struct str name;
    enum charset_kind kind;
    const uint16_t *high; /* KIND_SINGLE_BYTE: the bytes from 0x80 on */
};

extern const struct charset *const CHARSET_UTF_8;
extern const struct charset *const CHARSET_WINDOWS_1252;

/* By any label of the standard, white space and case ignored, or NULL. */
const struct charset *charset_find(struct str label);

/* The label in a Content-Type value ("text/html; charset=x"), or empty. */
struct str charset_of_content_type(struct str value);

/* The encoding of `body`. `http_label` may be empty. In XML only an XML
 * declaration counts, and without one it is UTF-8. `*bom_len` is the number of
 * bytes of the byte order mark, to be skipped. Never NULL. */
const struct charset *charset_sniff(struct str body, struct str http_label,
                                    bool is_xml, size_t *bom_len);

/* Only what the page itself declares in its markup, or NULL. */
const struct charset *charset_declared(struct str page);

/* True where a byte under 0x80 always means that ASCII character at the
 * positions where markup can start, so that the tokenizer can work on the
 * raw bytes and only attribute values need decoding. False for UTF-16,
 * ISO-2022-JP and replacement: decode the whole page first. */
bool charset_is_markup_safe(const struct charset *charset);

/* Append `in` as valid UTF-8; bytes that cannot be decoded become U+FFFD. A
 * byte order mark is text here (charset_sniff counts it). False, and nothing is
 * added, if the cap of `out` leaves less room than the longest result,
 * CHARSET_GROWTH_MAX bytes for each byte of `in`. */
enum { CHARSET_GROWTH_MAX = 3 };
bool charset_decode(const struct charset *charset, struct str in,
                    struct buf *out);

/* For struct url_query_encoder (ctx is the charset): append the bytes of
 * `utf8` in the charset; what it lacks becomes "%26%23N%3B". The output
 * encoding of UTF-16 and replacement is UTF-8, as the standard says. False if
 * that would pass the cap of `out`, which is then as it was. A whole query at
 * a time: ISO-2022-JP starts and ends in its ASCII state (and is the only one
 * to change ASCII: U+000E, U+000F and U+001B). */
bool charset_encode_query(void *charset, struct str utf8, struct buf *out);

#endif
