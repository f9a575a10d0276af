#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/link_lines.h"
#include "web/charset.h"
#include "web/html.h"

enum { LISTING_CAP = 64 << 20 };

static void check_links(struct str html, struct str expected,
                        const struct html_scan_options *options)
{
    struct html_links links;
    struct arena arena;
    struct buf got;

    arena_init(&arena);
    buf_init(&got, LISTING_CAP);
    html_scan(&links, &arena, html, options);
    link_lines_put(&got, &links);
    if (!str_eq(buf_str(&got), expected))
        fail_msg("input: %.*s\nexpected:\n%.*s\ngot:\n%.*s", (int)html.len,
                 html.ptr, (int)expected.len, expected.ptr, (int)got.len,
                 got.ptr);
    buf_release(&got);
    arena_release(&arena);
}

struct row {
    const char *html, *links;
};

static void check_rows(const struct row *rows, size_t count, bool want_text)
{
    struct html_scan_options options = {.http_charset = STR("utf-8"),
                                        .want_text = want_text};

    for (size_t i = 0; i < count; i++)
        check_links(str_of(rows[i].html), str_of(rows[i].links), &options);
}

/* ---- which links ------------------------------------------------------- */

static const struct row kind_rows[] = {
    {"<a href=x>", "a x"},
    {"<A HREF=x>", "a x"},
    {"<a href='x y'>", "a x y"},
    {"<a\nhref\n=\n\"x\"\n>", "a x"},
    {"<a class=b href=x id=c>", "a x"},
    {"<a href=x href=y>", "a x"},
    {"<a HREF=x href=y>", "a x"},
    {"<a href= x>", "a x"},
    {"<a href=\" x \">", "a  x "},
    {"<a href>", "a "},
    {"<a href=\"\">", "a "},
    {"<a>", ""},
    {"<a name=x>", ""},
    {"<a/href=x>", "a x"},
    {"<a href=x/>", "a x/"},
    {"<a href=\"x\"/>", "a x"},
    {"<a href=x rel=nofollow>", "a x rel=nofollow"},
    {"<a rel='a  b' href=x>", "a x rel=a  b"},
    {"<abbr href=x>", ""},
    {"<a-b href=x>", ""},
    {"<a:b href=x>", ""},
    {"<area href=x rel=y>", "area x rel=y"},
    {"<link href=x>", ""},
    {"<link href=x rel=' '>", ""},
    {"<link rel=icon>", ""},
    {"<link rel=icon href=x>", "link x rel=icon"},
    {"<iframe src=x></iframe>", "iframe x"},
    {"<iframe src=''></iframe><iframe src></iframe>", ""},
    {"<frameset><frame src=x><frame src=y></frameset>", "frame x\nframe y"},
    {"<iframe srcdoc='<p>' src=x></iframe>", ""},
    {"<iframe src=x srcdoc></iframe><a href=y>", "a y"},
    {"<iframe SrcDoc='' src=x></iframe>", ""},
    {"<frameset><frame srcdoc=y src=x>", "frame x"},
    {"<meta http-equiv=refresh content='0; url=x'>", "refresh x"},
    {"<META CONTENT='0; url=x' HTTP-EQUIV=Refresh>", "refresh x"},
    {"<meta http-equiv=refresh content=0>", ""},
    {"<meta http-equiv=refresh>", ""},
    {"<meta content='0; url=x'>", ""},
    {"<img src=x><embed src=x><object data=x><form action=x>", ""},
    {"<a href=1><area href=2><a href=3>", "a 1\narea 2\na 3"},
    {"<a href=x", ""},
    {"<a href=x>y</a", "a x"},
    {"<a href=\"x>y</a>", ""},
    {"<a href=\"x\">\"<a href='y'>'", "a x\na y"},
};

static void kinds(void **state)
{
    (void)state;
    check_rows(kind_rows, ARRAY_LEN(kind_rows), false);
}

/* ---- character references and charsets --------------------------------- */

