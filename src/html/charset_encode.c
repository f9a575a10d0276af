/* Encoding of URL queries in the charset of the page that links: the
 * encoders of the Encoding standard, with its "html" escape already
 * percent-encoded for what an encoding lacks. */
#include "html/charset_internal.h"

enum jis_state { JIS_ASCII, JIS_ROMAN, JIS_0208 };

struct encoder {
    const struct charset *charset;
    struct buf *out;
    iconv_t iconv;
    enum jis_state state; /* of ISO-2022-JP */
};

/* The bytes of one character, or none. */
struct code {
    size_t len;
    unsigned char byte[4];
};

static struct code one_byte(unsigned byte)
{
    return (struct code){1, {(unsigned char)byte}};
}

static struct code two_bytes(unsigned bytes)
{
    return (struct code){2,
                         {(unsigned char)(bytes >> 8), (unsigned char)bytes}};
}

static unsigned number_of(struct code two_bytes)
{
    return (unsigned)(two_bytes.byte[0] << 8 | two_bytes.byte[1]);
}

/* The bytes that iconv has for `c`; none without a module. */
static struct code ask_iconv(const struct encoder *encoder, uint32_t c)
{
    struct code code = {0};
    char text[4], bytes[8], *from = text, *to = bytes;
    size_t left = utf8_put(text, c), room = sizeof(bytes);

    if (encoder->iconv == charset_no_iconv())
        return code;
    /* Some encoders wait for a combining character: the second call makes
     * them give what they hold. */
    size_t failed = iconv(encoder->iconv, &from, &left, &to, &room);
    iconv(encoder->iconv, NULL, NULL, &to, &room);

    size_t len = (size_t)(to - bytes);
    if (failed == (size_t)-1 || left || len > sizeof(code.byte))
        return code;
    code.len = len;
    memcpy(code.byte, bytes, len);
    return code;
}

static struct code encode_single_byte(const uint16_t *high, uint32_t c)
{
    for (unsigned i = 0; i < 128; i++)
        if (high[i] == c)
            return one_byte(0x80 + i);
    return (struct code){0};
}

static struct code encode_gb18030(const struct encoder *encoder, uint32_t c)
{
    bool gbk = encoder->charset->kind == KIND_GBK;
    unsigned private = charset_pair_encode(charset_gb18030_private, c);
    unsigned quirk = charset_pair_encode(charset_gb18030_pairs, c);

    if (gbk && c == 0x20AC)
        return one_byte(0x80);
    if (private)
        return two_bytes(private);
    if (quirk && c != 0x3000) /* A3A0 is only decoded */
        return two_bytes(quirk);
    if (c >= 0x10000) {
        unsigned pointer = 189000 + (c - 0x10000);
        if (gbk)
            return (struct code){0};
        return (struct code){4,
                             {(unsigned char)(0x81 + pointer / 12600),
                              (unsigned char)(0x30 + pointer / 1260 % 10),
                              (unsigned char)(0x81 + pointer / 10 % 126),
                              (unsigned char)(0x30 + pointer % 10)}};
    }

    struct code code = ask_iconv(encoder, c);
    if ((gbk && code.len == 4) ||
        (code.len == 2 &&
         charset_pair_decode(charset_gb18030_pairs, number_of(code))))
        return (struct code){0};
    return code;
}

static struct code encode_big5(const struct encoder *encoder, uint32_t c)
{
    unsigned preferred = charset_pair_encode(charset_big5_preferred, c);

    if (preferred)
        return two_bytes(preferred);

    /* Rows before A1 are Hong Kong's, which are only decoded. Where the
     * standard has another character than glibc, glibc's has no bytes. */
    struct code code = ask_iconv(encoder, c);
    if (code.len == 2 && code.byte[0] >= 0xA1 &&
        !charset_pair_decode(charset_big5_pairs, number_of(code)))
        return code;

    unsigned quirk = charset_pair_encode(charset_big5_pairs, c);
    return quirk >= 0xA100 ? two_bytes(quirk) : (struct code){0};
}

