/* Decoding to UTF-8, and encoding of URL queries in the charset of the page
 * that links, as the Encoding standard says. */
#include <pthread.h>
#include <uchar.h>

#include "base/str.h"
#include "web/charset.h"

/* ---- the indexes of the standard ---------------------------------------- */

// clang-format off
#include "web/charset_grid.inc"
// clang-format on

/* Character sets of two bytes a character, a lead byte and a trail byte, as one
 * encoding writes them. Decoding needs only the generated tables. For the way
 * back, which few pages need, tables are made from them when the first
 * character is encoded. */
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

/* The bytes that may stand first, or second, in a pair: one run or two; the
 * second is all 0 where there is one. */
struct runs {
    struct {
        unsigned char first, last;
    } run[2];
};

struct grid {
    const char32_t *cells;
    size_t count;
    struct runs lead, trail;
    size_t skip, skip_end; /* cells that are only decoded */
};

#define CELLS(name) .cells = CELLS_##name, .count = ARRAY_LEN(CELLS_##name) - 1

static const struct grid grids[GRIDS] = {
    [GRID_GB18030] = {CELLS(GB18030), .lead = {{{0x81, 0xFE}}},
                      .trail = {{{0x40, 0x7E}, {0x80, 0xFE}}}},
    [GRID_BIG5] = {CELLS(BIG5), .lead = {{{0x81, 0xFE}}},
                   .trail = {{{0x40, 0x7E}, {0xA1, 0xFE}}},
                   /* the rows before A1 are Hong Kong's */
                   .skip_end = (0xA1 - 0x81) * 157},
    [GRID_EUC_KR] = {CELLS(EUC_KR), .lead = {{{0x81, 0xFE}}},
                     .trail = {{{0x41, 0xFE}}}},
    [GRID_SHIFT_JIS] = {CELLS(JIS0208), .lead = {{{0x81, 0x9F}, {0xE0, 0xFC}}},
                        .trail = {{{0x40, 0x7E}, {0x80, 0xFC}}},
                        /* NEC's copy of IBM's extensions, and private use */
                        .skip = 8272, .skip_end = 10716},
    [GRID_JIS0208] = {CELLS(JIS0208), .lead = {{{0xA1, 0xFE}}},
                      .trail = {{{0xA1, 0xFE}}}, .skip = 94 * 94,
                      .skip_end = ARRAY_LEN(CELLS_JIS0208)},
    [GRID_JIS0212] = {CELLS(JIS0212), .lead = {{{0xA1, 0xFE}}},
                      .trail = {{{0xA1, 0xFE}}}},
};

static unsigned run_len(const struct runs *runs, int i)
{
    return runs->run[i].last ? runs->run[i].last - runs->run[i].first + 1u : 0;
}

/* How many of the runs' bytes come before this one; -1 if it is none. */
static int number_of(const struct runs *runs, unsigned char byte)
{
    unsigned before = 0;

    for (int i = 0; i < 2; i++) {
        unsigned number = (unsigned)byte - runs->run[i].first;
        if (number < run_len(runs, i))
            return (int)(before + number);
        before += run_len(runs, i);
    }
    return -1;
}

static unsigned byte_of(const struct runs *runs, unsigned number)
{
    unsigned len = run_len(runs, 0);

    return number < len ? runs->run[0].first + number
                        : runs->run[1].first + number - len;
}

static unsigned row_len(const struct grid *grid)
{
    return run_len(&grid->trail, 0) + run_len(&grid->trail, 1);
}

/* The character of two bytes; 0 where there is none. */
static uint32_t grid_decode(enum charset_grid id, unsigned char lead,
                            unsigned char trail)
{
    const struct grid *grid = &grids[id];
    int row = number_of(&grid->lead, lead);
    int column = number_of(&grid->trail, trail);

    if (row < 0 || column < 0)
        return 0;
    size_t cell = (size_t)row * row_len(grid) + (size_t)column;
    return cell < grid->count ? grid->cells[cell] : 0;
}