static const struct row reference_rows[] = {
    {"<a href='?a=1&amp;b=2'>", "a ?a=1&b=2"},
    {"<a href='?a=1&b=2'>", "a ?a=1&b=2"},
    {"<a href='?a=1&copy=2'>", "a ?a=1&copy=2"},
    {"<a href='?a=1&copy;=2'>", "a ?a=1\xc2\xa9=2"},
    {"<a href='&#x68;&#116;tp&colon;&sol;/x'>", "a http://x"},
    {"<a href=&quot;x&quot;>", "a \"x\""},
    {"<a href='a\r\nb\rc'>", "a a\nb\nc"},
    {"<a rel='no&#102;ollow' href=x>", "a x rel=nofollow"},
    {"<meta http-equiv=refresh content='0;url=?a&amp;b'>", "refresh ?a&b"},
    {"<meta http-equiv='&#114;efresh' content='0;x'>", "refresh x"},
    {"<a href='\xc3\xa9'>", "a \xc3\xa9"},
    {"<a href='\xff'>", "a \xef\xbf\xbd"},
    {"<a href='\xc3\xa9&eacute;\xe9'>", "a \xc3\xa9\xc3\xa9\xef\xbf\xbd"},
};

static void references(void **state)
{
    struct html_scan_options options = {.http_charset = STR("utf-8")};

    (void)state;
    check_rows(reference_rows, ARRAY_LEN(reference_rows), false);
    check_links(STR("<a href='a\0b'><a\0 href=x><a href\0=y>"),
                STR("a a\xef\xbf\xbd"
                    "b"),
                &options);
}

static const struct {
    const char *label;
    struct str html;
    const char *links, *charset;
} charset_rows[] = {
    {"", STR_INIT("<a href=\xe9>"), "a \xc3\xa9", "windows-1252"},
    {"", STR_INIT("<meta charset=utf-8><a href=\xc3\xa9>"), "a \xc3\xa9",
     "UTF-8"},
    {"iso-8859-2", STR_INIT("<a href=\xb9>"), "a \xc5\xa1", "ISO-8859-2"},
    {"windows-1251", STR_INIT("<meta charset=utf-8><a href=\xe6>"),
     "a \xd0\xb6", "windows-1251"},
    {"", STR_INIT("\xef\xbb\xbf<a href=\xc3\xa9>"), "a \xc3\xa9", "UTF-8"},
    /* The second byte of these characters is ASCII: a letter, a backslash. */
    {"shift_jis", STR_INIT("<a href='\x83\x41\x95\x5c'>"),
     "a \xe3\x82\xa2\xe8\xa1\xa8", "Shift_JIS"},
    {"gbk", STR_INIT("<a href=\"\xc4\xe3\xba\xc3\">"),
     "a \xe4\xbd\xa0\xe5\xa5\xbd", "GBK"},
    {"", STR_INIT("\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0\xe9\0>\0"), "a \xc3\xa9",
     "UTF-16LE"},
    {"", STR_INIT("\xfe\xff\0<\0a\0 \0h\0r\0e\0f\0=\0\xe9\0>"), "a \xc3\xa9",
     "UTF-16BE"},
    /* Inside of the escape sequences '<' and 'a' are no markup. */
    {"iso-2022-jp", STR_INIT("<a href='\x1b$B$\"\x1b(B'>\x1b$B<a\x1b(B"),
     "a \xe3\x81\x82", "ISO-2022-JP"},
    {"iso-2022-kr", STR_INIT("<a href=x>"), "", "replacement"},
};

static void charsets(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(charset_rows); i++) {
        struct html_scan_options options = {.http_charset =
                                                str_of(charset_rows[i].label)};
        struct html_links links;
        struct arena arena;

        check_links(charset_rows[i].html, str_of(charset_rows[i].links),
                    &options);
        arena_init(&arena);
        html_scan(&links, &arena, charset_rows[i].html, &options);
        struct str name = links.info.charset->name;
        if (!str_eq_nocase(name, str_of(charset_rows[i].charset)))
            fail_msg("row %zu: expected %s, got %.*s", i,
                     charset_rows[i].charset, (int)name.len, name.ptr);
        arena_release(&arena);
    }
}

/* ---- what is a tag ------------------------------------------------------ */