// clang-format off
/* JIS X 0208 has U+FF61 to U+FF9F in full width only. */
static const uint16_t fullwidth_katakana[] = {
    0x3002, 0x300C, 0x300D, 0x3001, 0x30FB, 0x30F2, 0x30A1, 0x30A3, 0x30A5,
    0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7, 0x30C3, 0x30FC, 0x30A2, 0x30A4,
    0x30A6, 0x30A8, 0x30AA, 0x30AB, 0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5,
    0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1, 0x30C4, 0x30C6, 0x30C8,
    0x30CA, 0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF, 0x30D2, 0x30D5, 0x30D8,
    0x30DB, 0x30DE, 0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6, 0x30E8,
    0x30E9, 0x30EA, 0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3, 0x309B, 0x309C,
};
// clang-format on

static bool is_halfwidth_katakana(uint32_t c)
{
    return c >= 0xFF61 && c <= 0xFF9F;
}

/* Two bytes of Shift_JIS for a character of the JIS X 0208 grid. */
static struct code encode_jis0208(const struct encoder *encoder, uint32_t c)
{
    /* Characters that glibc folds into others, and private use. */
    static const uint16_t folded[] = {0xA2, 0xA3, 0xAC, 0x2014, 0x2016, 0x301C};

    if (c == 0x2212)
        c = 0xFF0D;
    if (c >= 0xE000 && c < 0xF900)
        return (struct code){0};
    for (size_t i = 0; i < ARRAY_LEN(folded); i++)
        if (folded[i] == c)
            return (struct code){0};

    struct code code = ask_iconv(encoder, c);
    return code.len == 2 ? code : (struct code){0};
}

static struct code encode_shift_jis(const struct encoder *encoder, uint32_t c)
{
    if (c == 0x80)
        return one_byte(0x80);
    if (c == 0xA5 || c == 0x203E)
        return one_byte(c == 0xA5 ? '\\' : '~');
    if (is_halfwidth_katakana(c))
        return one_byte(c - 0xFF61 + 0xA1);
    return encode_jis0208(encoder, c);
}

/* The row and the cell of two bytes of Shift_JIS, each counted from `base`. */
static struct code in_grid(struct code sjis, unsigned base)
{
    unsigned lead = sjis.byte[0] - (sjis.byte[0] < 0xA0 ? 0x81u : 0xC1u);
    unsigned trail = sjis.byte[1] - (sjis.byte[1] < 0x7F ? 0x40u : 0x41u);
    unsigned pointer = lead * 188 + trail;

    /* IBM's extensions lie beyond the grid; NEC's copy of them is in it, in
     * another order: kanji, small Roman numerals, three symbols. */
    if (pointer >= 10744)
        pointer -= 10744 - 8272;
    else if (pointer >= 10737)
        pointer -= 10737 - 8645;
    else if (pointer >= 10716)
        pointer -= 10716 - 8634;
    return two_bytes((pointer / 94 + base) << 8 | (pointer % 94 + base));
}

static struct code encode_euc_jp(const struct encoder *encoder, uint32_t c)
{
    if (c == 0xA5 || c == 0x203E)
        return one_byte(c == 0xA5 ? '\\' : '~');
    if (is_halfwidth_katakana(c))
        return two_bytes(0x8E00 | (c - 0xFF61 + 0xA1));

    struct code code = encode_jis0208(encoder, c);
    return code.len ? in_grid(code, 0xA1) : code;
}

static bool put_code(struct encoder *encoder, struct code code)
{
    return buf_put(encoder->out,
                   (struct str){(const char *)code.byte, code.len});
}

static bool put_escape(struct encoder *encoder, uint32_t c)
{
    return buf_printf(encoder->out, "%%26%%23%u%%3B", (unsigned)c);
}

static bool switch_to(struct encoder *encoder, enum jis_state state)
{
    static const char sequence[][4] = {
        [JIS_ASCII] = "\x1B(B", [JIS_ROMAN] = "\x1B(J", [JIS_0208] = "\x1B$B"};

    if (encoder->state == state)
        return true;
    encoder->state = state;
    return buf_put(encoder->out, (struct str){sequence[state], 3});
}

