/* The charset module against the Encoding standard's own tables: labels and
 * indexes, both ways.
 *
 * The indexes are the standard's; what a decoder and an encoder make of them
 * is computed here a second time from its text, and compared for every
 * pointer and every code point. No difference is allowed, so none is listed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "web/charset.h"

enum { NONE = -1, CODE_POINTS = 0x30000, POINTERS_MAX = 24000 };

struct suite {
    struct arena arena;
    const struct json *indexes; /* NULL where the data is missing */
};

/* A table of the standard: code points by pointer, or NONE. */
struct index {
    size_t count;
    int32_t at[POINTERS_MAX];
};

static struct index load(const struct suite *suite, const char *name)
{
    const struct json *json = json_get(suite->indexes, name);
    struct index index = {.count = json_count(json)};

    assert_in_range(index.count, 1, POINTERS_MAX);
    for (size_t i = 0; i < index.count; i++) {
        const struct json *item = json_at(json, i);
        index.at[i] =
            json_is(item, JSON_NUMBER) ? (int32_t)json_number(item) : NONE;
    }
    return index;
}

static int32_t lookup(const struct index *index, size_t pointer)
{
    return pointer < index->count ? index->at[pointer] : NONE;
}

static size_t put_utf8(int32_t c, char *out)
{
    if (c < 0x80)
        return (size_t)sprintf(out, "%c", c);
    if (c < 0x800)
        return (size_t)sprintf(out, "%c%c", 0xC0 | c >> 6, 0x80 | (c & 0x3F));
    if (c < 0x10000)
        return (size_t)sprintf(out, "%c%c%c", 0xE0 | c >> 12,
                               0x80 | (c >> 6 & 0x3F), 0x80 | (c & 0x3F));
    return (size_t)sprintf(out, "%c%c%c%c", 0xF0 | c >> 18,
                           0x80 | (c >> 12 & 0x3F), 0x80 | (c >> 6 & 0x3F),
                           0x80 | (c & 0x3F));
}

static void print_bytes(const char *title, struct str s)
{
    printf("  %s:", title);
    for (size_t i = 0; i < s.len && i < 40; i++)
        printf(" %02X", (unsigned char)s.ptr[i]);
    printf("\n");
}

static const struct charset *find(const char *label)
{
    const struct charset *charset = charset_find(str_of(label));

    if (!charset)
        fail_msg("no charset %s", label);
    return charset;
}

/* Decode `len` bytes; `expected` is a code point, or NONE for an error, after
 * which an ASCII byte at the end is kept. */
static void check_decode(const char *label, const unsigned char *bytes,
                         size_t len, int32_t expected)
{
    char wanted[8];
    size_t wanted_len = put_utf8(expected == NONE ? 0xFFFD : expected, wanted);
    struct str in = {(const char *)bytes, len};
    struct buf got;

    if (expected == NONE && len == 2 && bytes[1] < 0x80)
        wanted[wanted_len++] = (char)bytes[1];
    buf_init(&got, 64);
    assert_true(charset_decode(find(label), in, &got));
    if (!str_eq(buf_str(&got), (struct str){wanted, wanted_len})) {
        print_bytes("bytes", in);
        print_bytes("expected", (struct str){wanted, wanted_len});
        print_bytes("got", buf_str(&got));
        fail_msg("%s: decoded wrong", label);
    }
    buf_release(&got);
}

/* What the standard's encoder makes of a code point: bytes, or an error. */
struct code {
    size_t len;
    unsigned char byte[4];
};

static void put_expected(struct buf *out, int32_t c, struct code code)
{
    if (code.len)
        assert_true(
            buf_put(out, (struct str){(const char *)code.byte, code.len}));
    else
        assert_true(buf_printf(out, "%%26%%23%d%%3B", (int)c));
}