static const struct row place_rows[] = {
    {"<!-- <a href=1> --><a href=2>", "a 2"},
    {"<!--><a href=1><!-- --!><a href=2><!--<a href=3>", "a 1\na 2"},
    {"<title><a href=1></title><a href=2>", "a 2"},
    {"<textarea><a href=1></textarea><a href=2>", "a 2"},
    {"<style><a href=1></style><a href=2>", "a 2"},
    {"<script>'<a href=1>'</script><a href=2>", "a 2"},
    {"<script><!--<script></script><a href=1>--></script><a href=2>", "a 2"},
    {"<xmp><a href=1></xmp><noembed><a href=2></noembed><a href=3>", "a 3"},
    {"<noframes><a href=1></noframes><iframe><a href=2></iframe>", ""},
    {"<noscript><a href=1></noscript><a href=2>", "a 1\na 2"},
    {"<head><noscript><meta http-equiv=refresh content=0;x></noscript>",
     "refresh x"},
    {"<plaintext><a href=1></plaintext><a href=2>", ""},
    {"<title><a href=1>", ""},
    {"<TITLE><a href=1></TiTle ><a href=2>", "a 2"},
    {"<title/><a href=1></title><a href=2>", "a 2"},
    {"<template><a href=1><iframe src=x></iframe></template><a href=2>", "a 2"},
    {"<template><template></template><a href=1></template><a href=2>", "a 2"},
    {"<template><svg></template><a href=2>", "a 2"},
    {"<template><title><a href=1></template></title></template><a href=2>",
     "a 2"},
    {"</template><a href=1>", "a 1"},
    {"<svg><title><a href=1></title></svg>", "a 1"},
    {"<svg><style><a href=1></style></svg>", "a 1"},
    {"<svg><script><a href=1></script></svg>", "a 1"},
    {"<svg><a href=1></a><a xlink:href=2></a></svg>", "a 1\na 2"},
    {"<svg><a xlink:href=1 href=2></a></svg>", "a 2"},
    {"<a xlink:href=1>", ""},
    {"<math><a href=1></a></math>", ""},
    {"<svg><iframe src=1></iframe><area href=2></svg>", ""},
    {"<svg><foreignObject><iframe src=1></iframe></foreignObject></svg>",
     "iframe 1"},
    {"<svg><![CDATA[<a href=1>]]></svg><![CDATA[<a href=2>]]>", ""},
    {"<svg><![CDATA[]]><a href=1></svg><![CDATA[x]><a href=2>", "a 1\na 2"},
    {"<svg/><title><a href=1></title>", ""},
    {"<svg><p><title><a href=1></title>", ""},
    {"<svg><path></svg><title><a href=1></title>", ""},
    {"<svg></p><title><a href=1></title>", ""},
    {"<div><svg><path></div><title><a href=1></title>", ""},
    {"<svg><font color=red><title><a href=1></title>", ""},
    {"<svg><font><title><a href=1></title>", "a 1"},
    {"<math><mi><title><a href=1></title></mi></math>", ""},
    {"<math><mi><mglyph><a href=1></math>", ""},
    {"<math><annotation-xml encoding=text/html><a href=1>", "a 1"},
    {"<math><annotation-xml><a href=1><svg><a href=2>", ""},
    {"<math><annotation-xml><svg><a href=2>", "a 2"},
    {"<select><a href=1></select>", "a 1"},
    {"<table><a href=1><tr><td><a href=2></table>", "a 1\na 2"},
    {"</body></html><a href=1>", "a 1"},
};

static void places(void **state)
{
    (void)state;
    check_rows(place_rows, ARRAY_LEN(place_rows), false);
}

static const struct row frame_rows[] = {
    {"<frameset><frame src=1><a href=2></frameset><a href=3>", "frame 1"},
    {"<frameset><frameset><frame src=1></frameset><frame src=2></frameset>",
     "frame 1\nframe 2"},
    {"<frameset></frameset><frame src=1>", ""},
    {"<frameset><noframes><frame src=1></noframes><frame src=2>", "frame 2"},
    {"<frameset><title><frame src=1></title>", "frame 1"},
    {"<link rel=x href=0><p><a href=1></p><frameset><frame src=2>",
     "link 0 rel=x\nframe 2"},
    {"<body><frameset><frame src=1>", ""},
    {"text<frameset><frame src=1>", ""},
    {"<br><a href=1><frameset><frame src=2>", "a 1"},
    {"<input type=hidden><frameset><frame src=1>", "frame 1"},
    {"<input><frameset><frame src=1>", ""},
    /* Not as browsers do: the frameset was forgotten. */
    {"<frame src=1>", "frame 1"},
    {"<html><head><title>x</title></head><frame src=1>", "frame 1"},
    {"<p>x<frame src=1>", ""},
    {"<svg><frame src=1>", ""},
};

