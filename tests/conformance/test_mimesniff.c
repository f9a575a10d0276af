/* The suites of the MIME Sniffing standard: 1,133 values and 46 signatures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "html/charset.h"
#include "page/mime.h"
#include "support/conformance.h"

#define TYPES "mimesniff/mime-types/resources/"

struct suite {
    struct arena arena;
    unsigned rows, failed;
};

static void check(struct suite *suite, struct str input, const char *what,
                  struct str want, struct str got)
{
    if (str_eq(want, got))
        return;
    suite->failed++;
    printf("%s of \"%.*s\": want \"%.*s\", got \"%.*s\"\n", what,
           (int)input.len, input.ptr, (int)want.len, want.ptr, (int)got.len,
           got.ptr);
}

/* The suite's strings are characters, a header is bytes: one each. A string
 * that a header cannot have is left as it is. */
static struct str as_bytes(struct suite *suite, struct str utf8)
{
    char *out = arena_new(&suite->arena, utf8.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < utf8.len; i++) {
        unsigned char c = (unsigned char)utf8.ptr[i];
        if (c > 0xc3)
            return utf8;
        if (c >= 0x80)
            c = (unsigned char)(c << 6 | ((unsigned char)utf8.ptr[++i] & 0x3f));
        out[len++] = (char)c;
    }
    return (struct str){out, len};
}

static bool is_in(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(names[i], name))
            return true;
    return false;
}

static void put_lower(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        buf_put_char(out, ascii_lower(s.ptr[i]));
}

static void put_quoted(struct buf *out, struct str value)
{
    bool is_token = value.len > 0;

    for (size_t i = 0; i < value.len; i++)
        is_token = is_token && (ascii_is_alnum(value.ptr[i]) ||
                                strchr("!#$%&'*+-.^_`|~", value.ptr[i]));
    if (is_token) {
        buf_put(out, value);
        return;
    }
    buf_put_char(out, '"');
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '"' || value.ptr[i] == '\\')
            buf_put_char(out, '\\');
        buf_put_char(out, value.ptr[i]);
    }
    buf_put_char(out, '"');
}

/* Written as the standard writes a type (4.5). */
static void serialize(const struct mime *mime, struct buf *out)
{
    struct mime_parameters at = mime_parameters(mime);
    struct mime_parameter parameter;
    struct str names[16];
    size_t count = 0;

    put_lower(out, mime->essence);
    while (mime_parameters_next(&at, &parameter)) {
        struct buf value;

        if (is_in(names, count, parameter.name))
            continue;
        assert_true(count < ARRAY_LEN(names));
        names[count++] = parameter.name;
        buf_init(&value, 4096);
        assert_true(mime_parameter_put(&parameter, &value));
        buf_put_char(out, ';');
        put_lower(out, parameter.name);
        buf_put_char(out, '=');
        put_quoted(out, buf_str(&value));
        buf_release(&value);
    }
}

static void check_encoding(struct suite *suite, struct str input,
                           const struct mime *mime, const struct json *want)
{
    struct buf label;

    if (!want)
        return;
    buf_init(&label, 4096);
    mime_put_charset(mime, &label);
    const struct charset *charset = charset_find(buf_str(&label));
    check(suite, input, "encoding", json_str(want),
          charset ? charset_name(charset) : STR(""));
    buf_release(&label);
}

/* Has a character that no header can carry: its bytes would be three valid
 * ones. */
static bool is_impossible(struct str input)
{
    return str_eq(input, STR("x/x;test=\xef\xbf\xbd;x=x"));
}

static void parse_row(struct suite *suite, const struct json *row)
{
    struct str text = json_str(json_get(row, "input"));
    struct str input = as_bytes(suite, text);
    const struct json *output = json_get(row, "output");
    struct mime mime;
    struct buf out;

    suite->rows++;
    if (is_impossible(text))
        return;
    buf_init(&out, 8192);
    bool parsed = mime_parse(&mime, input);
    serialize(&mime, &out);
    check(suite, input, "type", as_bytes(suite, json_str(output)),
          buf_str(&out));
    check(suite, input, "success",
          json_is(output, JSON_NULL) ? STR("0") : STR("1"),
          parsed ? STR("1") : STR("0"));
    check(suite, input, "essence", str_cut(json_str(output), ';').head,
          str_cut(buf_str(&out), ';').head);
    check_encoding(suite, input, &mime, json_get(row, "encoding"));
    buf_release(&out);
}

/* Of the standard's groups a crawler knows one; XHTML, which they do not
 * count as HTML, is a page here. */
