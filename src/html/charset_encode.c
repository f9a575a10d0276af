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

/* What iconv makes of `c`; without a module, nothing. */
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
    unsigned quirk = charset_gb18030_quirk_bytes(c);

    if (gbk && c == 0x20AC)
        return one_byte(0x80);
    if (quirk)
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
    unsigned bytes = (unsigned)(code.byte[0] << 8 | code.byte[1]);
    if ((gbk && code.len == 4) ||
        (code.len == 2 && charset_gb18030_quirk(bytes)))
        return (struct code){0};
    return code;
}

static struct code encode_big5(const struct encoder *encoder, uint32_t c)
{
    unsigned preferred = charset_big5_preferred(c);

    if (preferred)
        return two_bytes(preferred);

    /* Rows before A1 are Hong Kong's, which are only read; and what glibc
     * has where the standard has another character does not exist. */
    struct code code = ask_iconv(encoder, c);
    if (code.len == 2 && code.byte[0] >= 0xA1 &&
        !charset_big5_quirk((unsigned)(code.byte[0] << 8 | code.byte[1])))
        return code;

    unsigned quirk = charset_big5_quirk_bytes(c);
    return quirk ? two_bytes(quirk) : (struct code){0};
}

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

/* row * 94 + cell of two bytes of Shift_JIS, each byte counted from `base`. */
static struct code in_grid(struct code sjis, unsigned base)
{
    unsigned pointer =
        charset_pointer_of_sjis((unsigned)(sjis.byte[0] << 8 | sjis.byte[1]));

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
        encoder, is_halfwidth_katakana(c) ? charset_fullwidth_katakana(c) : c);
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
    const char *name = charset_iconv_name(encoder.charset->kind);
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