static void frames(void **state)
{
    (void)state;
    check_rows(frame_rows, ARRAY_LEN(frame_rows), false);
}

/* ---- text --------------------------------------------------------------- */

static const struct row text_rows[] = {
    {"<a href=x>y</a>", "a x text=y"},
    {"<a href=x>  y \n z  </a>", "a x text=y z"},
    {"<a href=x>y<b>z</b> u</a>v", "a x text=yz u"},
    {"<a href=x>a &lt; b&nbsp;c</a>", "a x text=a < b\xc2\xa0"
                                      "c"},
    {"<a href=x>\xc3\xa9\xff</a>", "a x text=\xc3\xa9\xef\xbf\xbd"},
    {"<a href=x>y<a href=z>u</a>", "a x text=y\na z text=u"},
    {"<a href=x>y<a>z</a>", "a x text=y"},
    {"<a href=x>y", "a x text=y"},
    {"<a href=x></a>y", "a x"},
    {"<a href=x>a<script>b</script>c<style>d</style>e</a>", "a x text=ace"},
    {"<a href=x>a<!-- b -->c</a>", "a x text=ac"},
    {"<a href=x>a<template>b</a></template>c</a>d", "a x text=ac"},
    {"<a href=x>a<iframe src=y>b</iframe>c</a>", "a x text=ac\niframe y"},
    {"<a href=x>a</>b</a>", "a x text=ab"},
    {"<a href=x>a < b</a>", "a x text=a < b"},
    {"<svg><a href=x>y<![CDATA[&amp;<]]></a>z", "a x text=y&amp;<"},
    {"<area href=x>y", "area x"},
};

static void texts(void **state)
{
    (void)state;
    check_rows(text_rows, ARRAY_LEN(text_rows), true);
}

/* The text of a link over `count` times `part` inside of it. */
static size_t text_len_of(const char *part, size_t count)
{
    struct html_scan_options options = {.http_charset = STR("utf-8"),
                                        .want_text = true};
    struct html_links links;
    struct arena arena;
    struct buf html;

    arena_init(&arena);
    buf_init(&html, LISTING_CAP);
    buf_put(&html, STR("<a href=x>"));
    for (size_t i = 0; i < count; i++)
        buf_put(&html, str_of(part));
    buf_put(&html, STR("</a>"));
    html_scan(&links, &arena, buf_str(&html), &options);
    assert_int_equal(links.count, 1);
    size_t len = links.link[0].text.len;
    buf_release(&html);
    arena_release(&arena);
    return len;
}

static void texts_have_a_cap(void **state)
{
    (void)state;
    assert_int_equal(text_len_of("a", 999), 999);
    assert_int_equal(text_len_of("a", 1000), 1000);
    assert_int_equal(text_len_of("a", 1001), 1000);
    assert_int_equal(text_len_of("a ", 600), 999);
    assert_int_equal(text_len_of("\xe2\x82\xac", 333), 999);
    assert_int_equal(text_len_of("\xe2\x82\xac", 334), 999);
    assert_int_equal(text_len_of("\xe2\x82\xac<b>", 1000), 999);
    assert_int_equal(text_len_of("\xc3\xa9", 600), 1000);
    assert_int_equal(text_len_of("\xf0\x9f\x98\x80", 600), 1000);
    assert_int_equal(text_len_of("a\xf0\x9f\x98\x80", 600), 1000);
    assert_int_equal(text_len_of("ab\xf0\x9f\x98\x80", 600), 998);
    assert_int_equal(text_len_of("   ", 100000), 0);
}

/* ---- the page's own facts ----------------------------------------------- */

static const struct {
    const char *html;
    const char *base; /* NULL: none */
} base_rows[] = {
    {"<a href=x>", NULL},
    {"<base href=x>", "x"},
    {"<base><base target=y><base href=x><base href=z>", "x"},
    {"<base href=''><base href=z>", ""},
    {"<base href='?a&amp;b'>", "?a&b"},
    {"<body><p><base href=x>", "x"},
    {"<template><base href=x></template>", NULL},
    {"<svg><base href=x></svg><base href=y>", "y"},
    {"<title><base href=x></title>", NULL},
    {"<basefont href=x>", NULL},
};

