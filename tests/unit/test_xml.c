#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/link_lines.h"

#define HTML "<html xmlns='http://www.w3.org/1999/xhtml'>"
#define STRICT                                                                 \
    "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' "                \
    "'http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd'>"

/* The links, and at last "base x" where there is a base. */
static void list_links(struct buf *out, const struct html_links *links)
{
    link_lines_put(out, links);
    if (links->info.base.ptr)
        buf_printf(out, "%sbase %.*s", links->count ? "\n" : "",
                   (int)links->info.base.len, links->info.base.ptr);
}

struct row {
    const char *page, *links;
};

static void check_links(struct str page, const char *expected,
                        struct str http_charset, bool want_text)
{
    const struct html_scan_options options = {
        .http_charset = http_charset,
        .want_text = want_text,
        .is_xhtml = true,
    };
    struct html_links links;
    struct arena arena;
    struct buf got;

    arena_init(&arena);
    buf_init(&got, 1 << 20);
    html_scan(&links, &arena, page, &options);
    list_links(&got, &links);
    if (!str_eq(buf_str(&got), str_of(expected)))
        fail_msg("input: %.*s\nexpected:\n%s\ngot:\n%.*s", (int)page.len,
                 page.ptr, expected, (int)got.len, got.ptr);
    buf_release(&got);
    arena_release(&arena);
}

static void check_rows(const struct row *rows, size_t count, bool want_text)
{
    for (size_t i = 0; i < count; i++)
        check_links(str_of(rows[i].page), rows[i].links, STR(""), want_text);
}

/* ---- what gives links -------------------------------------------------- */

static const struct row kind_rows[] = {
    {"", ""},
    {HTML "<a href='x'/></html>", "a x"},
    {HTML "<a href='x' rel='next up'/></html>", "a x rel=next up"},
    {HTML "<a href=''/><a/><a name='y'/></html>", "a "},
    {HTML "<map><area href='x'/></map></html>", "area x"},
    {HTML "<link rel='next' href='x'/><link href='y'/></html>",
     "link x rel=next"},
    {HTML "<frameset><frame src='x'/></frameset></html>", "frame x"},
    {HTML "<iframe src='x'/><iframe src=''/></html>", "iframe x"},
    {HTML "<iframe src='x' srcdoc=''/></html>", ""},
    {HTML "<meta http-equiv='Refresh' content='0; url=x'/></html>",
     "refresh x"},
    {HTML "<base href='b'/><base href='c'/><a href='x'/></html>",
     "a x\nbase b"},
    /* Without content and without raw text. */
    {HTML "<script src='x.js'/><a href='x'/></html>", "a x"},
    {HTML "<title/><a href='x'/></html>", "a x"},
    {HTML "<textarea/><style/><iframe/><xmp/><a href='x'/></html>", "a x"},
    {HTML "<script><a href='x'/></script></html>", "a x"},
    {HTML "<title>t<a href='x'/></title></html>", "a x"},
    {HTML "<iframe><a href='x'/></iframe></html>", "a x"},
    {HTML "<plaintext><a href='x'/></plaintext></html>", "a x"},
    {HTML "<noscript><a href='x'/></noscript></html>", "a x"},
    {HTML "<select><a href='x'/></select></html>", "a x"},
    {HTML "<template><a href='x'/></template><a href='y'/></html>", "a y"},
    {HTML "<template><template/><a href='x'/></template><a href='y'/></html>",
     "a y"},
    /* Comments, processing instructions and CDATA have no markup. */
    {HTML "<!-- <a href='x'/> --><?p <a href='x'/> ?><![CDATA[<a href='x'/>]]>"
          "<a href='y'/></html>",
     "a y"},
    {HTML
     "<script><![CDATA[ '<a href=\"x\"/>' ]]></script><a href='y'/></html>",
     "a y"},
    /* Names have a case. */
    {HTML "<A href='x'/><a HREF='y'/><a Href='z'/></html>", ""},
};

static void kinds(void **state)
{
    (void)state;
    check_rows(kind_rows, ARRAY_LEN(kind_rows), false);
}

