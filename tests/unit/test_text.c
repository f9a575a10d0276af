#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/text.h"

/* All names and many numbers are in the html5lib suite; here is what ends a
 * reference, and where the rules for text and for attributes part. */
static const struct {
    const char *input;
    size_t text_len, attribute_len; /* 0: not a reference */
    const char *utf8;
} rows[] = {
    {"&amp;x", 5, 5, "&"},
    {"&amp", 4, 4, "&"},
    {"&amp=", 4, 0, "&"},
    {"&ampx", 4, 0, "&"},
    {"&amp1", 4, 0, "&"},
    {"&amp-", 4, 4, "&"},
    {"&amp;=", 5, 5, "&"},
    {"&AMP;", 5, 5, "&"},
    {"&Amp;", 0, 0, ""},
    {"&copy=2", 5, 0, "\xc2\xa9"},
    {"&notit;", 4, 0, "\xc2\xac"},
    {"&notin;", 7, 7, "\xe2\x88\x89"},
    {"&nGt;", 5, 5, "\xe2\x89\xab\xe2\x83\x92"},
    {"&CounterClockwiseContourIntegral;", 33, 33, "\xe2\x88\xb3"},
    {"&CounterClockwiseContourIntegral", 0, 0, ""},
    {"&CounterClockwiseContourIntegralx;", 0, 0, ""},
    {"&ltaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;", 3, 0, "<"},
    {"&there4;", 8, 8, "\xe2\x88\xb4"},
    {"&hopf", 0, 0, ""},
    {"&zz;", 0, 0, ""},
    {"&", 0, 0, ""},
    {"&;", 0, 0, ""},
    {"& amp;", 0, 0, ""},
    {"&1;", 0, 0, ""},
    {"&#65;", 5, 5, "A"},
    {"&#65", 4, 4, "A"},
    {"&#65x", 4, 4, "A"},
    {"&#65=", 4, 4, "A"},
    {"&#x41;", 6, 6, "A"},
    {"&#X41;", 6, 6, "A"},
    {"&#x4a;", 6, 6, "J"},
    {"&#x4G;", 4, 4, "\x04"},
    {"&#", 0, 0, ""},
    {"&#;", 0, 0, ""},
    {"&#x", 0, 0, ""},
    {"&#x;", 0, 0, ""},
    {"&#xg;", 0, 0, ""},
    {"&#a;", 0, 0, ""},
    {"&#0;", 4, 4, "\xef\xbf\xbd"},
    {"&#128;", 6, 6, "\xe2\x82\xac"},
    {"&#x9f;", 6, 6, "\xc5\xb8"},
    {"&#x81;", 6, 6, "\xc2\x81"},
    {"&#xd7ff;", 8, 8, "\xed\x9f\xbf"},
    {"&#xd800;", 8, 8, "\xef\xbf\xbd"},
    {"&#xdfff;", 8, 8, "\xef\xbf\xbd"},
    {"&#xe000;", 8, 8, "\xee\x80\x80"},
    {"&#xffff;", 8, 8, "\xef\xbf\xbf"},
    {"&#x10ffff;", 10, 10, "\xf4\x8f\xbf\xbf"},
    {"&#x110000;", 10, 10, "\xef\xbf\xbd"},
    {"&#4294967361;", 13, 13, "\xef\xbf\xbd"},
    {"&#x100000000000000041;", 22, 22, "\xef\xbf\xbd"},
    {"&#00000000000000000000065;", 26, 26, "A"},
    {"&#13;", 5, 5, "\r"},
};

static void check(const char *input, bool in_attribute, size_t len,
                  const char *utf8)
{
    struct html_reference ref = html_reference(str_of(input), in_attribute);
    struct str got = {ref.utf8, ref.utf8_len};

    if (ref.len != len || (len && !str_eq(got, str_of(utf8))))
        fail_msg("%s (%s): expected %zu bytes for \"%s\", got %zu for "
                 "\"%.*s\"",
                 input, in_attribute ? "attribute" : "text", len, utf8, ref.len,
                 (int)got.len, got.ptr);
}

static void references(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check(rows[i].input, false, rows[i].text_len, rows[i].utf8);
        check(rows[i].input, true, rows[i].attribute_len, rows[i].utf8);
    }
}

static const struct {
    enum html_text kind;
    struct str raw, meaning;
} texts[] = {
    {HTML_TEXT_DATA, STR_INIT("a&lt;b\r\nc\rd"), STR_INIT("a<b\nc\nd")},
    {HTML_TEXT_DATA, STR_INIT("a\0b"), STR_INIT("a\0b")},
    {HTML_TEXT_DATA, STR_INIT("&copy=1"), STR_INIT("\xc2\xa9=1")},
    {HTML_TEXT_RCDATA, STR_INIT("&lt;\0"), STR_INIT("<\xef\xbf\xbd")},
    {HTML_TEXT_RAW, STR_INIT("&lt;\0\r\r\n"), STR_INIT("&lt;\xef\xbf\xbd\n\n")},
    {HTML_TEXT_CDATA, STR_INIT("&lt;\0\r"), STR_INIT("&lt;\0\n")},
    {HTML_TEXT_VALUE, STR_INIT("?a=1&copy=1&amp;b"), STR_INIT("?a=1&copy=1&b")},
    {HTML_TEXT_VALUE, STR_INIT("\0&&amp;&"), STR_INIT("\xef\xbf\xbd&&&")},
    {HTML_TEXT_VALUE, STR_INIT(""), STR_INIT("")},
};

static void texts_mean(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct buf out;

        buf_init(&out, 3 * texts[i].raw.len);
        assert_true(html_text_put(&out, texts[i].raw, texts[i].kind));
        if (!str_eq(buf_str(&out), texts[i].meaning))
            fail_msg("row %zu: expected \"%.*s\", got \"%.*s\"", i,
                     (int)texts[i].meaning.len, texts[i].meaning.ptr,
                     (int)out.len, out.ptr);
        assert_int_equal(html_text_is_plain(texts[i].raw, texts[i].kind),
                         str_eq(texts[i].raw, texts[i].meaning) &&
                             !memchr(texts[i].raw.ptr, '&', texts[i].raw.len));
        buf_release(&out);
    }
}

static void texts_stop_at_the_cap(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 3);
    assert_false(html_text_put(&out, STR("abc&lt;"), HTML_TEXT_DATA));
    assert_false(html_text_put(&out, STR("abcd"), HTML_TEXT_DATA));
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(texts_mean),
        cmocka_unit_test(texts_stop_at_the_cap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
