/* Which encoding a page has: the suites of html5lib and html-encoding-sniffer,
 * both of the HTML standard's prescan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "web/charset.h"

/* These have a declaration inside of a script or a style. The prescan of the
 * standard takes it, as it does not know such elements; browsers do not (see
 * in-script and in-style below). (Nor is scripted/tests1.dat run, which needs a
 * script engine.) */
static bool is_in_raw_text(struct str data)
{
    return memmem(data.ptr, data.len, "<script", 7) ||
           memmem(data.ptr, data.len, "<style", 6);
}

static void html5lib(const char *path, size_t cases, size_t exceptions)
{
    struct buf file;
    size_t count = 0, differ = 0;

    buf_init(&file, 1 << 20);
    if (!conformance_read(path, &file))
        skip();
    struct str rest = buf_str(&file);
    while (rest.len) {
        const char *mark = memmem(rest.ptr, rest.len, "#encoding\n", 10);
        if (!mark || !str_starts(rest, STR("#data\n")))
            fail_msg("%s: not a test at: %.60s", path, rest.ptr);
        struct str data = str_between(rest.ptr + 6, mark);
        struct str tail = str_skip(rest, (size_t)(mark + 10 - rest.ptr));
        struct str name = str_cut(tail, '\n').head;
        size_t bom_len;
        const struct charset *got =
            charset_sniff(data, (struct str){0}, false, &bom_len);

        if (got != charset_find(name)) {
            if (!is_in_raw_text(data))
                fail_msg("%.*s\nexpected %.*s, got %s", (int)data.len, data.ptr,
                         (int)name.len, name.ptr, got->name.ptr);
            differ++;
        }
        count++;
        rest = str_skip(tail, name.len);
        while (rest.len && rest.ptr[0] == '\n')
            rest = str_skip(rest, 1);
    }
    assert_int_equal(count, cases);
    assert_int_equal(differ, exceptions);
    buf_release(&file);
}

static void html5lib_tests1(void **state)
{
    (void)state;
    html5lib("html5lib/encoding/tests1.dat", 59, 3);
}

static void html5lib_tests2(void **state)
{
    (void)state;
    html5lib("html5lib/encoding/tests2.dat", 22, 0);
}

static void html5lib_yahoo(void **state)
{
    (void)state;
    html5lib("html5lib/encoding/test-yahoo-jp.dat", 1, 0);
}

static void sniffer(void **state)
{
    static const struct {
        const char *file, *expected;
    } cases[] = {
        {"bom/UTF-16BE.html", "UTF-16BE"},
        {"bom/UTF-16LE.html", "UTF-16LE"},
        {"bom/UTF-8.html", "UTF-8"},
        {"no-result/http-equiv-refresh_windows-1252.html", "windows-1252"},
        {"no-result/no-indicators_windows-1252.html", "windows-1252"},
        {"normal/charset-bracket_UTF-8.html", "UTF-8"},
        {"normal/charset-short-comment_ISO-8859-2.html", "ISO-8859-2"},
        {"normal/charset-x-user-defined_windows-1252.html", "windows-1252"},
        {"normal/charset_KOI8-R.html", "KOI8-R"},
        {"normal/http-equiv-no-quotes_ISO-8859-5.html", "ISO-8859-5"},
        {"normal/http-equiv-second-charset_ISO-8859-2.html", "ISO-8859-2"},
        {"normal/http-equiv-trailing-space_ISO-8859-2.html", "ISO-8859-2"},
        {"normal/http-equiv_windows-874.html", "windows-874"},
        {"utf/charset-utf-16.html", "UTF-8"},
        {"utf/charset-utf-16be.html", "UTF-8"},
        {"utf/charset-utf-16le.html", "UTF-8"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char path[160];
        struct buf file;
        size_t bom_len;

        snprintf(path, sizeof(path),
                 "encoding/html-encoding-sniffer/test/fixtures/%s",
                 cases[i].file);
        buf_init(&file, 1 << 20);
        if (!conformance_read(path, &file))
            skip();
        const struct charset *got =
            charset_sniff(buf_str(&file), (struct str){0}, false, &bom_len);
        if (!str_eq(got->name, str_of(cases[i].expected)))
            fail_msg("%s: got %s", cases[i].file, got->name.ptr);
        buf_release(&file);
    }
}

static void read_wpt_page(const char *name, struct buf *file)
{
    char path[160];

    snprintf(path, sizeof(path),
             "encoding/wpt-charset/html/syntax/charset/%s.html", name);
    buf_init(file, 1 << 20);
    if (!conformance_read(path, file))
        skip();
}

/* Where a page looks like its reference, its declaration was taken. */
static void wpt_reftests(void **state)
{
    static const char *const pages[] = {
        "after-1kb",
        "after-bogus-after-1kb",
        "after-bogus",
        "after-head-after-1kb-crlf",
        "after-head-after-1kb",
        "after-head-in-1kb-crlf",
        "after-head-in-1kb",
        "baseline",
        "document-write",
        "in-comment",
        "in-noscript-after-template-after-1kb",
        "in-object",
        "in-script",
        "in-style",
        "in-svg-in-cdata",
        "in-svg",
        "in-template-after-1kb",
        "in-template",
        "in-title",
        "ncr",
        "non-ascii-in-comment-before",
        "non-ascii-in-title-before",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
        struct buf file;
        size_t bom_len;

        read_wpt_page(pages[i], &file);
        struct str page = buf_str(&file);
        bool is_match = memmem(page.ptr, page.len, "rel=\"match\"", 11);
        const struct charset *got =
            charset_sniff(page, (struct str){0}, false, &bom_len);
        const char *expected = is_match ? "windows-1251" : "windows-1252";
        if (!str_eq(got->name, str_of(expected)))
            fail_msg("%s: got %s", pages[i], got->name.ptr);
        buf_release(&file);
    }
}

/* Pages that ask in a script what their encoding is. */
static void wpt_scripted(void **state)
{
    static const struct {
        const char *page, *expected;
    } cases[] = {
        {"meta-charset-double-quotes", "ISO-8859-5"},
        {"meta-charset-no-quotes", "ISO-8859-5"},
        {"meta-charset-single-quotes", "ISO-8859-5"},
        {"meta-commented-out", "windows-1252"},
        {"meta-http-equiv-attribute-order", "ISO-8859-5"},
        {"meta-http-equiv-double-quotes", "ISO-8859-5"},
        {"meta-http-equiv-no-quotes", "ISO-8859-5"},
        {"meta-http-equiv-single-quotes", "ISO-8859-5"},
        {"inheritance-bogus-meta-utf-8", "UTF-8"},
        {"inheritance-bogus-meta", "windows-1253"},
        {"resources/bogus-charset", "windows-1252"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf file;
        size_t bom_len;

        read_wpt_page(cases[i].page, &file);
        const struct charset *got =
            charset_sniff(buf_str(&file), (struct str){0}, false, &bom_len);
        if (!str_eq(got->name, str_of(cases[i].expected)))
            fail_msg("%s: got %s", cases[i].page, got->name.ptr);
        buf_release(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html5lib_tests1), cmocka_unit_test(html5lib_tests2),
        cmocka_unit_test(html5lib_yahoo),  cmocka_unit_test(sniffer),
        cmocka_unit_test(wpt_reftests),    cmocka_unit_test(wpt_scripted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
