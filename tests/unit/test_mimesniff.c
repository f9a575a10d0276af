/* MIME types: parsing by hand-made values, and what first bytes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/mime.h"

static bool same(const char *what, struct str input, struct str want,
                 struct str got)
{
    if (str_eq(want, got))
        return true;
    print_error("%s of \"%.*s\": want \"%.*s\", got \"%.*s\"\n", what,
                (int)input.len, input.ptr, (int)want.len, want.ptr,
                (int)got.len, got.ptr);
    return false;
}

static void values(void **state)
{
    static const struct {
        struct str value, essence, charset;
        bool has_charset;
    } rows[] = {
        {STR_INIT("text/html"), STR_INIT("text/html"), STR_INIT(""), false},
        {STR_INIT("\t Text/HTML ;Charset=UTF-8 \r\n"), STR_INIT("Text/HTML"),
         STR_INIT("UTF-8"), true},
        {STR_INIT("text/html;charset=\"a\\\"b\\\\c\"junk;charset=z"),
         STR_INIT("text/html"), STR_INIT("a\"b\\c"), true},
        {STR_INIT("text/html;charset=\"\""), STR_INIT("text/html"),
         STR_INIT(""), true},
        {STR_INIT("text/html;charset=;charset=x"), STR_INIT("text/html"),
         STR_INIT("x"), true},
        {STR_INIT("text/html;charset=\"a\\"), STR_INIT("text/html"),
         STR_INIT("a\\"), true},
        {STR_INIT("text/html;x=\";charset=y\";charset=z"),
         STR_INIT("text/html"), STR_INIT("z"), true},
        {STR_INIT("text/html;charset=a\x01;charset=b"), STR_INIT("text/html"),
         STR_INIT("b"), true},
        {STR_INIT("text/html;charset=a\x7f;charset=b"), STR_INIT("text/html"),
         STR_INIT("b"), true},
        {STR_INIT("text/html;;;"), STR_INIT("text/html"), STR_INIT(""), false},
        {STR_INIT("text/html, text/html"), STR_INIT(""), STR_INIT(""), false},
        {STR_INIT("text/html\f"), STR_INIT(""), STR_INIT(""), false},
        {STR_INIT("text"), STR_INIT(""), STR_INIT(""), false},
        {STR_INIT("/html"), STR_INIT(""), STR_INIT(""), false},
        {STR_INIT("text/"), STR_INIT(""), STR_INIT(""), false},
        {STR_INIT("te\0xt/html"), STR_INIT(""), STR_INIT(""), false},
        {STR_INIT(""), STR_INIT(""), STR_INIT(""), false},
        {{NULL, 0}, STR_INIT(""), STR_INIT(""), false},
    };
    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mime mime;
        struct buf charset;

        buf_init(&charset, 64);
        bool parsed = mime_parse(&mime, rows[i].value);
        bool has_charset = mime_put_charset(&mime, &charset);
        failed += !same("essence", rows[i].value, rows[i].essence,
                        mime_essence(rows[i].value));
        failed +=
            !same("charset", rows[i].value, rows[i].charset, buf_str(&charset));
        failed += parsed != (rows[i].essence.len > 0) ||
                  has_charset != rows[i].has_charset;
        buf_release(&charset);
    }
    assert_int_equal(failed, 0);
}

static void no_room_for_a_value(void **state)
{
    struct mime mime;
    struct buf out;

    (void)state;
    buf_init(&out, 3);
    assert_true(buf_put_char(&out, '!'));
    assert_true(mime_parse(&mime, STR("a/b;charset=\"x\\yz\"")));
    assert_false(mime_put_charset(&mime, &out));
    assert_true(str_eq(buf_str(&out), STR("!")));
    assert_true(mime_parse(&mime, STR("a/b;charset=\"\\xy\"")));
    assert_true(mime_put_charset(&mime, &out));
    assert_true(str_eq(buf_str(&out), STR("!xy")));
    buf_release(&out);
}

static void verdicts(void **state)
{
    static const struct {
        struct str value;
        enum mime_verdict verdict;
    } rows[] = {
        {STR_INIT("text/html"), MIME_PAGE},
        {STR_INIT("TEXT/HTML; charset=x"), MIME_PAGE},
        {STR_INIT("application/xhtml+xml"), MIME_PAGE},
        {STR_INIT("text/plain"), MIME_OTHER},
        {STR_INIT("text/xml"), MIME_OTHER},
        {STR_INIT("application/octet-stream"), MIME_OTHER},
        {STR_INIT("text/html5"), MIME_OTHER},
        {{NULL, 0}, MIME_SNIFF},
        {STR_INIT(""), MIME_SNIFF},
        {STR_INIT("html"), MIME_SNIFF},
        {STR_INIT("*/*"), MIME_SNIFF},
        {STR_INIT("Unknown/Unknown; x=y"), MIME_SNIFF},
        {STR_INIT("application/UNKNOWN"), MIME_SNIFF},
        {STR_INIT("text/unknown"), MIME_OTHER},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum mime_verdict got = mime_verdict(mime_essence(rows[i].value));
        if (got != rows[i].verdict)
            fail_msg("%.*s: want %d, got %d", (int)rows[i].value.len,
                     rows[i].value.ptr, (int)rows[i].verdict, (int)got);
    }
}

