/* Shared by the files of the charset module; nobody else includes this. */
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
    const char
        *iconv_name; /* glibc's encoding whose tables are used, or NULL */
};

extern const struct charset *const CHARSET_UTF_16BE;
extern const struct charset *const CHARSET_UTF_16LE;

/* The number of leading bytes under 0x80. */
size_t charset_ascii_prefix(struct str s);

/* The multi-byte encodings of East Asia, by iconv (charset_asia.c). Writes to
 * `to`, which has room, and returns the end of the text. */
char *charset_decode_asia(const struct charset *charset, struct str in,
                          char *to);

/* The value of iconv_open where it fails. */
static inline iconv_t charset_no_iconv(void)
{
    return (iconv_t)-1; /* NOLINT(performance-no-int-to-ptr): as POSIX has it */
}

/* A list of pairs ends with {0, 0} (charset_quirks.c). */
struct charset_pair {
    uint16_t bytes; /* lead * 256 + trail */
    uint16_t code_point;
};

extern const struct charset_pair charset_big5_pairs[];
extern const struct charset_pair charset_big5_preferred[]; /* only encoded */
extern const struct charset_pair charset_gb18030_pairs[];
extern const struct charset_pair charset_gb18030_private[]; /* only encoded */

/* The other half of a pair in the list; 0 where there is none. */
uint32_t charset_pair_decode(const struct charset_pair *pair, unsigned bytes);
unsigned charset_pair_encode(const struct charset_pair *pair, uint32_t c);

#endif
