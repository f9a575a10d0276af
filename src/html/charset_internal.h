/* What the files of the charset module share; nobody else includes this. */
#ifndef HTML_CHARSET_INTERNAL_H
#define HTML_CHARSET_INTERNAL_H

#include <iconv.h>

#include "base/utf8.h"
#include "html/charset.h"

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

struct charset {
    struct str name;
    enum charset_kind kind;
    const uint16_t *high; /* KIND_SINGLE_BYTE: the bytes from 0x80 on */
};

extern const struct charset *const CHARSET_UTF_16BE;
extern const struct charset *const CHARSET_UTF_16LE;

/* The number of leading bytes under 0x80. */
size_t charset_ascii_prefix(struct str s);

/* The multi-byte encodings of East Asia, by iconv (charset_asia.c). Writes to
 * `to`, which has room, and returns the end of the text. */
char *charset_decode_asia(enum charset_kind kind, struct str in, char *to);

/* glibc's name of the encoding whose tables serve for `kind`, or NULL. */
const char *charset_iconv_name(enum charset_kind kind);

/* What iconv_open returns where it fails. */
static inline iconv_t charset_no_iconv(void)
{
    return (iconv_t)-1; /* NOLINT(performance-no-int-to-ptr): as POSIX has it */
}

/* Where glibc's tables and the standard's part (charset_quirks.c); 0 where
 * they do not. `bytes` is lead * 256 + trail. */
uint32_t charset_big5_quirk(unsigned bytes);
unsigned charset_big5_preferred(uint32_t c);
unsigned charset_big5_quirk_bytes(uint32_t c);
uint32_t charset_gb18030_quirk(unsigned bytes);
unsigned charset_gb18030_quirk_bytes(uint32_t c);
uint32_t charset_gb18030_range_quirk(unsigned pointer); /* four bytes */

/* JIS X 0208 has one grid of 94 by 94 with several byte forms. `pointer` is
 * row * 94 + cell; the result is lead * 256 + trail of Shift_JIS. */
unsigned charset_sjis_of_pointer(unsigned pointer);
unsigned charset_pointer_of_sjis(unsigned bytes);

/* Halfwidth katakana U+FF61 to U+FF9F as JIS X 0208 has them. */
uint32_t charset_fullwidth_katakana(uint32_t halfwidth);

#endif
