#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/mime.h"

static void essences(void **state)
{
    static const struct {
        struct str value, essence;
    } rows[] = {
        {STR_INIT("text/html"), STR_INIT("text/html")},
        {STR_INIT("\t Text/HTML ;Charset=UTF-8 \r\n"), STR_INIT("Text/HTML")},
        {STR_INIT("text/html;;;"), STR_INIT("text/html")},
        {STR_INIT("text/html, text/html"), STR_INIT("")},
        {STR_INIT("text/html\f"), STR_INIT("")},
        {STR_INIT("text"), STR_INIT("")},
        {STR_INIT("/html"), STR_INIT("")},
        {STR_INIT("text/"), STR_INIT("")},
        {STR_INIT("te\0xt/html"), STR_INIT("")},
        {STR_INIT(""), STR_INIT("")},
        {{NULL, 0}, STR_INIT("")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str got = mime_essence(rows[i].value);
        if (!str_eq(got, rows[i].essence))
            fail_msg("%.*s: want %s, got %.*s", (int)rows[i].value.len,
                     rows[i].value.ptr, rows[i].essence.ptr, (int)got.len,
                     got.ptr);
    }
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

static void sniffed(void **state)
{
    static const struct {
        struct str bytes;
        bool is_html;
    } rows[] = {
        {STR_INIT(""), false},
        {STR_INIT("<html>"), true},
        {STR_INIT("\n\t\f\r <HtMl lang=en>"), true},
        {STR_INIT("<html"), false},
        {STR_INIT("<html\nlang=en>"), false},
        {STR_INIT("<htmlx>"), false},
        {STR_INIT("<p>"), true},
        {STR_INIT("<pre>"), false},
        {STR_INIT("<!doctype html>"), true},
        {STR_INIT("<!doctype  html>"), false},
        {STR_INIT("<!--x"), true},
        {STR_INIT("<!-"), false},
        {STR_INIT("text <html>"), false},
        {STR_INIT("\v<html>"), false},
        {STR_INIT("<html>\0"), true},
        {STR_INIT("\xff\xfe<\0h\0"), false},
        {STR_INIT("<?xml version='1.0'?><html>"), false},
        {STR_INIT("%PDF-1.7"), false},
        {STR_INIT("\xef\xbb\xbf <html>"), true},
        {STR_INIT("\xef\xbb\xbf <?xml?>"), false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (mime_sniffs_as_html(rows[i].bytes) != rows[i].is_html)
            fail_msg("%.*s", (int)rows[i].bytes.len, rows[i].bytes.ptr);
}

static void only_the_first_bytes(void **state)
{
    char bytes[MIME_SNIFF_LEN + 8];
    struct str all = {bytes, sizeof(bytes)};

    (void)state;
    memset(bytes, ' ', sizeof(bytes));
    memcpy(bytes + MIME_SNIFF_LEN - 6, "<html>", 6);
    assert_true(mime_sniffs_as_html(all));
    memset(bytes, ' ', sizeof(bytes));
    memcpy(bytes + MIME_SNIFF_LEN - 5, "<html>", 6);
    assert_false(mime_sniffs_as_html(all));
}

static void lists_of_types(void **state)
{
    static const struct {
        const char *list;
        struct str essence;
        bool has;
    } rows[] = {
        {"html", STR_INIT("text/html"), false},
        {"html", STR_INIT(""), false},
        {"pdf", STR_INIT("application/pdf"), true},
        {"pdf", STR_INIT("Application/PDF"), true},
        {"pdf", STR_INIT("application/pdfx"), false},
        {"html, pdf , text", STR_INIT("text/plain"), true},
        {"text", STR_INIT("text/css"), false},
        {"text/*", STR_INIT("text/css"), true},
        {"text/*", STR_INIT("textual/css"), false},
        {"image", STR_INIT("image/png"), true},
        {"Image/PNG", STR_INIT("image/png"), true},
        {"image/svg+xml", STR_INIT("image/svg"), false},
        {"audio,video", STR_INIT("video/mp4"), true},
        {"audio,video", STR_INIT(""), false},
        {"all", STR_INIT("a/b"), true},
        {"*/*", STR_INIT(""), true},
    };
    static const char *const bad[] = {
        "", ",", "pdf,", "PDF", "*", "*/x", "a*/b", "a/b*", "a/", "/b", "a b/c",
    };
    struct mime_list list;
    struct arena arena;
    struct str word;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_true(
            mime_list_parse(&list, str_of(rows[i].list), &arena, &word));
        if (mime_list_has(&list, rows[i].essence) != rows[i].has)
            fail_msg("%s: %s", rows[i].list, rows[i].essence.ptr);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (mime_list_parse(&list, str_of(bad[i]), &arena, &word))
            fail_msg("'%s' is taken", bad[i]);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(essences),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(sniffed),
        cmocka_unit_test(only_the_first_bytes),
        cmocka_unit_test(lists_of_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