static void bases(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(base_rows); i++) {
        struct html_scan_options options = {.http_charset = STR("utf-8")};
        struct html_links links;
        struct arena arena;

        arena_init(&arena);
        html_scan(&links, &arena, str_of(base_rows[i].html), &options);
        struct str got = links.info.base;
        const char *base = base_rows[i].base;
        if (base ? !got.ptr || !str_eq(got, str_of(base)) : got.ptr != NULL)
            fail_msg("%s: expected %s, got %.*s", base_rows[i].html,
                     base ? base : "none", got.ptr ? (int)got.len : 4,
                     got.ptr ? got.ptr : "none");
        arena_release(&arena);
    }
}

static const struct {
    const char *html;
    bool noindex, nofollow, noarchive;
} robots_rows[] = {
    {"<meta name=robots content=noindex>", true, false, false},
    {"<META NAME=Robots CONTENT='NOINDEX, NoFollow'>", true, true, false},
    {"<meta name=robots content=noindex><meta name=robots content=nofollow>",
     true, true, false},
    {"<meta name=robots content=none><meta name=robots content=all>", true,
     true, false},
    {"<meta name=googlebot content=none>", false, false, false},
    {"<meta name=OurBot content=nofollow>", false, true, false},
    {"<meta name=robots content=noindex><meta name=ourbot content=nofollow>",
     true, true, false},
    {"<meta name='' content=none><meta content=none>", false, false, false},
    {"<body><p>x<meta name=robots content=none>", true, true, false},
    {"<meta http-equiv=robots content=none>", false, false, false},
    {"<meta property=robots content=none>", false, false, false},
    {"<template><meta name=robots content=none></template>", false, false,
     false},
    {"<!--<meta name=robots content=none>-->", false, false, false},
    {"<meta name=robots content='index, noarchive'>", false, false, true},
    {"<meta name=ourbot content=NOARCHIVE>", false, false, true},
    {"<meta name=googlebot content=noarchive>", false, false, false},
    {"<template><meta name=robots content=noarchive></template>", false, false,
     false},
};

static void robots(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(robots_rows); i++) {
        struct html_scan_options options = {.agent = STR("ourbot")};
        struct html_links links;
        struct arena arena;

        arena_init(&arena);
        html_scan(&links, &arena, str_of(robots_rows[i].html), &options);
        if (links.info.noindex != robots_rows[i].noindex ||
            links.info.nofollow != robots_rows[i].nofollow ||
            links.info.noarchive != robots_rows[i].noarchive)
            fail_msg("%s: got noindex %d, nofollow %d, noarchive %d",
                     robots_rows[i].html, links.info.noindex,
                     links.info.nofollow, links.info.noarchive);
        arena_release(&arena);
    }
}

/* ---- too much of everything --------------------------------------------- */

static const struct {
    const char *part, *end;
    size_t times, links;
    size_t beyond;
} floods[] = {
    {"<a href=x>", "", 1000, 1000, 0},
    {"<a href=x>", "", HTML_LINKS_MAX, HTML_LINKS_MAX, 0},
    {"<a href=x>", "", HTML_LINKS_MAX + 7, HTML_LINKS_MAX, 7},
    {"<svg>", "<a href=x>", 500000, 1, 0},
    {"<svg><title>", "<a href=x>", 500000, 1, 0},
    {"<g><svg>", "<a href=x>", 500000, 1, 0},
    {"<svg></svg>", "<title><a href=x></title>", 500000, 0, 0},
    {"<math><mi><p>", "<a href=x>", 200000, 1, 0},
    {"<template>", "<a href=x>", 500000, 0, 0},
    {"<template></template>", "<a href=x>", 500000, 1, 0},
    {"</template></svg></g>", "<a href=x>", 500000, 1, 0},
    {"<frameset>", "<frame src=x>", 500000, 1, 0},
    {"<frame src=x>", "", 1000, 1000, 0},
    {"<svg><font>", "<a href=x>", 300000, 1, 0},
    {"<svg><p>", "<a href=x>", 300000, 1, 0},
    {"<a href='&amp;' rel='&#x'>", "", 90000, 90000, 0},
    {"\0", "<a href=x>", 1000000, 1, 0},
    {"&", "<a href=x>", 1000000, 1, 0},
};

