/* The suites of the MIME Sniffing standard: 1,133 values and 46 signatures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

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

/* Only what comes before the parameters is looked at. */
static void essence_row(struct suite *suite, const struct json *row)
{
    struct str input = json_str(json_get(row, "input"));
    struct str want = str_cut(json_str(json_get(row, "output")), ';').head;
    struct str got = mime_essence(input);

    suite->rows++;
    check(suite, input, "essence", want, str_eq_nocase(want, got) ? want : got);
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
          mime_verdict(essence) == MIME_PAGE ? STR("yes") : STR("no"));
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
    essence_row(suite, row);
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
    each_row(&suite, TYPES "generated-mime-types.json", essence_row);
    each_row(&suite, TYPES "mime-groups.json", group_row);
    each_row(&suite, TYPES "mime-types-minimized.json", only_minimized_row);
    arena_release(&suite.arena);
    if (!suite.rows)
        skip();
    printf("mime-types: %u rows\n", suite.rows);
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

static void sniff(struct suite *suite, struct str name, const char *what,
                  bool want, struct str bytes)
{
    check(suite, name, what, want ? STR("html") : STR("other"),
          mime_sniffs_as_html(bytes) ? STR("html") : STR("other"));
}

/* Bits that the mask leaves out may be anything, the others may not. */
static void signature(struct suite *suite, const struct json *row,
                      char terminator)
{
    struct str name = json_str(json_get(row, "pattern"));
    struct str pattern = pattern_bytes(suite, name, terminator);
    struct str mask =
        pattern_bytes(suite, json_str(json_get(row, "mask")), '\xff');
    bool is_html = str_eq(json_str(json_get(row, "type")), STR("text/html"));
    char bytes[64];

    memcpy(bytes, " ", 1);
    struct str exact = {bytes + 1, pattern.len};
    struct str indented = {bytes, pattern.len + 1};
    for (size_t i = 0; i < pattern.len; i++)
        bytes[i + 1] = (char)(pattern.ptr[i] | (~mask.ptr[i] & 0x20));

    sniff(suite, name, "match", is_html, exact);
    sniff(suite, name, "match after a blank", is_html, indented);
    /* "<!--" needs no terminator: see mime_sniffs_as_html. */
    if (!is_html || str_starts(exact, STR("<!--")))
        return;
    sniff(suite, name, "match but the last byte", false,
          str_first(exact, exact.len - 1));
    for (size_t i = 0; i < pattern.len; i++) {
        bytes[i + 1] ^= 1;
        sniff(suite, name, "match with a wrong bit", !(mask.ptr[i] & 1), exact);
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
        sniff(&suite, json_str(json_get(row, "name")), "whole case",
              str_eq(json_str(json_get(row, "type")), STR("text/html")),
              (struct str){bytes, hex.len / 2});
    }
    arena_release(&suite.arena);
    if (!suite.rows)
        skip();
    printf("sniff_signatures.json: %u whole cases\n", suite.rows);
    assert_int_equal(suite.failed, 0);
    assert_int_equal(suite.rows, 11);
}

/* Files of the platform tests. */
static void files(void **state)
{
    static const struct {
        const char *path;
        bool is_html;
    } rows[] = {
        {"mimesniff/media/resources/mp4.mp4", false},
        {"mimesniff/sniffing/resources/png-image.png", false},
        {"mimesniff/sniffing/resources/html-content.html", true},
        {"mimesniff/sniffing/resources/binary-data.bin", false},
        {"mimesniff/sniffing/support/html-comment", true},
        {"mimesniff/sniffing/support/rss.html", false},
    };
    struct suite suite = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf bytes;

        buf_init(&bytes, 16 << 20);
        if (conformance_read(rows[i].path, &bytes)) {
            suite.rows++;
            sniff(&suite, str_of(rows[i].path), "file", rows[i].is_html,
                  buf_str(&bytes));
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