static bool put_iso_2022_jp(struct encoder *encoder, uint32_t c)
{
    bool special = c == 0x0E || c == 0x0F || c == 0x1B;

    if (c < 0x80 && special) {
        /* Would be read as a switch: never passed on, not even as "&#27;".
         * (In the grid the encoder leaves it first.) */
        return (encoder->state != JIS_0208 || switch_to(encoder, JIS_ASCII)) &&
               put_escape(encoder, UTF8_REPLACEMENT);
    }
    if (c < 0x80) {
        bool stays = encoder->state == JIS_ROMAN && c != '\\' && c != '~';
        return (stays || switch_to(encoder, JIS_ASCII)) &&
               put_code(encoder, one_byte(c));
    }
    if (c == 0xA5 || c == 0x203E)
        return switch_to(encoder, JIS_ROMAN) &&
               put_code(encoder, one_byte(c == 0xA5 ? '\\' : '~'));

    struct code code = encode_jis0208(
        encoder, is_halfwidth_katakana(c) ? fullwidth_katakana[c - 0xFF61] : c);
    if (code.len)
        return switch_to(encoder, JIS_0208) &&
               put_code(encoder, in_grid(code, 0x21));
    return (encoder->state != JIS_0208 || switch_to(encoder, JIS_ASCII)) &&
           put_escape(encoder, c);
}

static struct code encode(const struct encoder *encoder, uint32_t c)
{
    switch (encoder->charset->kind) {
    case KIND_SINGLE_BYTE:
        return encode_single_byte(encoder->charset->high, c);
    case KIND_X_USER_DEFINED:
        return c >= 0xF780 && c <= 0xF7FF ? one_byte(c - 0xF780 + 0x80)
                                          : (struct code){0};
    case KIND_GBK:
    case KIND_GB18030:
        return encode_gb18030(encoder, c);
    case KIND_BIG5:
        return encode_big5(encoder, c);
    case KIND_EUC_JP:
        return encode_euc_jp(encoder, c);
    case KIND_SHIFT_JIS:
        return encode_shift_jis(encoder, c);
    default:
        return ask_iconv(encoder, c);
    }
}

static bool encode_all(struct encoder *encoder, struct str utf8)
{
    bool iso_2022_jp = encoder->charset->kind == KIND_ISO_2022_JP;

    while (utf8.len) {
        size_t ascii = iso_2022_jp ? 0 : charset_ascii_prefix(utf8);
        if (!buf_put(encoder->out, str_first(utf8, ascii)))
            return false;
        utf8 = str_skip(utf8, ascii);
        if (!utf8.len)
            break;

        uint32_t c;
        utf8 = str_skip(utf8, utf8_read(utf8.ptr, utf8.ptr + utf8.len, &c));
        if (iso_2022_jp) {
            if (!put_iso_2022_jp(encoder, c))
                return false;
            continue;
        }
        struct code code = encode(encoder, c);
        if (code.len ? !put_code(encoder, code) : !put_escape(encoder, c))
            return false;
    }
    return switch_to(encoder, JIS_ASCII);
}

bool charset_encode_query(void *charset, struct str utf8, struct buf *out)
{
    struct encoder encoder = {charset, out, charset_no_iconv(), JIS_ASCII};
    const char *name = encoder.charset->iconv_name;
    bool ascii = charset_ascii_prefix(utf8) == utf8.len;
    size_t before = out->len;

    switch (encoder.charset->kind) {
    case KIND_UTF_8:
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
    case KIND_REPLACEMENT:
        return buf_put(out, utf8);
    default:
        if (ascii && encoder.charset->kind != KIND_ISO_2022_JP)
            return buf_put(out, utf8);
    }

    if (name && !ascii)
        encoder.iconv = iconv_open(name, "UTF-8");
    bool fits = encode_all(&encoder, utf8);
    if (!fits)
        out->len = before;
    if (encoder.iconv != charset_no_iconv())
        iconv_close(encoder.iconv);
    return fits;
}