static void survives(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(floods); i++) {
        for (int want_text = 0; want_text < 2; want_text++) {
            struct html_scan_options options = {.http_charset = STR("utf-8"),
                                                .want_text = want_text};
            struct str part = str_of(floods[i].part);
            struct html_links links;
            struct arena arena;
            struct buf html;

            if (!part.len)
                part.len = 1; /* a NUL */
            arena_init(&arena);
            buf_init(&html, LISTING_CAP);
            for (size_t j = 0; j < floods[i].times; j++)
                buf_put(&html, part);
            buf_put(&html, str_of(floods[i].end));
            html_scan(&links, &arena, buf_str(&html), &options);
            if (links.count != floods[i].links ||
                links.beyond != floods[i].beyond)
                fail_msg("%s: expected %zu links and %zu beyond, got %zu, %zu",
                         floods[i].part, floods[i].links, floods[i].beyond,
                         links.count, links.beyond);
            buf_release(&html);
            arena_release(&arena);
        }
    }
}

/* Every beginning of a page is a page. */
static void may_end_anywhere(void **state)
{
    static const struct str page = STR_INIT(
        "<!DOCTYPE html><!-- x --><html><head><title>a &amp; b</title>"
        "<base href='/b/'><meta name=robots content='noindex'><script><!-- "
        "<script> </script> --></script></head><body><svg><![CDATA[x]]><a "
        "xlink:href='s'>t</a></svg><a class=\"c\" href=\"u?a&amp;b\" "
        "rel=nofollow>text</a><template><a href=v></template>&#x41;</body>");
    struct html_scan_options options = {.http_charset = STR("utf-8"),
                                        .want_text = true};

    (void)state;
    for (size_t len = 0; len <= page.len; len++) {
        struct html_links links;
        struct arena arena;
        char *copy = malloc(len ? len : 1); /* reading beyond is noticed */

        memcpy(copy, page.ptr, len);
        arena_init(&arena);
        html_scan(&links, &arena, (struct str){copy, len}, &options);
        assert_true(links.count <= 2);
        if (len == page.len)
            assert_int_equal(links.count, 2);
        arena_release(&arena);
        free(copy);
    }
}

static void may_be_empty(void **state)
{
    static const struct str pages[] = {
        {NULL, 0}, {"", 0}, {"\xef\xbb\xbf", 3}, {"\xff\xfe", 2}};
    struct html_scan_options options = {.want_text = true};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(pages); i++)
        check_links(pages[i], STR(""), &options);
}

static void kinds_have_names(void **state)
{
    (void)state;
    for (int kind = 0; kind < HTML_LINK_KINDS; kind++)
        assert_non_null(html_link_kind_name((enum html_link_kind)kind));
    assert_string_equal(html_link_kind_name(HTML_LINK_KINDS), "unknown");
}

/* --- the meaning of values ----------------------------------------------- */

static const struct {
    const char *content;
    const char *url; /* NULL: none */
} refreshes[] = {
    {"0; url=a.html", "a.html"},
    {"0;url=a.html", "a.html"},
    {"0;URL=a.html", "a.html"},
    {"0,url=a.html", "a.html"},
    {"0 url=a.html", "a.html"},
    {"0;a.html", "a.html"},
    {"0 a.html", "a.html"},
    {"  5 ;  url  =  a.html", "a.html"},
    {"5;\n\turl=a.html", "a.html"},
    {"0; url='a.html'", "a.html"},
    {"0; url=\"a.html\"", "a.html"},
    {"0; url='a.html' x", "a.html"},
    {"0; url='a.html", "a.html"},
    {"0; url='a\"b'", "a\"b"},
    {"0; 'a.html'", "a.html"},
    {"0; \"a.html\"b", "a.html"},
    {"0; url=", ""},
    {"0; url", "url"},
    {"0; u=a.html", "u=a.html"},
    {"0; urlx=a.html", "urlx=a.html"},
    {"0; ul=a.html", "ul=a.html"},
    {"0; url a.html", "url a.html"},
    {"0; a.html ", "a.html "},
    {"0;;url=a", ";url=a"},
    {"1.5; url=a.html", "a.html"},
    {".5; url=a.html", "a.html"},
    {"1...2; url=a.html", "a.html"},
    {"99999999999999999999; url=a.html", "a.html"},
    {"5", NULL},
    {" 5 ", NULL},
    {"5;", NULL},
    {"5; ", NULL},
    {"5,", NULL},
    {"", NULL},
    {" ", NULL},
    {"x", NULL},
    {"-1; url=a.html", NULL},
    {"+1; url=a.html", NULL},
    {"; url=a.html", NULL},
    {"url=a.html", NULL},
    {"5x; url=a.html", NULL},
    {"5s url=a.html", NULL},
};