#define HTML  STR_INIT("text/html")
#define PLAIN STR_INIT("text/plain")
#define OCTET STR_INIT("application/octet-stream")

static void sniffed(void **state)
{
    static const struct {
        struct str bytes, essence, nosniff;
    } rows[] = {
        {STR_INIT(""), PLAIN, PLAIN},
        {STR_INIT("<html>"), HTML, PLAIN},
        {STR_INIT("\n\t\f\r <HtMl lang=en>"), HTML, PLAIN},
        {STR_INIT("<html"), PLAIN, PLAIN},
        {STR_INIT("<html\nlang=en>"), PLAIN, PLAIN},
        {STR_INIT("<htmlx>"), PLAIN, PLAIN},
        {STR_INIT("<p>"), HTML, PLAIN},
        {STR_INIT("<pre>"), PLAIN, PLAIN},
        {STR_INIT("<!doctype html>"), HTML, PLAIN},
        {STR_INIT("<!doctype  html>"), PLAIN, PLAIN},
        {STR_INIT("<!--x"), HTML, PLAIN},
        {STR_INIT("<!-"), PLAIN, PLAIN},
        {STR_INIT("text <html>"), PLAIN, PLAIN},
        {STR_INIT("\v<html>"), OCTET, OCTET},
        {STR_INIT("<html>\0"), HTML, OCTET},
        {STR_INIT("\xef\xbb\xbf<html>"), PLAIN, PLAIN},
        {STR_INIT("\xff\xfe<\0h\0"), PLAIN, PLAIN},
        {STR_INIT("<?xml version='1.0'?><html>"), STR_INIT("text/xml"), PLAIN},
        {STR_INIT("<?XML"), PLAIN, PLAIN},
        {STR_INIT("%PDF-1.7"), STR_INIT("application/pdf"), PLAIN},
        {STR_INIT(" %PDF-1.7"), PLAIN, PLAIN},
        {STR_INIT("\x1b[1mtext"), PLAIN, PLAIN},
        {STR_INIT("text\x7f\x80\xff"), PLAIN, PLAIN},
        {STR_INIT("text\x1c"), OCTET, OCTET},
        {STR_INIT("BMW is a car"), STR_INIT("image/bmp"),
         STR_INIT("image/bmp")},
        {STR_INIT("RIFF1234WAVE"), STR_INIT("audio/wave"),
         STR_INIT("audio/wave")},
        {STR_INIT("RIFF1234WAV"), PLAIN, PLAIN},
        /* A font is not looked for: "LP" at 34 would be one. */
        {STR_INIT("0123456789012345678901234567890123LP"), PLAIN, PLAIN},
        {STR_INIT("\0\0\0\x14"
                  "ftypisom\0\0\0\0mp42"),
         STR_INIT("video/mp4"), STR_INIT("video/mp4")},
        {STR_INIT("\0\0\0\x18"
                  "ftypisom\0\0\0\0mp42"),
         OCTET, OCTET},
        {STR_INIT("\0\0\0\x10"
                  "ftypisom\0\0\0\0mp42"),
         OCTET, OCTET},
        {STR_INIT("\0\0\0\x15"
                  "ftypmp42\0\0\0\0mp42\0"),
         OCTET, OCTET},
        {STR_INIT("\xff\xff\xff\xfc"
                  "ftypmp42"),
         PLAIN, PLAIN},
        {STR_INIT("\x1a\x45\xdf\xa3\x42\x82\x84webm"), STR_INIT("video/webm"),
         STR_INIT("video/webm")},
        {STR_INIT("\x1a\x45\xdf\xa3\x42\x82\x84\0\0webm"),
         STR_INIT("video/webm"), STR_INIT("video/webm")},
        {STR_INIT("\x1a\x45\xdf\xa3\x42\x82\x88matroska"), OCTET, OCTET},
        {STR_INIT("\x1a\x45\xdf\xa3\x42\x82\x84web"), OCTET, OCTET},
        {STR_INIT("\x1a\x45\xdf\xa3\x42\x82"), OCTET, OCTET},
    };
    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        failed += !same("type", rows[i].bytes, rows[i].essence,
                        mime_sniff(rows[i].bytes, false));
        failed += !same("type, nosniff,", rows[i].bytes, rows[i].nosniff,
                        mime_sniff(rows[i].bytes, true));
    }
    assert_int_equal(failed, 0);
}