/* ---- the way back ------------------------------------------------------- */

/* By character, of the planes 0 and 2: the number of its cell plus 1. */
static uint16_t cell_of[GRIDS_ENCODED][0x20000];
static pthread_once_t cell_of_once = PTHREAD_ONCE_INIT;

static size_t slot_of(uint32_t c)
{
    return c >> 16 == 2 ? 0x10000 | (c & 0xFFFF) : c >> 16 ? 0 : c;
}

/* The first of several cells with the same character counts, but for these
 * characters the standard takes the last ("index Big5 pointer"). */
static bool is_last_taken(enum charset_grid id, uint32_t c)
{
    return id == GRID_BIG5 && (c == 0x2550 || c == 0x255E || c == 0x2561 ||
                               c == 0x256A || c == 0x5341 || c == 0x5345);
}

static void fill_cell_of(void)
{
    for (int id = 0; id < GRIDS_ENCODED; id++) {
        const struct grid *grid = &grids[id];
        for (size_t i = grid->count; i-- > 0;) {
            uint32_t c = grid->cells[i];
            uint16_t *cell = &cell_of[id][slot_of(c)];
            if (c && (i < grid->skip || i >= grid->skip_end) &&
                !(*cell && is_last_taken((enum charset_grid)id, c)))
                *cell = (uint16_t)(i + 1);
        }
    }
}

/* lead * 256 + trail; 0 where the set lacks the character. */
static unsigned grid_encode(enum charset_grid id, uint32_t c)
{
    const struct grid *grid = &grids[id];

    pthread_once(&cell_of_once, fill_cell_of);
    unsigned cell = cell_of[id][slot_of(c)], row = row_len(grid);
    if (!cell || !row)
        return 0;
    return byte_of(&grid->lead, (cell - 1) / row) << 8 |
           byte_of(&grid->trail, (cell - 1) % row);
}

/* ---- ranges and katakana
 * ---------------------------------------------------------- */

/* The four bytes of gb18030 by their number ("index gb18030 ranges"). */
enum {
    RANGE_PRIVATE = 7457, /* stands for this one, out of order: */
    PRIVATE_USE = 0xE7C7,
    RANGE_GAP = 39420,
    RANGE_GAP_END = 189000,
    RANGE_END = 1237576,
};

/* The character, 0 where there is none; and back. */
static uint32_t range_decode(uint32_t pointer)
{
    size_t i = ARRAY_LEN(ranges) - 1;

    if ((pointer >= RANGE_GAP && pointer < RANGE_GAP_END) ||
        pointer >= RANGE_END)
        return 0;
    if (pointer == RANGE_PRIVATE)
        return PRIVATE_USE;
    while (ranges[i].pointer > pointer)
        i--;
    return ranges[i].code_point + (pointer - ranges[i].pointer);
}

static uint32_t range_encode(uint32_t c)
{
    size_t i = ARRAY_LEN(ranges) - 1;

    if (c == PRIVATE_USE)
        return RANGE_PRIVATE;
    while (ranges[i].code_point > c)
        i--;
    return ranges[i].pointer + (c - ranges[i].code_point);
}

/* Half-width katakana, U+FF61 to U+FF9F. */
static bool is_katakana(uint32_t c)
{
    return c >= 0xFF61 && c <= 0xFF9F;
}

/* The number of leading bytes under 0x80. */
static size_t ascii_prefix(struct str s)
{
    size_t n = 0;
    uint64_t word;

    for (; s.len - n >= sizeof(word); n += sizeof(word)) {
        memcpy(&word, s.ptr + n, sizeof(word));
        if (word & 0x8080808080808080u)
            break;
    }
    while (n < s.len && !(s.ptr[n] & 0x80))
        n++;
    return n;
}

/* ---- decoding: East Asia ------------------------------------------------
 *
 * An ASCII byte is never swallowed by a broken sequence. */

/* The states of ISO-2022-JP: escape sequences switch between them. */
enum jis_state { JIS_ASCII, JIS_ROMAN, JIS_KATAKANA, JIS_0208 };