static void refresh_urls(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refreshes); i++) {
        struct str got = html_refresh_url(str_of(refreshes[i].content));
        const char *url = refreshes[i].url;

        if (url ? !got.ptr || !str_eq(got, str_of(url)) : got.ptr != NULL)
            fail_msg("\"%s\": expected %s, got %.*s", refreshes[i].content,
                     url ? url : "none", got.ptr ? (int)got.len : 4,
                     got.ptr ? got.ptr : "none");
    }
}

static const struct {
    const char *content;
    bool noindex, nofollow, noarchive;
} directives[] = {
    {"noindex", true, false, false},
    {"nofollow", false, true, false},
    {"NoIndex, NoFollow", true, true, false},
    {"noindex,nofollow", true, true, false},
    {" noindex ,\tnofollow ", true, true, false},
    {"noindex nofollow", true, true, false},
    {"none", true, true, false},
    {"NONE,all", true, true, false},
    {"index, follow", false, false, false},
    {"all", false, false, false},
    {"", false, false, false},
    {",,,", false, false, false},
    {"noindexx, xnofollow", false, false, false},
    {"noarchive, max-snippet:-1, nofollow", false, true, true},
    {"NoArchive", false, false, true},
    {"index,noarchive", false, false, true},
    {"noarchives, no archive, archive", false, false, false},
    {"no index", false, false, false},
};

static void robots_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(directives); i++) {
        bool noindex = false, nofollow = false, noarchive = false;

        html_robots_rules(str_of(directives[i].content), &noindex, &nofollow,
                          &noarchive);
        if (noindex != directives[i].noindex ||
            nofollow != directives[i].nofollow ||
            noarchive != directives[i].noarchive)
            fail_msg("\"%s\": got noindex %d, nofollow %d, noarchive %d",
                     directives[i].content, noindex, nofollow, noarchive);
    }
}

static void robots_rules_add_up(void **state)
{
    bool noindex = true, nofollow = false, noarchive = true;

    (void)state;
    html_robots_rules(STR("index, nofollow"), &noindex, &nofollow, &noarchive);
    assert_true(noindex);
    assert_true(nofollow);
    assert_true(noarchive);
}

static void policies(void **state)
{
    static const struct {
        const char *policy;
        bool upgrades;
    } rows[] = {
        {"upgrade-insecure-requests", true},
        {" Upgrade-Insecure-Requests ;", true},
        {"default-src 'self'; upgrade-insecure-requests", true},
        {"default-src 'self';upgrade-insecure-requests;img-src *", true},
        {"default-src 'self', upgrade-insecure-requests", true},
        {"upgrade-insecure-requests 1", true},
        {"", false},
        {";", false},
        {"default-src upgrade-insecure-requests", false},
        {"upgrade-insecure-requests-not", false},
        {"block-all-mixed-content", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (html_policy_upgrades(str_of(rows[i].policy)) != rows[i].upgrades)
            fail_msg("\"%s\"", rows[i].policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(references),
        cmocka_unit_test(charsets),
        cmocka_unit_test(places),
        cmocka_unit_test(frames),
        cmocka_unit_test(texts),
        cmocka_unit_test(texts_have_a_cap),
        cmocka_unit_test(bases),
        cmocka_unit_test(robots),
        cmocka_unit_test(survives),
        cmocka_unit_test(may_end_anywhere),
        cmocka_unit_test(may_be_empty),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(refresh_urls),
        cmocka_unit_test(robots_rules),
        cmocka_unit_test(robots_rules_add_up),
        cmocka_unit_test(policies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