static void only_the_first_bytes(void **state)
{
    char bytes[MIME_SNIFF_LEN + 8];

    (void)state;
    memset(bytes, ' ', sizeof(bytes));
    memcpy(bytes + MIME_SNIFF_LEN - 6, "<html>", 6);
    bytes[MIME_SNIFF_LEN] = '\0';
    struct str all = {bytes, sizeof(bytes)};
    assert_true(same("type", STR("late <html>"), STR("text/html"),
                     mime_sniff(all, false)));
    assert_true(same("type", STR("blanks, then a NUL beyond the limit"),
                     STR("text/plain"), mime_sniff(all, true)));
    bytes[MIME_SNIFF_LEN - 1] = '\0';
    assert_true(same("type", STR("blanks and a NUL"),
                     STR("application/octet-stream"), mime_sniff(all, true)));
}

static void answers(void **state)
{
    static const struct {
        struct str value, bytes, essence;
        bool nosniff;
    } rows[] = {
        {{NULL, 0}, STR_INIT("<html>"), HTML, false},
        {{NULL, 0}, STR_INIT("<html>"), PLAIN, true},
        {STR_INIT("*/*"), STR_INIT("<html>"), HTML, false},
        {STR_INIT("text/html"), STR_INIT("\0"), HTML, false},
        {STR_INIT("text/html"), STR_INIT("<rss>"), HTML, false},
        {STR_INIT("text/plain"), STR_INIT("<html>"), PLAIN, false},
        {STR_INIT("text/plain"), STR_INIT("<html>\0"), OCTET, false},
        {STR_INIT("text/plain"), STR_INIT("<html>\0"), PLAIN, true},
        {STR_INIT("text/plain"), STR_INIT("\xfe\xff\0"), PLAIN, false},
        {STR_INIT("text/plain; charset=UTF-8"), STR_INIT("\0"), OCTET, false},
        {STR_INIT("text/plain;charset=UTF-8"), STR_INIT("\0"), PLAIN, false},
        {STR_INIT("image/png"), STR_INIT("<html>"), STR_INIT("image/png"),
         false},
        {STR_INIT("application/octet-stream"), STR_INIT("<html>"), OCTET,
         false},
    };
    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        failed += !same(
            "type of the answer", rows[i].value, rows[i].essence,
            mime_of_answer(rows[i].value, rows[i].nosniff, rows[i].bytes));
    assert_int_equal(failed, 0);
}

static void after_a_byte_order_mark(void **state)
{
    (void)state;
    assert_true(mime_sniffs_as_html(STR("\xef\xbb\xbf <html>")));
    assert_false(mime_sniffs_as_html(STR("\xef\xbb\xbf <?xml?>")));
    assert_false(mime_sniffs_as_html(STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(no_room_for_a_value),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(sniffed),
        cmocka_unit_test(only_the_first_bytes),
        cmocka_unit_test(answers),
        cmocka_unit_test(after_a_byte_order_mark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