static const struct row namespace_rows[] = {
    {"<html><a href='x'/></html>", ""},
    {"<html xmlns='http://www.w3.org/1999/XHTML'><a href='x'/></html>", ""},
    {"<html xmlns=' http://www.w3.org/1999/xhtml'><a href='x'/></html>", ""},
    {"<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:a href='x'/>"
     "<a href='y'/></h:html>",
     "a x"},
    {"<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:a h:href='x'/>"
     "</h:html>",
     ""},
    {"<feed><div xmlns='http://www.w3.org/1999/xhtml'><a href='x'/></div>"
     "<a href='y'/></feed>",
     "a x"},
    {HTML "<p xmlns=''><a href='x'/></p><a href='y'/></html>", "a y"},
    {HTML "<p xmlns='urn:x'><a href='x'/></p><a href='y'/></html>", "a y"},
    {HTML "<p xmlns:q='http://www.w3.org/1999/xhtml'><q:a href='x'/></p>"
          "<q:a href='y'/></html>",
     "a x"},
    {HTML "<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg></html>",
     "a x"},
    {HTML "<svg xmlns='http://www.w3.org/2000/svg' "
          "xmlns:l='http://www.w3.org/1999/xlink'><a l:href='x'/>"
          "<a href='y' l:href='z'/><area href='n'/></svg></html>",
     "a x\na y"},
    {HTML "<svg><a xlink:href='x'/></svg></html>", ""},
    {HTML "<math xmlns='http://www.w3.org/1998/Math/MathML'><a href='x'/>"
          "</math></html>",
     ""},
    {"<:a xmlns='http://www.w3.org/1999/xhtml' href='x'/>", ""},
    {"<xmlns xmlnsx='http://www.w3.org/1999/xhtml'><a href='x'/></xmlns>", ""},
    {"<very-long-prefix-of-a-name:a href='x' "
     "xmlns:very-long-prefix-of-a-name='http://www.w3.org/1999/xhtml'/>",
     ""},
    /* A prefix that nobody declared is no error. */
    {HTML "<fb:like x:y='z'/><q:a href='x'/><a:b:c/><a href='y'/></html>",
     "a y"},
    {HTML "<p xmlns:fb='urn:x'><fb:a href='x'/></p><a href='y'/></html>",
     "a y"},
};

static void namespaces(void **state)
{
    (void)state;
    check_rows(namespace_rows, ARRAY_LEN(namespace_rows), false);
}

static const struct row text_rows[] = {
    {HTML "<a href='x'> some <b>bold</b>\n text </a> after</html>",
     "a x text=some bold text"},
    {HTML "<a href='x'>a&amp;b<![CDATA[<c>]]></a></html>", "a x text=a&b<c>"},
    {HTML "<a href='x'>a<script>s</script><style>t</style>b</a></html>",
     "a x text=ab"},
    {HTML "<a href='x'>a<template>t</template>b</a></html>", "a x text=ab"},
    {HTML "<a href='x'>a<a href='y'>b</a>c</a></html>",
     "a x text=a\na y text=b"},
    {HTML "<a href='x'>a<p>b", "a x text=ab"},
};

static void texts(void **state)
{
    (void)state;
    check_rows(text_rows, ARRAY_LEN(text_rows), true);
}

/* ---- entities ---------------------------------------------------------- */

static const struct row entity_rows[] = {
    {HTML "<a href='?a=1&amp;b=&lt;&gt;&quot;&apos;&#x41;&#66;'/></html>",
     "a ?a=1&b=<>\"'AB"},
    {STRICT HTML "<a href='caf&eacute;&nbsp;&Alpha;'/>&hearts;&euro;</html>",
     "a caf\xc3\xa9\xc2\xa0\xce\x91"},
    {STRICT HTML "<a href='&amp;&lt;&nvlt;&LT;&AMP;'/></html>",
     "a &<<\xe2\x83\x92<&"},
    {"<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML Basic 1.0//EN' 'x'>" HTML
     "<a href='&copy;'/></html>",
     "a \xc2\xa9"},
    /* What the page declares itself. */
    {"<!DOCTYPE html [<!ENTITY e 'x&#233;'>]>" HTML
     "<a href='&e;&e;'>&e;</a></html>",
     "a x\xc3\xa9x\xc3\xa9"},
    {"<!DOCTYPE html [<!ATTLIST a href CDATA 'x'>]>" HTML
     "<a/><a href='y'/></html>",
     "a x\na y"},
    /* Files are never read. */
    {"<!DOCTYPE html SYSTEM '/etc/passwd' [<!ENTITY e SYSTEM '/etc/passwd'>"
     "<!ENTITY % p SYSTEM '/etc/passwd'> %p;]>" HTML
     "<p>&e;</p><a href='x'/></html>",
     "a x"},
    /* Not known: as a browser has it, the page ends there ... */
    {"<!DOCTYPE html>" HTML "<a href='x'/>&nbsp;<a href='y'/></html>", "a x"},
    {HTML "<a href='x'/><a href='&eacute;'/><a href='y'/></html>", "a x"},
    {"<?xml version='1.0' standalone='yes'?>" STRICT HTML
     "<a href='x'/>&nbsp;<a href='y'/></html>",
     "a x"},
    /* ... but where a DTD that nobody reads may have declared it. */
    {"<!DOCTYPE html SYSTEM 'x.dtd'>" HTML
     "<a href='x'/>&e;<a href='y'/></html>",
     "a x\na y"},
};