/* Every code point up to `end`, a few at a time. */
static void check_encode(const char *label, const struct code *expected,
                         int32_t end)
{
    enum { STEP = 32 };
    struct buf text, wanted, got;

    buf_init(&text, 4096);
    buf_init(&wanted, 4096);
    buf_init(&got, 4096);
    for (int32_t first = 0x80; first < end; first += STEP) {
        if (first >= 0xD800 && first < 0xE000)
            continue;
        buf_clear(&text);
        buf_clear(&wanted);
        buf_clear(&got);
        for (int32_t c = first; c < first + STEP; c++) {
            char utf8[8];
            buf_put(&text, (struct str){utf8, put_utf8(c, utf8)});
            put_expected(&wanted, c, expected[c]);
        }
        assert_true(
            charset_encode_query((void *)find(label), buf_str(&text), &got));
        if (!str_eq(buf_str(&wanted), buf_str(&got))) {
            printf("  expected: %s\n  got: %s\n", buf_cstr(&wanted),
                   buf_cstr(&got));
            fail_msg("%s: U+%04X to U+%04X encoded wrong", label,
                     (unsigned)first, (unsigned)(first + STEP - 1));
        }
    }
    buf_release(&text);
    buf_release(&wanted);
    buf_release(&got);
}

/* The pair of a pointer in a table whose rows have `width` cells; the first
 * 0x3F trail bytes start at 0x40, the others at 0x40 + `gap`. */
static struct code pair(size_t pointer, size_t width, unsigned first_lead,
                        unsigned gap)
{
    size_t trail = pointer % width;

    return (struct code){
        2,
        {(unsigned char)(first_lead + pointer / width),
         (unsigned char)(trail + 0x40 + (trail < 0x3F ? 0 : gap))}};
}

static struct code *new_codes(void)
{
    struct code *codes = calloc(CODE_POINTS, sizeof(*codes));

    assert_non_null(codes);
    return codes;
}

static void labels(void **state)
{
    struct suite *suite = *state;
    const struct json *groups =
        conformance_json("encoding/encodings.json", &suite->arena);
    size_t count = 0;

    if (!groups)
        skip();
    for (size_t g = 0; g < json_count(groups); g++) {
        const struct json *encodings =
            json_get(json_at(groups, g), "encodings");
        for (size_t e = 0; e < json_count(encodings); e++) {
            const struct json *encoding = json_at(encodings, e);
            struct str name = json_str(json_get(encoding, "name"));
            const struct json *list = json_get(encoding, "labels");
            for (size_t i = 0; i < json_count(list); i++, count++) {
                struct str label = json_str(json_at(list, i));
                const struct charset *got = charset_find(label);
                if (!got || !str_eq(got->name, name))
                    fail_msg("%s: expected %s, got %s", label.ptr, name.ptr,
                             got ? got->name.ptr : "nothing");
            }
        }
    }
    assert_int_equal(count, 228);
}

static void single_byte(void **state)
{
    static const char *const names[] = {
        "IBM866",       "ISO-8859-2",   "ISO-8859-3",   "ISO-8859-4",
        "ISO-8859-5",   "ISO-8859-6",   "ISO-8859-7",   "ISO-8859-8",
        "ISO-8859-8-I", "ISO-8859-10",  "ISO-8859-13",  "ISO-8859-14",
        "ISO-8859-15",  "ISO-8859-16",  "KOI8-R",       "KOI8-U",
        "macintosh",    "windows-874",  "windows-1250", "windows-1251",
        "windows-1252", "windows-1253", "windows-1254", "windows-1255",
        "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic"};
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    struct code *codes = new_codes();
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        char key[16] = {0};
        for (size_t i = 0; names[n][i]; i++)
            key[i] = ascii_lower(names[n][i]);
        if (!strcmp(key, "iso-8859-8-i"))
            key[10] = '\0';
        struct index index = load(suite, key);
        assert_int_equal(index.count, 128);

        memset(codes, 0, CODE_POINTS * sizeof(*codes));
        for (size_t i = 0; i < 128; i++) {
            unsigned char byte = (unsigned char)(0x80 + i);
            check_decode(names[n], &byte, 1, index.at[i]);
            if (index.at[i] != NONE)
                codes[index.at[i]] = (struct code){1, {byte}};
        }
        check_encode(names[n], codes, 0x10000);
    }
    free(codes);
}

