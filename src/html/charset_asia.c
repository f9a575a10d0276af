/* The multi-byte encodings of East Asia, to UTF-8.
 *
 * Here is the standard's way to cut bytes into characters and to recover
 * from broken ones: an ASCII byte is never swallowed by a broken sequence.
 * What a well-formed sequence means is asked of iconv, many at a time. The
 * Japanese encodings share one grid (JIS X 0208) and are asked as Shift_JIS,
 * because glibc's CP932 has exactly the standard's index.
 *
 * A descriptor is opened for the call: with the module loaded that takes
 * half a microsecond, so there is nothing to keep. Where the module is not
 * installed every character becomes U+FFFD.
 */
#include <assert.h>

#include "html/charset_internal.h"

struct decoder {
    enum charset_kind kind;
    char *to; /* where the next character goes */
    iconv_t iconv;
    iconv_t jis0212; /* of EUC-JP, opened when met */
    size_t len;
    char run[256]; /* whole sequences that wait for iconv */
};

static bool in(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

static unsigned two_bytes(const unsigned char *at)
{
    return (unsigned)(at[0] << 8 | at[1]);
}

/* Four bytes that editions of gb18030 read differently, or 0: characters that
 * also have two bytes since the edition of 2005; in that of 2022 these four
 * stand for private-use characters. */
static uint32_t gb18030_four_bytes(const unsigned char *at)
{
    unsigned pointer = ((at[0] - 0x81u) * 10 + (at[1] - 0x30u)) * 1260 +
                       (at[2] - 0x81u) * 10 + (at[3] - 0x30u);

    if (pointer >= 19057 && pointer < 19057 + 8)
        return 0x9FB4 + (pointer - 19057);
    if (pointer >= 39076 && pointer < 39076 + 10)
        return 0xFE10 + (pointer - 39076);
    return 0;
}

/* iconv does not know the sequence at `at`: the standard may, or it is one
 * error. Returns its length in the run. */
static size_t put_unknown(struct decoder *decoder, const unsigned char *at)
{
    bool four = decoder->kind == KIND_GB18030 && in(at[1], '0', '9');
    bool transcribed =
        decoder->kind == KIND_EUC_JP || decoder->kind == KIND_ISO_2022_JP;
    uint32_t c = 0;

    if (decoder->kind == KIND_BIG5)
        c = charset_pair_decode(charset_big5_pairs, two_bytes(at));

    decoder->to += utf8_put(decoder->to, c ? c : UTF8_REPLACEMENT);
    if (!c && !four && !transcribed && at[1] < 0x80)
        *decoder->to++ = (char)at[1];
    return four ? 4 : 2;
}

/* Convert what waits. */
static void flush(struct decoder *decoder)
{
    char *from = decoder->run;
    size_t left = decoder->len;

    while (left) {
        size_t room = CHARSET_GROWTH_MAX * left;
        if (decoder->iconv != charset_no_iconv()) {
            iconv(decoder->iconv, &from, &left, &decoder->to, &room);
            iconv(decoder->iconv, NULL, NULL, &decoder->to, &room);
        }
        if (left) {
            size_t len = put_unknown(decoder, (const unsigned char *)from);
            assert(len <= left);
            from += len;
            left -= len;
        }
    }
    decoder->len = 0;
}

static void put(struct decoder *decoder, uint32_t c)
{
    flush(decoder);
    decoder->to += utf8_put(decoder->to, c);
}

static void put_sequence(struct decoder *decoder, const void *bytes, size_t len)
{
    if (decoder->len + len > sizeof(decoder->run))
        flush(decoder);
    memcpy(decoder->run + decoder->len, bytes, len);
    decoder->len += len;
}

/* A cell of the grid of JIS X 0208, 94 by 94, in its Shift_JIS form. */
static void put_jis0208(struct decoder *decoder, unsigned row, unsigned cell)
{
    unsigned pointer = row * 94 + cell;
    unsigned lead = pointer / 188, trail = pointer % 188;
    unsigned char sjis[2] = {
        (unsigned char)(lead + (lead < 0x1F ? 0x81 : 0xC1)),
        (unsigned char)(trail + (trail < 0x3F ? 0x40 : 0x41)),
    };

    put_sequence(decoder, sjis, 2);
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

static size_t take_gb18030(struct decoder *decoder, const unsigned char *at,
                           size_t left)
{
    if (at[0] == 0x80 || at[0] == 0xFF) {
        put(decoder, at[0] == 0x80 ? 0x20AC : UTF8_REPLACEMENT);
        return 1;
    }
    if (left > 1 && in(at[1], '0', '9')) {
        bool broken = (left > 2 && !in(at[2], 0x81, 0xFE)) ||
                      (left > 3 && !in(at[3], '0', '9'));
        if (left > 3 && !broken) {
            uint32_t c = gb18030_four_bytes(at);
            if (c)
                put(decoder, c);
            else
                put_sequence(decoder, at, 4);
            return 4;
        }
        put(decoder, UTF8_REPLACEMENT);
        return broken ? 1 : left;
    }
    if (left < 2 || !in(at[1], 0x40, 0xFE) || at[1] == 0x7F)
        return put_broken(decoder, at, left);

    uint32_t c = charset_pair_decode(charset_gb18030_pairs, two_bytes(at));
    if (c)
        put(decoder, c);
    else
        put_sequence(decoder, at, 2);
    return 2;
}

static size_t take_big5(struct decoder *decoder, const unsigned char *at,
                        size_t left)
{
    if (!in(at[0], 0x81, 0xFE)) {
        put(decoder, UTF8_REPLACEMENT);
        return 1;
    }
    if (left < 2 || !(in(at[1], 0x40, 0x7E) || in(at[1], 0xA1, 0xFE)))
        return put_broken(decoder, at, left);

    /* In these rows glibc has other characters; elsewhere it has none. */
    uint32_t c = at[0] == 0xA1 || at[0] == 0xA2
                     ? charset_pair_decode(charset_big5_pairs, two_bytes(at))
                     : 0;
    if (c)
        put(decoder, c);
    else
        put_sequence(decoder, at, 2);
    return 2;
}

static size_t take_euc_kr(struct decoder *decoder, const unsigned char *at,
                          size_t left)
{
    if (!in(at[0], 0x81, 0xFE)) {
        put(decoder, UTF8_REPLACEMENT);
        return 1;
    }
    if (left < 2 || !in(at[1], 0x41, 0xFE))
        return put_broken(decoder, at, left);
    /* A hole in the table that glibc skips without saying so. */
    if (at[0] == 0xA2 && at[1] == 0xE8)
        return put_broken(decoder, at, left);
    put_sequence(decoder, at, 2);
    return 2;
}

static size_t take_shift_jis(struct decoder *decoder, const unsigned char *at,
                             size_t left)
{
    if (at[0] == 0x80) {
        put(decoder, 0x80);
        return 1;
    }
    if (in(at[0], 0xA1, 0xDF)) {
        put(decoder, 0xFF61u - 0xA1 + at[0]);
        return 1;
    }
    if (!in(at[0], 0x81, 0x9F) && !in(at[0], 0xE0, 0xFC)) {
        put(decoder, UTF8_REPLACEMENT);
        return 1;
    }
    if (left < 2 || !in(at[1], 0x40, 0xFC) || at[1] == 0x7F)
        return put_broken(decoder, at, left);
    put_sequence(decoder, at, 2);
    return 2;
}

/* 8F and two bytes: the supplementary grid, JIS X 0212. */
static size_t take_jis0212(struct decoder *decoder, const unsigned char *at,
                           size_t left)
{
    if (left > 1 && !in(at[1], 0xA1, 0xFE))
        return put_broken(decoder, at, left);
    if (left < 3 || !in(at[2], 0xA1, 0xFE)) {
        put(decoder, UTF8_REPLACEMENT);
        return left > 2 && at[2] >= 0x80 ? 3 : left < 3 ? left : 2;
    }

    flush(decoder);
    char sequence[3], *from = sequence, *before = decoder->to;
    size_t from_len = sizeof(sequence), room = sizeof(sequence);

    memcpy(sequence, at, sizeof(sequence));
    if (decoder->jis0212 == charset_no_iconv())
        decoder->jis0212 = iconv_open("UTF-8", "EUC-JP");
    if (decoder->jis0212 != charset_no_iconv()) {
        iconv(decoder->jis0212, &from, &from_len, &decoder->to, &room);
        iconv(decoder->jis0212, NULL, NULL, NULL, NULL);
    }
    if (decoder->to == before)
        put(decoder, UTF8_REPLACEMENT);
    return 3;
}

static size_t take_euc_jp(struct decoder *decoder, const unsigned char *at,
                          size_t left)
{
    if (at[0] == 0x8F)
        return take_jis0212(decoder, at, left);
    if (at[0] == 0x8E && left > 1 && in(at[1], 0xA1, 0xDF)) {
        put(decoder, 0xFF61u - 0xA1 + at[1]);
        return 2;
    }
    if (at[0] != 0x8E && !in(at[0], 0xA1, 0xFE)) {
        put(decoder, UTF8_REPLACEMENT);
        return 1;
    }
    if (at[0] == 0x8E || left < 2 || !in(at[1], 0xA1, 0xFE))
        return put_broken(decoder, at, left);
    put_jis0208(decoder, at[0] - 0xA1u, at[1] - 0xA1u);
    return 2;
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
        if (left > 1 && in(at[1], 0x21, 0x7E)) {
            put_jis0208(decoder, c - 0x21u, at[1] - 0x21u);
            return 2;
        }
        put(decoder, UTF8_REPLACEMENT);
        return left > 1 && at[1] != 0x1B ? 2 : 1;
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
        return take_euc_kr(decoder, at, left);
    case KIND_SHIFT_JIS:
        return take_shift_jis(decoder, at, left);
    case KIND_EUC_JP:
        return take_euc_jp(decoder, at, left);
    default:
        return take_gb18030(decoder, at, left);
    }
}

static void decode_mixed(struct decoder *decoder, struct str bytes)
{
    while (bytes.len) {
        size_t ascii = charset_ascii_prefix(bytes);
        if (ascii) {
            flush(decoder);
            decoder->to = mempcpy(decoder->to, bytes.ptr, ascii);
            bytes = str_skip(bytes, ascii);
        }
        if (bytes.len)
            bytes =
                str_skip(bytes, take(decoder, (const unsigned char *)bytes.ptr,
                                     bytes.len));
    }
}

char *charset_decode_asia(const struct charset *charset, struct str bytes,
                          char *to)
{
    struct decoder decoder = {
        .kind = charset->kind == KIND_GBK ? KIND_GB18030 : charset->kind,
        .to = to,
        .iconv = iconv_open("UTF-8", charset->iconv_name),
        .jis0212 = charset_no_iconv(),
    };

    if (decoder.kind == KIND_ISO_2022_JP)
        decode_iso_2022_jp(&decoder, bytes);
    else
        decode_mixed(&decoder, bytes);
    flush(&decoder);
    if (decoder.iconv != charset_no_iconv())
        iconv_close(decoder.iconv);
    if (decoder.jis0212 != charset_no_iconv())
        iconv_close(decoder.jis0212);
    return decoder.to;
}