static void entities(void **state)
{
    (void)state;
    check_rows(entity_rows, ARRAY_LEN(entity_rows), false);
}

/* ---- not well-formed --------------------------------------------------- */

static const struct row broken_rows[] = {
    {HTML "<a href='x'/><br></html><a href='y'/>", "a x"},
    {HTML "<a href='x'/><br></p><a href='y'/></html>", "a x"},
    {HTML "<a href='x'/><a href=y/><a href='z'/></html>", "a x"},
    {HTML "<a href='x'/><a href/></html>", "a x"},
    {HTML "<a href='x'/><a href='y' href='z'/></html>", "a x"},
    {HTML "<a href='x'/>a & b<a href='y'/></html>", "a x"},
    {HTML "<a href='x'/><a href='y'", "a x"},
    {HTML "<a href='x'/></html><html/><a href='y'/>", "a x"},
    {HTML "<a href='x'/><!-- -- --><a href='y'/></html>", "a x"},
    {" <?xml version='1.0'?>" HTML "<a href='x'/></html>", ""},
    {"<a href=x>", ""},
    {"text", ""},
};

static void links_before_the_first_error_count(void **state)
{
    static const char nul[] = HTML "<a href='x'/>\0<a href='y'/></html>";

    (void)state;
    check_rows(broken_rows, ARRAY_LEN(broken_rows), false);
    check_links((struct str){nul, sizeof(nul) - 1}, "a x", STR(""), false);
}

/* ---- encodings --------------------------------------------------------- */

