/* Shared by the files of the charset module; nobody else includes this. */
#ifndef HTML_CHARSET_INTERNAL_H
#define HTML_CHARSET_INTERNAL_H

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

/* The multi-byte encodings of East Asia (charset_asia.c). Writes to `to`, which
 * has room, and returns the end of the text. */
char *charset_decode_asia(const struct charset *charset, struct str in,
                          char *to);

/* Character sets of two bytes a character, a lead byte and a trail byte, as one
 * encoding writes them (charset_grid.c). */
enum charset_grid {
    GRID_GB18030,
    GRID_BIG5,
    GRID_EUC_KR,
    GRID_SHIFT_JIS,
    GRID_JIS0208, /* as EUC-JP writes it; ISO-2022-JP without the high bits */
    GRIDS_ENCODED,
    GRID_JIS0212 = GRIDS_ENCODED, /* only decoded */
    GRIDS,
};

bool charset_is_lead(enum charset_grid grid, unsigned char byte);

/* The character of two bytes; 0 where there is none. */
uint32_t charset_grid_decode(enum charset_grid grid, unsigned char lead,
                             unsigned char trail);

/* lead * 256 + trail; 0 where the set lacks the character. */
unsigned charset_grid_encode(enum charset_grid grid, uint32_t c);

/* The four bytes of gb18030 by their number ("index gb18030 ranges"): the
 * character, 0 where there is none, and back. */
uint32_t charset_range_decode(uint32_t pointer);
uint32_t charset_range_encode(uint32_t c);

/* Half-width katakana, U+FF61 to U+FF9F, in full width; others as they are. */
bool charset_is_katakana(uint32_t c);
uint32_t charset_full_width(uint32_t c);

#endif
