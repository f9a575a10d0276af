/* The multi-byte encodings of East Asia, to UTF-8, as the Encoding standard
 * cuts bytes into characters and recovers from broken ones: an ASCII byte is
 * never swallowed by a broken sequence.
 */
#include "html/charset_internal.h"

struct decoder {
    enum charset_kind kind;
    char *to; /* where the next character goes */
};

static bool in(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

static void put(struct decoder *decoder, uint32_t c)
{
    decoder->to += utf8_put(decoder->to, c);
}

/* A sequence broken at its second byte: that one is taken too, unless it is
 * ASCII. Returns what was taken. */
static size_t put_broken(struct decoder *decoder, const unsigned char *at,
                         size_t left)
{
    put(decoder, UTF8_REPLACEMENT);
    return left > 1 && at[1] >= 0x80 ? 2 : 1;
}

/* The functions below take one sequence that starts with a byte over 0x7F
 * and return its length; `left` counts the bytes up to the end. */

static size_t take_pair(struct decoder *decoder, enum charset_grid grid,
                        const unsigned char *at, size_t left)
{
    uint32_t c = left > 1 ? charset_grid_decode(grid, at[0], at[1]) : 0;

    if (!charset_is_lead(grid, at[0])) {
        put(decoder, UTF8_REPLACEMENT);
        return 1;
    }
    if (!c)
        return put_broken(decoder, at, left);
    put(decoder, c);
    return 2;
}

static size_t take_gb18030(struct decoder *decoder, const unsigned char *at,
                           size_t left)
{
    if (at[0] == 0x80) {
        put(decoder, 0x20AC);
        return 1;
    }
    if (left < 2 || at[0] == 0xFF || !in(at[1], '0', '9'))
        return take_pair(decoder, GRID_GB18030, at, left);

    bool broken = (left > 2 && !in(at[2], 0x81, 0xFE)) ||
                  (left > 3 && !in(at[3], '0', '9'));
    uint32_t c = 0;
    if (left > 3 && !broken)
        c = charset_range_decode(((at[0] - 0x81u) * 10 + (at[1] - 0x30u)) *
                                     1260 +
                                 (at[2] - 0x81u) * 10 + (at[3] - 0x30u));
    put(decoder, c ? c : UTF8_REPLACEMENT);
    return broken ? 1 : left < 4 ? left : 4;
}

/* Four pairs stand for a letter with an accent that Unicode has only apart. */
static size_t take_big5(struct decoder *decoder, const unsigned char *at,
                        size_t left)
{
    size_t len = take_pair(decoder, GRID_BIG5, at, left);

    if (len == 2 && at[0] == 0x88 && (at[1] == 0x62 || at[1] == 0xA3))
        put(decoder, 0x304);
    if (len == 2 && at[0] == 0x88 && (at[1] == 0x64 || at[1] == 0xA5))
        put(decoder, 0x30C);
    return len;
}

static size_t take_shift_jis(struct decoder *decoder, const unsigned char *at,
                             size_t left)
{
    bool katakana = in(at[0], 0xA1, 0xDF);

    if (at[0] != 0x80 && !katakana)
        return take_pair(decoder, GRID_SHIFT_JIS, at, left);
    put(decoder, katakana ? 0xFF61u - 0xA1 + at[0] : 0x80);
    return 1;
}

static size_t take_euc_jp(struct decoder *decoder, const unsigned char *at,
                          size_t left)
{
    if (at[0] == 0x8E && left > 1 && in(at[1], 0xA1, 0xDF)) {
        put(decoder, 0xFF61u - 0xA1 + at[1]);
        return 2;
    }
    if (at[0] == 0x8F && left > 1 && in(at[1], 0xA1, 0xFE))
        return 1 + take_pair(decoder, GRID_JIS0212, at + 1, left - 1);
    if (at[0] == 0x8E || at[0] == 0x8F)
        return put_broken(decoder, at, left);
    return take_pair(decoder, GRID_JIS0208, at, left);
}

enum jis_state { JIS_ASCII, JIS_ROMAN, JIS_KATAKANA, JIS_0208 };

/* The state that an escape sequence switches to, or -1. `at` is behind the
 * escape character. */
static int escaped_state(const unsigned char *at, size_t left)
{
    static const struct {
        char text[3];
        enum jis_state state;
    } escapes[] = {
        {"(B", JIS_ASCII}, {"(J", JIS_ROMAN}, {"(I", JIS_KATAKANA},
        {"$@", JIS_0208},  {"$B", JIS_0208},
    };

    for (size_t i = 0; left > 1 && i < ARRAY_LEN(escapes); i++)
        if (!memcmp(at, escapes[i].text, 2))
            return (int)escapes[i].state;
    return -1;
}

/* One character of ISO-2022-JP that is no escape sequence. */
static size_t take_jis(struct decoder *decoder, enum jis_state state,
                       const unsigned char *at, size_t left)
{
    unsigned char c = at[0];

    if (state == JIS_0208 && in(c, 0x21, 0x7E)) {
        uint32_t pair = 0;
        bool whole = left > 1 && in(at[1], 0x21, 0x7E);
        if (whole)
            pair = charset_grid_decode(GRID_JIS0208, c | 0x80, at[1] | 0x80);
        put(decoder, pair ? pair : UTF8_REPLACEMENT);
        return whole || (left > 1 && at[1] != 0x1B) ? 2 : 1;
    }
    if (state == JIS_KATAKANA && in(c, 0x21, 0x5F))
        put(decoder, 0xFF61u - 0x21 + c);
    else if (state >= JIS_KATAKANA || c >= 0x80 || c == 0x0E || c == 0x0F)
        put(decoder, UTF8_REPLACEMENT);
    else if (state == JIS_ROMAN && (c == 0x5C || c == 0x7E))
        put(decoder, c == 0x5C ? 0xA5 : 0x203E);
    else
        put(decoder, c);
    return 1;
}

static void decode_iso_2022_jp(struct decoder *decoder, struct str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;
    const unsigned char *end = at + bytes.len;
    enum jis_state state = JIS_ASCII;
    bool just_escaped = false;

    while (at < end) {
        if (at[0] != 0x1B) {
            at += take_jis(decoder, state, at, (size_t)(end - at));
            just_escaped = false;
            continue;
        }
        int next = escaped_state(at + 1, (size_t)(end - at) - 1);
        /* An escape sequence that nothing was said in is an error, and so
         * is an escape character without one; what follows it is text. */
        if (next < 0 || just_escaped)
            put(decoder, UTF8_REPLACEMENT);
        just_escaped = next >= 0;
        if (next >= 0)
            state = (enum jis_state)next;
        at += next >= 0 ? 3 : 1;
    }
}

static size_t take(struct decoder *decoder, const unsigned char *at,
                   size_t left)
{
    switch (decoder->kind) {
    case KIND_BIG5:
        return take_big5(decoder, at, left);
    case KIND_EUC_KR:
        return take_pair(decoder, GRID_EUC_KR, at, left);
    case KIND_SHIFT_JIS:
        return take_shift_jis(decoder, at, left);
    case KIND_EUC_JP:
        return take_euc_jp(decoder, at, left);
    default:
        return take_gb18030(decoder, at, left);
    }
}

char *charset_decode_asia(const struct charset *charset, struct str bytes,
                          char *to)
{
    struct decoder decoder = {charset->kind, to};

    if (decoder.kind == KIND_ISO_2022_JP) {
        decode_iso_2022_jp(&decoder, bytes);
        return decoder.to;
    }
    while (bytes.len) {
        size_t len = charset_ascii_prefix(bytes);
        decoder.to = mempcpy(decoder.to, bytes.ptr, len);
        if (len < bytes.len)
            len += take(&decoder, (const unsigned char *)bytes.ptr + len,
                        bytes.len - len);
        bytes = str_skip(bytes, len);
    }
    return decoder.to;
}
