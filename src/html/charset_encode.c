/* Encoding of URL queries in the charset of the page that links: the
 * encoders of the Encoding standard, with its "html" escape already
 * percent-encoded for what an encoding lacks. */
#include "html/charset_internal.h"

enum jis_state { JIS_ASCII, JIS_ROMAN, JIS_0208 };

struct encoder {
    const struct charset *charset;
    struct buf *out;
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

/* None where `bytes` is 0. */
static struct code two_bytes(unsigned bytes)
{
    return (struct code){bytes ? 2 : 0,
                         {(unsigned char)(bytes >> 8), (unsigned char)bytes}};
}

static struct code encode_single_byte(const uint16_t *high, uint32_t c)
{
    for (unsigned i = 0; i < 128; i++)
        if (high[i] == c)
            return one_byte(0x80 + i);
    return (struct code){0};
}

/* Private-use characters that the index has under other characters since the
 * edition of 2022; 0 for others. */
static unsigned gb18030_private(uint32_t c)
{
    static const struct {
        uint16_t code_point, bytes;
    } pairs[] = {
        {0xE78D, 0xA6D9}, {0xE78E, 0xA6DA}, {0xE78F, 0xA6DB}, {0xE790, 0xA6DC},
        {0xE791, 0xA6DD}, {0xE792, 0xA6DE}, {0xE793, 0xA6DF}, {0xE794, 0xA6EC},
        {0xE795, 0xA6ED}, {0xE796, 0xA6F3}, {0xE81E, 0xFE59}, {0xE826, 0xFE61},
        {0xE82B, 0xFE66}, {0xE82C, 0xFE67}, {0xE832, 0xFE6D}, {0xE843, 0xFE7E},
        {0xE854, 0xFE90}, {0xE864, 0xFEA0},
    };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (pairs[i].code_point == c)
            return pairs[i].bytes;
    return 0;
}

static struct code encode_gb18030(bool gbk, uint32_t c)
{
    unsigned bytes = gb18030_private(c);

    if (gbk && c == 0x20AC)
        return one_byte(0x80);
    if (!bytes)
        bytes = charset_grid_encode(GRID_GB18030, c);
    if (bytes || gbk || c == 0xE5E5) /* which A3 A0 was before */
        return two_bytes(bytes);

    uint32_t pointer = charset_range_encode(c);
    return (struct code){4,
                         {(unsigned char)(0x81 + pointer / 12600),
                          (unsigned char)(0x30 + pointer / 1260 % 10),
                          (unsigned char)(0x81 + pointer / 10 % 126),
                          (unsigned char)(0x30 + pointer % 10)}};
}

/* The two characters that JIS has in place of a backslash and a tilde: that
 * byte; 0 for others. */
static unsigned jis_roman(uint32_t c)
{
    return c == 0xA5 ? '\\' : c == 0x203E ? '~' : 0;
}

static unsigned encode_jis(enum charset_grid grid, uint32_t c)
{
    return charset_grid_encode(grid, c == 0x2212 ? 0xFF0D : c);
}

static struct code encode_shift_jis(uint32_t c)
{
    if (c == 0x80 || jis_roman(c))
        return one_byte(c == 0x80 ? c : jis_roman(c));
    if (charset_is_katakana(c))
        return one_byte(c - 0xFF61 + 0xA1);
    return two_bytes(encode_jis(GRID_SHIFT_JIS, c));
}

static struct code encode_euc_jp(uint32_t c)
{
    if (jis_roman(c))
        return one_byte(jis_roman(c));
    if (charset_is_katakana(c))
        return two_bytes(0x8E00 | (c - 0xFF61 + 0xA1));
    return two_bytes(encode_jis(GRID_JIS0208, c));
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
    if (jis_roman(c))
        return switch_to(encoder, JIS_ROMAN) &&
               put_code(encoder, one_byte(jis_roman(c)));

    unsigned bytes = encode_jis(GRID_JIS0208, charset_full_width(c));
    if (bytes)
        return switch_to(encoder, JIS_0208) &&
               put_code(encoder, two_bytes(bytes & 0x7F7F));
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
    case KIND_BIG5:
        return two_bytes(charset_grid_encode(GRID_BIG5, c));
    case KIND_EUC_KR:
        return two_bytes(charset_grid_encode(GRID_EUC_KR, c));
    case KIND_EUC_JP:
        return encode_euc_jp(c);
    case KIND_SHIFT_JIS:
        return encode_shift_jis(c);
    default:
        return encode_gb18030(encoder->charset->kind == KIND_GBK, c);
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
    struct encoder encoder = {charset, out, JIS_ASCII};
    size_t before = out->len;

    switch (encoder.charset->kind) {
    case KIND_UTF_8:
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
    case KIND_REPLACEMENT:
        return buf_put(out, utf8);
    default:
        break;
    }
    bool fits = encode_all(&encoder, utf8);
    if (!fits)
        out->len = before;
    return fits;
}