struct decoder {
    enum charset_kind kind;
    char *to; /* where the next character goes */
};

static bool is_in(unsigned char c, unsigned char low, unsigned char high)
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
    uint32_t c = left > 1 ? grid_decode(grid, at[0], at[1]) : 0;

    if (number_of(&grids[grid].lead, at[0]) < 0) { /* no lead byte */
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
    if (left < 2 || at[0] == 0xFF || !is_in(at[1], '0', '9'))
        return take_pair(decoder, GRID_GB18030, at, left);

    bool broken = (left > 2 && !is_in(at[2], 0x81, 0xFE)) ||
                  (left > 3 && !is_in(at[3], '0', '9'));
    uint32_t c = 0;
    if (left > 3 && !broken)
        c = range_decode(((at[0] - 0x81u) * 10 + (at[1] - 0x30u)) * 1260 +
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
    bool katakana = is_in(at[0], 0xA1, 0xDF);

    if (at[0] != 0x80 && !katakana)
        return take_pair(decoder, GRID_SHIFT_JIS, at, left);
    put(decoder, katakana ? 0xFF61u - 0xA1 + at[0] : 0x80);
    return 1;
}

static size_t take_euc_jp(struct decoder *decoder, const unsigned char *at,
                          size_t left)
{
    if (at[0] == 0x8E && left > 1 && is_in(at[1], 0xA1, 0xDF)) {
        put(decoder, 0xFF61u - 0xA1 + at[1]);
        return 2;
    }
    if (at[0] == 0x8F && left > 1 && is_in(at[1], 0xA1, 0xFE))
        return 1 + take_pair(decoder, GRID_JIS0212, at + 1, left - 1);
    if (at[0] == 0x8E || at[0] == 0x8F)
        return put_broken(decoder, at, left);
    return take_pair(decoder, GRID_JIS0208, at, left);
}

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

    if (state == JIS_0208 && is_in(c, 0x21, 0x7E)) {
        uint32_t pair = 0;
        bool whole = left > 1 && is_in(at[1], 0x21, 0x7E);
        if (whole)
            pair = grid_decode(GRID_JIS0208, c | 0x80, at[1] | 0x80);
        put(decoder, pair ? pair : UTF8_REPLACEMENT);
        return whole || (left > 1 && at[1] != 0x1B) ? 2 : 1;
    }
    if (state == JIS_KATAKANA && is_in(c, 0x21, 0x5F))
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

static char *decode_asia(const struct charset *charset, struct str bytes,
                         char *to)
{
    struct decoder decoder = {charset->kind, to};

    if (decoder.kind == KIND_ISO_2022_JP) {
        decode_iso_2022_jp(&decoder, bytes);
        return decoder.to;
    }
    while (bytes.len) {
        size_t len = ascii_prefix(bytes);
        decoder.to = mempcpy(decoder.to, bytes.ptr, len);
        if (len < bytes.len)
            len += take(&decoder, (const unsigned char *)bytes.ptr + len,
                        bytes.len - len);
        bytes = str_skip(bytes, len);
    }
    return decoder.to;
}

/* ---- decoding: the others ----------------------------------------------- */

static char *decode_utf8(struct str in, char *to)
{
    while (in.len) {
        uint32_t c;
        size_t ascii = ascii_prefix(in);

        to = mempcpy(to, in.ptr, ascii);
        in = str_skip(in, ascii);
        if (in.len) {
            in = str_skip(in, utf8_read(in.ptr, in.ptr + in.len, &c));
            to += utf8_put(to, c);
        }
    }
    return to;
}

static char *decode_utf16(struct str in, bool big_endian, char *to)
{
    const unsigned char *at = (const unsigned char *)in.ptr;
    uint32_t lead = 0; /* a high surrogate that waits for its other half */

    for (size_t left = in.len; left >= 2; left -= 2, at += 2) {
        uint32_t unit = big_endian ? (uint32_t)(at[0] << 8 | at[1])
                                   : (uint32_t)(at[1] << 8 | at[0]);
        bool low = unit >= 0xDC00 && unit <= 0xDFFF;
        if (lead && low) {
            to += utf8_put(to,
                           0x10000 + ((lead - 0xD800) << 10) + (unit - 0xDC00));
            lead = 0;
            continue;
        }
        if (lead)
            to += utf8_put(to, UTF8_REPLACEMENT);
        lead = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
        if (!lead)
            to += utf8_put(to, low ? UTF8_REPLACEMENT : unit);
    }
    /* Half a pair and half a unit at the end are one error together. */
    if (lead || in.len % 2)
        to += utf8_put(to, UTF8_REPLACEMENT);
    return to;
}

/* Single-byte encodings, and x-user-defined, which has no table. */
static char *decode_bytes(const uint16_t *high, struct str in, char *to)
{
    for (size_t i = 0; i < in.len; i++) {
        unsigned char byte = (unsigned char)in.ptr[i];
        if (byte < 0x80) {
            *to++ = (char)byte;
            continue;
        }
        uint32_t c = high ? high[byte - 0x80] : 0xF700u + byte;
        to += utf8_put(to, c ? c : UTF8_REPLACEMENT);
    }
    return to;
}

bool charset_decode(const struct charset *charset, struct str in,
                    struct buf *out)
{
    char *start = buf_reserve(out, CHARSET_GROWTH_MAX * in.len), *end;

    if (!start)
        return false;
    if (!in.len ||
        (charset_is_markup_safe(charset) && ascii_prefix(in) == in.len))
        return buf_put(out, in);
    switch (charset->kind) {
    case KIND_UTF_8:
        end = decode_utf8(in, start);
        break;
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
        end = decode_utf16(in, charset->kind == KIND_UTF_16BE, start);
        break;
    case KIND_REPLACEMENT:
        end = start + utf8_put(start, UTF8_REPLACEMENT);
        break;
    case KIND_SINGLE_BYTE:
    case KIND_X_USER_DEFINED:
        end = decode_bytes(charset->high, in, start);
        break;
    default:
        end = decode_asia(charset, in, start);
        break;
    }
    out->len += (size_t)(end - start);
    return true;
}

/* ---- encoding -----------------------------------------------------------
 *
 * The encoders of the standard, with its "html" escape already percent-encoded
 * for what an encoding lacks. */

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
        bytes = grid_encode(GRID_GB18030, c);
    if (bytes || gbk || c == 0xE5E5) /* which A3 A0 was before */
        return two_bytes(bytes);

    uint32_t pointer = range_encode(c);
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
    return grid_encode(grid, c == 0x2212 ? 0xFF0D : c);
}