static void group_row(struct suite *suite, const struct json *row)
{
    struct str input = json_str(json_get(row, "input"));
    const struct json *groups = json_get(row, "groups");
    struct str essence = mime_essence(input);
    bool is_html = str_eq(essence, STR("application/xhtml+xml"));

    suite->rows++;
    for (size_t i = 0; i < json_count(groups); i++)
        is_html |= str_eq(json_str(json_at(groups, i)), STR("HTML"));
    check(suite, input, "essence", str_cut(input, ';').head, essence);
    check(suite, input, "page", is_html ? STR("yes") : STR("no"),
          mime_is_html(essence) ? STR("yes") : STR("no"));
}

/* The minimised type is text/html for nothing else; a crawler has no use for
 * the others. */
static void minimized_row(struct suite *suite, const struct json *row,
                          const char *name)
{
    struct str input = json_str(json_get(row, "input"));
    bool is_html = str_eq(json_str(json_get(row, name)), STR("text/html"));

    check(suite, input, "minimised type", is_html ? STR("text/html") : STR(""),
          str_eq_nocase(mime_essence(input), STR("text/html"))
              ? STR("text/html")
              : STR(""));
}

static void each_row(struct suite *suite, const char *file,
                     void (*run)(struct suite *, const struct json *))
{
    const struct json *rows = conformance_json(file, &suite->arena);

    for (size_t i = 0; i < json_count(rows); i++)
        if (json_is(json_at(rows, i), JSON_OBJECT)) /* else a heading */
            run(suite, json_at(rows, i));
}

static void type_row(struct suite *suite, const struct json *row)
{
    parse_row(suite, row);
    minimized_row(suite, row, "minimizedMIMEType");
}

static void only_minimized_row(struct suite *suite, const struct json *row)
{
    suite->rows++;
    minimized_row(suite, row, "output");
}

static void types(void **state)
{
    struct suite suite = {0};

    (void)state;
    arena_init(&suite.arena);
    each_row(&suite, TYPES "mime-types.json", type_row);
    each_row(&suite, TYPES "generated-mime-types.json", parse_row);
    each_row(&suite, TYPES "mime-groups.json", group_row);
    each_row(&suite, TYPES "mime-types-minimized.json", only_minimized_row);
    arena_release(&suite.arena);
    if (!suite.rows)
        skip();
    printf("mime-types: %u rows, 1 that no header can carry\n", suite.rows);
    assert_int_equal(suite.failed, 0);
    assert_int_equal(suite.rows, 1133);
}

/* ---- signatures -------------------------------------------------------- */

/* "3C 21 TT": bytes; TT is a blank here, and '>' at the second try. */
static struct str pattern_bytes(struct suite *suite, struct str hex,
                                char terminator)
{
    char *out = arena_new(&suite->arena, hex.len);
    size_t len = 0;

    for (size_t i = 0; i + 1 < hex.len; i += 3) {
        if (hex.ptr[i] == 'T')
            out[len++] = terminator;
        else
            out[len++] =
                (char)(hex_value(hex.ptr[i]) << 4 | hex_value(hex.ptr[i + 1]));
    }
    return (struct str){out, len};
}

static enum mime_family family_of(const struct json *row)
{
    struct str section = json_str(json_get(row, "section"));
    struct str type = json_str(json_get(row, "type"));

    if (str_eq(section, STR("Matching an image type pattern")))
        return MIME_FAMILY_IMAGE;
    if (str_eq(section, STR("Matching an audio or video type pattern")))
        return MIME_FAMILY_AUDIO_VIDEO;
    if (str_eq(section, STR("Matching an archive type pattern")))
        return MIME_FAMILY_ARCHIVE;
    if (str_eq(section, STR("Matching a font type pattern")))
        return MIME_FAMILY_FONT;
    return str_eq(type, STR("text/plain")) ||
                   str_eq(type, STR("application/postscript"))
               ? MIME_FAMILY_TEXT
               : MIME_FAMILY_SCRIPTABLE;
}