static void big5(void **state)
{
    static const int32_t last_wins[] = {0x2550, 0x255E, 0x2561,
                                        0x256A, 0x5341, 0x5345};
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    struct code *codes = new_codes();
    struct index index = load(suite, "big5");
    for (size_t p = 0; p < 126 * 157; p++) {
        struct code code = pair(p, 157, 0x81, 0x22);
        int32_t c = lookup(&index, p);
        bool last = false;
        if (p == 1133 || p == 1135 || p == 1164 || p == 1166)
            continue; /* two code points: a unit test */
        check_decode("Big5", code.byte, 2, c);
        for (size_t i = 0; i < ARRAY_LEN(last_wins); i++)
            last |= c == last_wins[i];
        if (c != NONE && p >= (0xA1 - 0x81) * 157 && (!codes[c].len || last))
            codes[c] = code;
    }
    check_encode("Big5", codes, CODE_POINTS);
    free(codes);
}

static void euc_kr(void **state)
{
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    struct code *codes = new_codes();
    struct index index = load(suite, "euc-kr");
    for (size_t p = 0; p < 126 * 190; p++) {
        struct code code = {
            2,
            {(unsigned char)(0x81 + p / 190), (unsigned char)(0x41 + p % 190)}};
        int32_t c = lookup(&index, p);
        check_decode("EUC-KR", code.byte, 2, c);
        if (c != NONE && !codes[c].len)
            codes[c] = code;
    }
    check_encode("EUC-KR", codes, CODE_POINTS);
    free(codes);
}

static struct code four_bytes(size_t pointer)
{
    return (struct code){4,
                         {(unsigned char)(0x81 + pointer / 12600),
                          (unsigned char)(0x30 + pointer / 1260 % 10),
                          (unsigned char)(0x81 + pointer / 10 % 126),
                          (unsigned char)(0x30 + pointer % 10)}};
}

/* The code point of a four-byte pointer: "index gb18030 ranges". */
static int32_t range_code_point(const struct json *ranges, size_t pointer)
{
    int32_t offset = 0, c = 0;

    if ((pointer > 39419 && pointer < 189000) || pointer > 1237575)
        return NONE;
    if (pointer == 7457)
        return 0xE7C7;
    for (size_t i = 0; i < json_count(ranges); i++) {
        const struct json *range = json_at(ranges, i);
        if (json_number(json_at(range, 0)) > (double)pointer)
            break;
        offset = (int32_t)json_number(json_at(range, 0));
        c = (int32_t)json_number(json_at(range, 1));
    }
    return c + (int32_t)pointer - offset;
}

static void gb18030_pairs(const struct index *index, struct code *codes)
{
    static const struct {
        int32_t c;
        struct code code;
    } only_encoded[] = {
        {0xE78D, {2, {0xA6, 0xD9}}}, {0xE78E, {2, {0xA6, 0xDA}}},
        {0xE78F, {2, {0xA6, 0xDB}}}, {0xE790, {2, {0xA6, 0xDC}}},
        {0xE791, {2, {0xA6, 0xDD}}}, {0xE792, {2, {0xA6, 0xDE}}},
        {0xE793, {2, {0xA6, 0xDF}}}, {0xE794, {2, {0xA6, 0xEC}}},
        {0xE795, {2, {0xA6, 0xED}}}, {0xE796, {2, {0xA6, 0xF3}}},
        {0xE81E, {2, {0xFE, 0x59}}}, {0xE826, {2, {0xFE, 0x61}}},
        {0xE82B, {2, {0xFE, 0x66}}}, {0xE82C, {2, {0xFE, 0x67}}},
        {0xE832, {2, {0xFE, 0x6D}}}, {0xE843, {2, {0xFE, 0x7E}}},
        {0xE854, {2, {0xFE, 0x90}}}, {0xE864, {2, {0xFE, 0xA0}}},
    };

    for (size_t i = 0; i < ARRAY_LEN(only_encoded); i++)
        codes[only_encoded[i].c] = only_encoded[i].code;
    for (size_t p = 0; p < 126 * 190; p++) {
        struct code code = pair(p, 190, 0x81, 1);
        int32_t c = lookup(index, p);
        check_decode("gb18030", code.byte, 2, c);
        check_decode("GBK", code.byte, 2, c);
        if (c != NONE && !codes[c].len)
            codes[c] = code;
    }
}