static struct code encode_shift_jis(uint32_t c)
{
    if (c == 0x80 || jis_roman(c))
        return one_byte(c == 0x80 ? c : jis_roman(c));
    if (is_katakana(c))
        return one_byte(c - 0xFF61 + 0xA1);
    return two_bytes(encode_jis(GRID_SHIFT_JIS, c));
}

static struct code encode_euc_jp(uint32_t c)
{
    if (jis_roman(c))
        return one_byte(jis_roman(c));
    if (is_katakana(c))
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

    uint32_t full_width = is_katakana(c) ? full_width_katakana[c - 0xFF61] : c;
    unsigned bytes = encode_jis(GRID_JIS0208, full_width);
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
        for (unsigned i = 0; i < 128; i++)
            if (encoder->charset->high[i] == c)
                return one_byte(0x80 + i);
        return (struct code){0};
    case KIND_X_USER_DEFINED:
        return c >= 0xF780 && c <= 0xF7FF ? one_byte(c - 0xF780 + 0x80)
                                          : (struct code){0};
    case KIND_BIG5:
        return two_bytes(grid_encode(GRID_BIG5, c));
    case KIND_EUC_KR:
        return two_bytes(grid_encode(GRID_EUC_KR, c));
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
        size_t ascii = iso_2022_jp ? 0 : ascii_prefix(utf8);
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