static void encodings(void **state)
{
#define XML(encoding) "<?xml version='1.0' encoding='" encoding "'?>"
    static const struct {
        struct str page;
        const char *http_charset, *links;
    } cases[] = {
        {STR_INIT(HTML "<a href='\xc3\xa9'/></html>"), "", "a \xc3\xa9"},
        {STR_INIT(HTML "<a href='\xe9'/></html>"), "", "a \xef\xbf\xbd"},
        {STR_INIT(XML("iso-8859-1") HTML "<a href='\xe9'/></html>"), "",
         "a \xc3\xa9"},
        {STR_INIT(XML("koi8-r") HTML "<a href='\xc1'/></html>"), "",
         "a \xd0\xb0"},
        {STR_INIT(XML("shift_jis") HTML "<a href='\x83\x5c'/></html>"), "",
         "a \xe3\x82\xbd"},
        {STR_INIT(XML("nonsense") HTML "<a href='\xc3\xa9'/></html>"), "",
         "a \xc3\xa9"},
        {STR_INIT(XML("koi8-r") HTML "<a href='\xe9'/></html>"), "iso-8859-1",
         "a \xc3\xa9"},
        {STR_INIT("\xef\xbb\xbf" XML("koi8-r") HTML
                  "<a href='\xc3\xa9'/></html>"),
         "iso-8859-1", "a \xc3\xa9"},
        {STR_INIT("\xff\xfe<\0a\0 \0x\0m\0l\0n\0s\0=\0'\0h\0t\0t\0p\0:\0/\0/\0"
                  "w\0w\0w\0.\0w\0003\0.\0o\0r\0g\0/\0001\0009\0009\0009\0/\0"
                  "x\0h\0t\0m\0l\0'\0 \0h\0r\0e\0f\0=\0'\0\xe9\0'\0/\0>\0"),
         "", "a \xc3\xa9"},
        /* Elements say nothing of it. */
        {STR_INIT(HTML "<meta charset='koi8-r'/><a href='\xc3\xa9'/></html>"),
         "", "a \xc3\xa9"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check_links(cases[i].page, cases[i].links,
                    str_of(cases[i].http_charset), false);
}

static void robots_rules(void **state)
{
    const struct html_scan_options options = {.is_xhtml = true};
    struct html_links links;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    html_scan(
        &links, &arena,
        STR(HTML "<meta name='ROBOTS' content='noindex, noarchive'/></html>"),
        &options);
    assert_true(links.info.noindex);
    assert_false(links.info.nofollow);
    assert_true(links.info.noarchive);
    arena_release(&arena);
}

/* ---- hostile ----------------------------------------------------------- */

/* `before`, then `piece` up to a length, then `after`. */
static struct str repeat(struct buf *page, const char *before,
                         const char *piece, const char *after, size_t len)
{
    buf_clear(page);
    buf_put(page, str_of(before));
    while (page->len < len)
        buf_put(page, str_of(piece));
    buf_put(page, str_of(after));
    return buf_str(page);
}

#define BOMB                                                                   \
    "<!DOCTYPE html [<!ENTITY a 'aaaaaaaaaa'>"                                 \
    "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"                             \
    "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"                             \
    "<!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"                             \
    "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'>"                             \
    "<!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>]>"

static void pages_that_ask_for_too_much_end_there(void **state)
{
    static const struct {
        const char *before, *piece, *after, *links;
    } cases[] = {
        {BOMB HTML, "<a href='&f;'/>", "</html>", ""},
        {BOMB HTML, "&f;", "</html>", ""},
        {"<!DOCTYPE html [<!ENTITY % a '&#37;b;'><!ENTITY % b "
         "'&#37;a;'>]>" HTML,
         "<a href='x'/>", "</html>", ""},
        {"<!DOCTYPE html [<!ENTITY a '<p/>'>]>" HTML, "&a;", "</html>", ""},
        {"<!DOCTYPE html [<!ENTITY a '", "a",
         "'>]>" HTML
         "<a href='x'/><p t='&a;&a;&a;&a;&a;&a;'/><a href='y'/></html>",
         "a x"},
        {"<!DOCTYPE html [<!ATTLIST p ", "a",
         " CDATA 'x'>]>" HTML "<a href='x'/></html>", "a x"},
        {"<!DOCTYPE html [", "<!ATTLIST p a CDATA 'x'>",
         "]>" HTML "<a href='x'/></html>", ""},
        {HTML "<a href='x'/><p xmlns:q='", "q", "'><a href='y'/></p></html>",
         "a x\na y"},
        {HTML "<a href='x'/>",
         "<p xmlns=''><q xmlns='http://www.w3.org/1999/xhtml'>",
         "<a href='y'/></html>", "a x"},
        {HTML "<a href='x'/>", "<p>", "", "a x"},
        {HTML "<a href='x'/><p ", "a", "='b'/><a href='y'/></html>",
         "a x\na y"},
        {HTML "<a href='x'/><!-- ", "- ", "--><a href='y'/></html>",
         "a x\na y"},
    };
    struct buf page;

    (void)state;
    buf_init(&page, 8 << 20);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check_links(repeat(&page, cases[i].before, cases[i].piece,
                           cases[i].after, 1 << 20),
                    cases[i].links, STR(""), false);
    buf_release(&page);
}

/* 0.75 MB that the entity would make 500 MB. */
static void what_an_entity_makes_larger_is_bounded(void **state)
{
    const struct html_scan_options options = {.is_xhtml = true};
    struct html_links links;
    struct arena arena;
    struct buf page;

    (void)state;
    buf_init(&page, 4 << 20);
    arena_init(&arena);
    buf_put(&page, STR("<!DOCTYPE html [<!ENTITY a '"));
    for (size_t i = 0; i < 1000; i++)
        buf_put(&page, STR("0123456789"));
    buf_put(&page, STR("'>]>" HTML));
    for (size_t i = 0; i < 50000; i++)
        buf_put(&page, STR("<a href='&a;'/>"));
    buf_put(&page, STR("</html>"));
    html_scan(&links, &arena, buf_str(&page), &options);
    assert_true(links.count > 0 && links.count < 50000);
    assert_true(arena.used < 8 * page.len + (4 << 20));
    arena_release(&arena);
    buf_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(namespaces),
        cmocka_unit_test(texts),
        cmocka_unit_test(entities),
        cmocka_unit_test(links_before_the_first_error_count),
        cmocka_unit_test(encodings),
        cmocka_unit_test(robots_rules),
        cmocka_unit_test(pages_that_ask_for_too_much_end_there),
        cmocka_unit_test(what_an_entity_makes_larger_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