static void gb18030(void **state)
{
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    struct code *codes = new_codes(), euro;
    struct index index = load(suite, "gb18030");
    const struct json *ranges = json_get(suite->indexes, "gb18030-ranges");

    gb18030_pairs(&index, codes);
    euro = codes[0x20AC];
    codes[0x20AC] = (struct code){1, {0x80}};
    check_encode("GBK", codes, CODE_POINTS);
    codes[0x20AC] = euro;

    for (size_t p = 0; p < 126 * 12600; p += p < 40000 ? 1 : 97) {
        struct code code = four_bytes(p);
        int32_t c = range_code_point(ranges, p);
        check_decode("gb18030", code.byte, 4, c);
        if (c != NONE && c < CODE_POINTS && !codes[c].len)
            codes[c] = code;
    }
    for (int32_t c = 0x10000; c < CODE_POINTS; c++)
        codes[c] = four_bytes((size_t)(189000 + c - 0x10000));
    codes[0xE5E5] = (struct code){0};
    check_encode("gb18030", codes, CODE_POINTS);
    free(codes);
}

static void shift_jis(void **state)
{
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    struct code *codes = new_codes();
    struct index index = load(suite, "jis0208");
    codes[0x80] = (struct code){1, {0x80}};
    codes[0xA5] = (struct code){1, {0x5C}};
    codes[0x203E] = (struct code){1, {0x7E}};
    for (int32_t c = 0xFF61; c <= 0xFF9F; c++) {
        codes[c] = (struct code){1, {(unsigned char)(c - 0xFF61 + 0xA1)}};
        check_decode("Shift_JIS", codes[c].byte, 1, c);
    }
    for (size_t p = 0; p < 60 * 188; p++) {
        struct code code = pair(p, 188, p / 188 < 0x1F ? 0x81 : 0xC1, 1);
        int32_t c = p >= 8836 && p <= 10715 ? 0xE000 + (int32_t)p - 8836
                                            : lookup(&index, p);
        check_decode("Shift_JIS", code.byte, 2, c);
        if (c != NONE && !codes[c].len && !(p >= 8272 && p <= 8835) &&
            !(c >= 0xE000 && c < 0xF900))
            codes[c] = code;
    }
    codes[0x2212] = codes[0xFF0D];
    check_encode("Shift_JIS", codes, CODE_POINTS);
    free(codes);
}

static void euc_jp(void **state)
{
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    struct code *codes = new_codes();
    struct index jis0208 = load(suite, "jis0208");
    struct index jis0212 = load(suite, "jis0212");
    codes[0xA5] = (struct code){1, {0x5C}};
    codes[0x203E] = (struct code){1, {0x7E}};
    for (int32_t c = 0xFF61; c <= 0xFF9F; c++) {
        codes[c] = (struct code){2, {0x8E, (unsigned char)(c - 0xFF61 + 0xA1)}};
        check_decode("EUC-JP", codes[c].byte, 2, c);
    }
    for (size_t p = 0; p < 94 * 94; p++) {
        unsigned char byte[3] = {0x8F, (unsigned char)(0xA1 + p / 94),
                                 (unsigned char)(0xA1 + p % 94)};
        int32_t c = lookup(&jis0208, p);
        check_decode("EUC-JP", byte, 3, lookup(&jis0212, p));
        check_decode("EUC-JP", byte + 1, 2, c);
        if (c != NONE && !codes[c].len)
            codes[c] = (struct code){2, {byte[1], byte[2]}};
    }
    codes[0x2212] = codes[0xFF0D];
    check_encode("EUC-JP", codes, CODE_POINTS);
    free(codes);
}

/* The encoder is stateful: one character a call, so every code point of
 * another state than ASCII is wrapped in two switches. */
static void check_iso_2022_jp(int32_t c, const unsigned char jis[2])
{
    char utf8[8], wanted[32];
    struct str text = {utf8, put_utf8(c, utf8)};
    struct buf got;

    if (jis[0])
        snprintf(wanted, sizeof(wanted), "\x1B$B%c%c\x1B(B", jis[0], jis[1]);
    else if (c == 0xA5 || c == 0x203E)
        snprintf(wanted, sizeof(wanted), "\x1B(J%c\x1B(B",
                 c == 0xA5 ? '\\' : '~');
    else
        snprintf(wanted, sizeof(wanted), "%%26%%23%d%%3B", (int)c);

    buf_init(&got, 64);
    charset_encode_query((void *)find("iso-2022-jp"), text, &got);
    if (!str_eq(buf_str(&got), str_of(wanted))) {
        print_bytes("expected", str_of(wanted));
        print_bytes("got", buf_str(&got));
        fail_msg("ISO-2022-JP: U+%04X encoded wrong", (unsigned)c);
    }
    buf_release(&got);
}