/* What the mask lets through may be anything, what it does not may not. */
static void signature(struct suite *suite, const struct json *row,
                      char terminator)
{
    enum mime_family family = family_of(row);
    struct str name = json_str(json_get(row, "pattern"));
    struct str pattern = pattern_bytes(suite, name, terminator);
    struct str mask =
        pattern_bytes(suite, json_str(json_get(row, "mask")), '\xff');
    struct str type = json_str(json_get(row, "type"));
    bool skips_space =
        !str_eq(json_str(json_get(row, "leading_ignored")), STR("None."));
    char bytes[64];

    memcpy(bytes, " ", 1);
    struct str exact = {bytes + 1, pattern.len};
    struct str indented = {bytes, pattern.len + 1};
    for (size_t i = 0; i < pattern.len; i++)
        bytes[i + 1] = (char)(pattern.ptr[i] | (~mask.ptr[i] & 0x20));

    check(suite, name, "match", type, mime_match(family, exact));
    check(suite, name, "match after a blank", skips_space ? type : STR(""),
          mime_match(family, indented));
    if (family != MIME_FAMILY_FONT)
        check(suite, name, "sniffed type", type, mime_sniff(exact, false));
    exact.len--;
    /* That one needs no terminator: see mime_sniff. */
    if (!str_starts(exact, STR("<!--")))
        check(suite, name, "match but the last byte", STR(""),
              mime_match(family, exact));
    exact.len++;
    for (size_t i = 0; i < pattern.len; i++) {
        bytes[i + 1] ^= 1;
        bool counts = (mask.ptr[i] & 1) && !str_starts(exact, STR("<!--"));
        check(suite, name, "match with a wrong bit", counts ? STR("") : type,
              mime_match(family, exact));
        bytes[i + 1] ^= 1;
    }
}

static void signatures(void **state)
{
    struct suite suite = {0};

    (void)state;
    arena_init(&suite.arena);
    const struct json *rows = json_get(
        conformance_json("mimesniff/sniff_signatures.json", &suite.arena),
        "signatures");
    for (size_t i = 0; i < json_count(rows); i++) {
        suite.rows++;
        signature(&suite, json_at(rows, i), ' ');
        signature(&suite, json_at(rows, i), '>');
    }
    arena_release(&suite.arena);
    if (!suite.rows)
        skip();
    printf("sniff_signatures.json: %u signatures\n", suite.rows);
    assert_int_equal(suite.failed, 0);
    assert_int_equal(suite.rows, 46);
}

static void whole_cases(void **state)
{
    struct suite suite = {0};

    (void)state;
    arena_init(&suite.arena);
    const struct json *rows = json_get(
        conformance_json("mimesniff/sniff_signatures.json", &suite.arena),
        "go_cases");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        struct str hex = json_str(json_get(row, "hex"));
        char *bytes = arena_new(&suite.arena, hex.len / 2 + 1);

        suite.rows++;
        for (size_t at = 0; at + 1 < hex.len; at += 2)
            bytes[at / 2] = (char)(hex_value(hex.ptr[at]) << 4 |
                                   hex_value(hex.ptr[at + 1]));
        check(&suite, json_str(json_get(row, "name")), "sniffed type",
              json_str(json_get(row, "type")),
              mime_sniff((struct str){bytes, hex.len / 2}, false));
    }
    arena_release(&suite.arena);
    if (!suite.rows)
        skip();
    printf("sniff_signatures.json: %u whole cases\n", suite.rows);
    assert_int_equal(suite.failed, 0);
    assert_int_equal(suite.rows, 11);
}

/* Files of the platform tests. What they are without a type. */
static void files(void **state)
{
    static const struct {
        const char *path;
        struct str type;
    } rows[] = {
        {"mimesniff/media/resources/mp4.mp4", STR_INIT("video/mp4")},
        {"mimesniff/media/resources/webm.webm", STR_INIT("video/webm")},
        {"mimesniff/media/resources/ogg.ogg", STR_INIT("application/ogg")},
        {"mimesniff/media/resources/wav.wav", STR_INIT("audio/wave")},
        {"mimesniff/media/resources/mp3-with-id3.mp3", STR_INIT("audio/mpeg")},
        /* The standard says audio/mpeg; mime_sniff does not tell. */
        {"mimesniff/media/resources/mp3-raw.mp3",
         STR_INIT("application/octet-stream")},
        {"mimesniff/media/resources/flac.flac",
         STR_INIT("application/octet-stream")},
        {"mimesniff/sniffing/resources/png-image.png", STR_INIT("image/png")},
        {"mimesniff/sniffing/resources/html-content.html",
         STR_INIT("text/html")},
        {"mimesniff/sniffing/resources/binary-data.bin",
         STR_INIT("application/zip")},
        {"mimesniff/sniffing/support/html-comment", STR_INIT("text/html")},
        {"mimesniff/sniffing/support/rss.html", STR_INIT("text/plain")},
    };
    struct suite suite = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf bytes;

        buf_init(&bytes, 16 << 20);
        if (conformance_read(rows[i].path, &bytes)) {
            suite.rows++;
            check(&suite, str_of(rows[i].path), "sniffed type", rows[i].type,
                  mime_sniff(buf_str(&bytes), false));
        }
        buf_release(&bytes);
    }
    if (!suite.rows)
        skip();
    assert_int_equal(suite.failed, 0);
    assert_int_equal(suite.rows, ARRAY_LEN(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(signatures),
        cmocka_unit_test(whole_cases),
        cmocka_unit_test(files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