static void iso_2022_jp(void **state)
{
    struct suite *suite = *state;

    if (!suite->indexes)
        skip();
    unsigned char(*jis)[2] = calloc(0x10000, sizeof(*jis));
    assert_non_null(jis);
    struct index jis0208 = load(suite, "jis0208");
    struct index katakana = load(suite, "iso-2022-jp-katakana");
    for (size_t p = 0; p < 94 * 94; p++) {
        unsigned char lead = (unsigned char)(0x21 + p / 94);
        unsigned char trail = (unsigned char)(0x21 + p % 94);
        int32_t c = lookup(&jis0208, p);
        /* Back to ASCII, so that the sequence is not an empty one. */
        unsigned char byte[] = {0x1B, '$', 'B', lead, trail};
        check_decode("ISO-2022-JP", byte, sizeof(byte), c);
        if (c != NONE && !jis[c][0])
            memcpy(jis[c], (unsigned char[]){lead, trail}, 2);
    }
    memcpy(jis[0x2212], jis[0xFF0D], 2);
    for (size_t i = 0; i < 63; i++) {
        unsigned char byte[] = {0x1B, '(', 'I', (unsigned char)(0x21 + i)};
        check_decode("ISO-2022-JP", byte, sizeof(byte), 0xFF61 + (int32_t)i);
        memcpy(jis[0xFF61 + i], jis[lookup(&katakana, i)], 2);
    }
    for (int32_t c = 0x80; c < 0x10000; c++)
        if (c < 0xD800 || c > 0xDFFF)
            check_iso_2022_jp(c, jis[c]);
    free(jis);
}

/* As the URL standard encodes a query of a special scheme. */
static void percent_encode(struct str bytes, struct buf *out)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        if (c <= ' ' || c > '~' || strchr("\"#<>'", c))
            buf_printf(out, "%%%02X", c);
        else
            buf_put_char(out, (char)c);
    }
}

static void query_encoding(void **state)
{
    struct suite *suite = *state;
    const struct json *rows =
        conformance_json("url/percent-encoding.json", &suite->arena);
    size_t count = 0;

    if (!rows)
        skip();
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *outputs = json_get(json_at(rows, i), "output");
        struct str input = json_str(json_get(json_at(rows, i), "input"));
        for (size_t o = 0; o < json_count(outputs); o++, count++) {
            const struct json *output = json_at(outputs, o);
            struct buf bytes, got;
            buf_init(&bytes, 256);
            buf_init(&got, 256);
            assert_true(charset_encode_query((void *)find(output->name.ptr),
                                             input, &bytes));
            percent_encode(buf_str(&bytes), &got);
            if (!str_eq(buf_str(&got), json_str(output)))
                fail_msg("%s in %s: expected %s, got %s", input.ptr,
                         output->name.ptr, json_str(output).ptr,
                         buf_cstr(&got));
            buf_release(&bytes);
            buf_release(&got);
        }
    }
    assert_int_equal(count, 16);
}

static int setup(void **state)
{
    struct suite *suite = calloc(1, sizeof(*suite));

    if (!suite)
        return 1;
    arena_init(&suite->arena);
    suite->indexes = conformance_json("encoding/indexes.json", &suite->arena);
    *state = suite;
    return 0;
}

static int teardown(void **state)
{
    struct suite *suite = *state;

    arena_release(&suite->arena);
    free(suite);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),         cmocka_unit_test(single_byte),
        cmocka_unit_test(big5),           cmocka_unit_test(euc_kr),
        cmocka_unit_test(gb18030),        cmocka_unit_test(shift_jis),
        cmocka_unit_test(euc_jp),         cmocka_unit_test(iso_2022_jp),
        cmocka_unit_test(query_encoding),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
