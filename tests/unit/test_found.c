#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "web/html.h"

/* --- title and ids ------------------------------------------------------- */

#define XHTML "<html xmlns='http://www.w3.org/1999/xhtml'>"

struct page {
    struct arena arena;
    struct html_links links;
};

static void scan(struct page *page, struct str html, bool is_xhtml)
{
    const struct html_scan_options options = {
        .is_xhtml = is_xhtml, .want_title = true, .want_ids = true};

    arena_init(&page->arena);
    html_scan(&page->links, &page->arena, html, &options);
}

static void check_content(struct str html, bool is_xhtml, const char *title,
                          const char *ids)
{
    struct page page;

    scan(&page, html, is_xhtml);
    const struct html_info *info = &page.links.info;
    if (!title != !info->title.ptr ||
        (title && !str_eq(info->title, str_of(title))) ||
        !str_eq(info->ids, str_of(ids)))
        fail_msg("%.*s\ntitle: %.*s\nids: %.*s", STR_ARGS(html),
                 STR_ARGS(info->title), STR_ARGS(info->ids));
    arena_release(&page.arena);
}

static void titles(void **state)
{
    static const struct {
        const char *html, *title;
    } rows[] = {
        {"", NULL},
        {"<p>no title</p>", NULL},
        {"<title></title>", ""},
        {"<title>A page</title>", "A page"},
        {"<TITLE lang=en> \n A\t\tpage &amp; more \r\n</TITLE>",
         "A page & more"},
        {"<title>first</title><title>second</title>", "first"},
        {"<title></title><title>second</title>", ""},
        {"<title>a <b>is</b> no tag here</title>", "a <b>is</b> no tag here"},
        {"<svg><title>of a picture</title></svg><title>of the page</title>",
         "of the page"},
        {"<template><title>inert</title></template><title>yes</title>", "yes"},
        {"<script>'<title>no</title>'</script><title>yes</title>", "yes"},
        {"<!-- <title>no</title> --><body><title>late</title>", "late"},
        {"<title>cut off", "cut off"},
        {"<meta charset=iso-8859-1><title>caf\xe9</title>", "caf\xc3\xa9"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_content(str_of(rows[i].html), false, rows[i].title, "");
}

static void ids(void **state)
{
    static const struct {
        const char *html, *ids;
    } rows[] = {
        {"<p id=a><P ID='b c'><x-y id=\"&eacute;\">", "a\nb c\n\xc3\xa9"},
        {"<a name=n id=i>.</a><p name=none>", "n\ni"},
        {"<p id=a id=b>", "a"},
        {"<p id><p id=''>", ""},
        {"<svg><g id=g></g><a name=no></a></svg>", "g"},
        {"<template><p id=no></template><p id=yes>", "yes"},
        {"<script>'<p id=no>'</script><!--<p id=no>--><p id=yes>", "yes"},
        {"<a href=x><b id=in-a>.</b></a><table><tr><td id=t></table>",
         "in-a\nt"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_content(str_of(rows[i].html), false, NULL, rows[i].ids);
}

static void content_of_xhtml(void **state)
{
    (void)state;
    check_content(STR(XHTML
                      "<head><title> A\n <!-- x -->B </title></head>"
                      "<body id='b'><a name='n'/><p name='no'/></body></html>"),
                  true, "A B", "b\nn");
    check_content(
        STR("<svg xmlns='http://www.w3.org/2000/svg'><title>no</title>"
            "<g id='g'/></svg>"),
        true, NULL, "g");
}

/* A hostile page makes us keep little. */
static void they_are_bounded(void **state)
{
    struct buf html;
    struct page page;

    (void)state;
    buf_init(&html, 16 << 20);
    buf_put(&html, STR("<title>"));
    for (size_t i = 0; i < HTML_TITLE_MAX; i++)
        buf_put(&html, STR("\xe2\x82\xac"));
    buf_put(&html, STR("</title>"));
    for (unsigned i = 0; i < HTML_IDS_MAX + 5; i++)
        buf_printf(&html, "<p id=%u>", i);
    buf_put(&html, STR("<p id=\""));
    for (size_t i = 0; i <= HTML_ID_MAX; i++)
        buf_put_char(&html, 'x');
    buf_put(&html, STR("\"><p id='a\nb'>"));
    scan(&page, buf_str(&html), false);
    assert_int_equal(page.links.info.title.len, HTML_TITLE_MAX / 3 * 3);
    assert_int_equal(page.links.info.ids_beyond, 7);
    assert_true(page.links.info.ids.len < HTML_IDS_BYTES_MAX);
    arena_release(&page.arena);

    buf_clear(&html);
    for (unsigned i = 0; i < 1000; i++)
        buf_printf(&html, "<p id=%0900u>", i);
    scan(&page, buf_str(&html), false);
    assert_true(page.links.info.ids_beyond > 0);
    assert_true(page.links.info.ids.len <= HTML_IDS_BYTES_MAX);
    arena_release(&page.arena);
    buf_release(&html);
}

static void fragments(void **state)
{
    (void)state;
    assert_null(html_fragment(STR("a?b")).ptr);
    assert_true(str_eq(html_fragment(STR("a#")), STR("")));
    assert_true(str_eq(html_fragment(STR("#b#c")), STR("b#c")));
}

/* --- requisites ---------------------------------------------------------- */

enum { LISTING_CAP = 1 << 20 };

static void list_requisites(struct buf *out, const struct html_links *links)
{
    for (size_t i = 0; i < links->requisites; i++)
        buf_printf(out, "%s%s %.*s", i ? "\n" : "",
                   html_requisite_kind_name(links->requisite[i].kind),
                   STR_ARGS(links->requisite[i].href));
}

static void list_links(struct buf *out, const struct html_links *links)
{
    for (size_t i = 0; i < links->count; i++)
        buf_printf(
            out, "%s %.*s %.*s\n", html_link_kind_name(links->link[i].kind),
            STR_ARGS(links->link[i].href), STR_ARGS(links->link[i].text));
}

/* The links of a page are the same, whether requisites are asked for or not. */
static void check_same_links(struct str html, struct html_scan_options options,
                             const struct html_links *with)
{
    struct html_links without;
    struct arena arena;
    struct buf expected, got;

    arena_init(&arena);
    buf_init(&expected, LISTING_CAP);
    buf_init(&got, LISTING_CAP);
    options.want_requisites = false;
    html_scan(&without, &arena, html, &options);
    assert_int_equal(without.requisites, 0);
    list_links(&expected, &without);
    list_links(&got, with);
    assert_string_equal(buf_cstr(&got), buf_cstr(&expected));
    buf_release(&got);
    buf_release(&expected);
    arena_release(&arena);
}

static void check(struct str html, const char *expected,
                  struct html_scan_options options)
{
    struct html_links links;
    struct arena arena;
    struct buf got;

    arena_init(&arena);
    buf_init(&got, LISTING_CAP);
    options.want_requisites = true;
    html_scan(&links, &arena, html, &options);
    list_requisites(&got, &links);
    if (!str_eq(buf_str(&got), str_of(expected)))
        fail_msg("%.*s\nexpected:\n%s\ngot:\n%s", STR_ARGS(html), expected,
                 buf_cstr(&got));
    check_same_links(html, options, &links);
    buf_release(&got);
    arena_release(&arena);
}

struct row {
    const char *html, *requisites;
};

static void check_rows(const struct row *rows, size_t count, bool is_xhtml)
{
    struct html_scan_options options = {
        .http_charset = STR("utf-8"),
        .want_text = true,
        .is_xhtml = is_xhtml,
    };

    for (size_t i = 0; i < count; i++)
        check(str_of(rows[i].html), rows[i].requisites, options);
}

static void elements(void **state)
{
    static const struct row rows[] = {
        {"<p>", ""},
        {"<img src=x>", "image x"},
        {"<IMG SRC=x>", "image x"},
        {"<img src=x src=y>", "image x"},
        {"<img src='a&amp;b'>", "image a&b"},
        {"<img src=x srcset='y 1x, z 2x'>", "image x\nimage y\nimage z"},
        {"<image src=x>", "image x"},
        {"<img src>", ""},
        {"<img src=' '>", ""},
        {"<img src='#x'>", ""},
        {"<img src=data:image/png,x>", ""},
        {"<img src=' DATA:,x'>", ""},
        {"<picture><source srcset='x, y 2x'><img src=z></picture>",
         "image x\nimage y\nimage z"},
        {"<input type=image src=x>", "image x"},
        {"<input type=IMAGE src=x>", "image x"},
        {"<input type=text src=x><input src=x>", ""},
        {"<script src=x></script>", "script x"},
        {"<script>var a = '<img src=x>';</script>", ""},
        {"<noscript><img src=x></noscript>", "image x"},
        {"<video src=x poster=y><source src=z><track src=t></video>",
         "media x\nimage y\nmedia z\nmedia t"},
        {"<audio src=x>", "media x"},
        {"<object data=x>", "object x"},
        {"<embed src=x>", "object x"},
        {"<body background=x>", "image x"},
        {"<table background=x><tr><td background=y>", "image x\nimage y"},
        {"<iframe src=x></iframe>", "frame x"},
        {"<iframe srcdoc='' src=x></iframe>", ""},
        {"<frameset><frame src=x></frameset>", "frame x"},
        {"<a href=x><b><img src=y></b></a>", "image y"},
        {"<p><img src=x><template><img src=y></template><img src=z>",
         "image x\nimage z"},
        {"<!-- <img src=x> -->", ""},
        {"<textarea><img src=x></textarea>", ""},
        {"<p><img src=x", ""},
        {"<img src=x><frameset><frame src=y>", "image x"},
        {"<p><link rel=stylesheet href=x><frameset><frame src=y>", "frame y"},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), false);
}

static void link_elements(void **state)
{
    static const struct row rows[] = {
        {"<link rel=stylesheet href=x>", "stylesheet x"},
        {"<link rel='alternate StyleSheet' href=x>", "stylesheet x"},
        {"<link rel=icon href=x>", "icon x"},
        {"<link rel='shortcut icon' href=x>", "icon x"},
        {"<link rel=apple-touch-icon href=x>", "icon x"},
        {"<link rel=apple-touch-icon-precomposed href=x>", "icon x"},
        {"<link rel=apple-touch-startup-image href=x>", "icon x"},
        {"<link rel=mask-icon href=x>", "icon x"},
        {"<link rel=preload as=font href=x>", "preload x"},
        {"<link rel=preload as=image imagesrcset='x 1x, y 2x'>",
         "image x\nimage y"},
        {"<link rel=modulepreload href=x>", "preload x"},
        {"<link rel=manifest href=x>", "manifest x"},
        {"<link rel=stylesheet>", ""},
        {"<link href=x>", ""},
        {"<link rel=alternate href=x><link rel=canonical href=y>", ""},
        {"<link rel=next href=x><link rel=prefetch href=y>", ""},
        {"<link rel=dns-prefetch href=//x><link rel=preconnect href=//y>", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), false);
}

static void styles(void **state)
{
    static const struct row rows[] = {
        {"<style>@import 'x';a{b:url(y)}</style>", "css x\ncss y"},
        {"<p><style>a{b:url(y)}</style><p>", "css y"},
        {"<style>a{b:url(x)", "css x"},
        {"<style></style><style>a{b:url(x)}</style>", "css x"},
        {"<style>a{b:url(&amp;)}</style>", "css &amp;"},
        {"<style>a{b:url(#x)}</style>", ""},
        {"<style>a{b:url(data:,x)}</style>", ""},
        {"<style>a{b:url(\xc3\xa4)}</style>", "css \xc3\xa4"},
        {"<p style='background:url(x)'>", "css x"},
        {"<p><b STYLE=\"background:url(&quot;x&quot;)\">", "css x"},
        {"<p><b style='background:url&#40;x&#41;'>", "css x"},
        {"<p><b style='color:red' class='url(x)'>", ""},
        {"<img src=x style='background:url(y)'>", "css y\nimage x"},
        {"<a href=x style='background:url(y)'>", "css y"},
        {"<template><p style='a:url(x)'><style>a{b:url(y)}</style></template>",
         ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), false);
}

static void foreign_content(void **state)
{
    static const struct row rows[] = {
        {"<svg><image href=x /></svg>", "image x"},
        {"<svg><image xlink:href=x /></svg>", "image x"},
        {"<svg><image href=x xlink:href=y /></svg>", "image x"},
        {"<svg><use href='x.svg#y'/><use href='#z'/></svg>", "image x.svg#y"},
        {"<svg><feImage href=x /></svg>", "image x"},
        {"<svg><script href=x></script></svg>", "script x"},
        {"<svg><style>a{b:url(x)}</style></svg>", "css x"},
        {"<svg><rect style='fill:url(x)'/></svg>", "css x"},
        {"<svg><rect style='fill:url(#x)'/></svg>", ""},
        {"<svg><image src=x /></svg>", ""},
        {"<svg><img src=x></svg>", "image x"},
        {"<svg><foreignObject><img src=x></foreignObject></svg>", "image x"},
        {"<math><mi href=x></mi></math>", ""},
        {"<use href=x>", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), false);
}

static void xhtml(void **state)
{
    static const struct row rows[] = {
        {XHTML "<img src='x' srcset='y 2x'/></html>", "image x\nimage y"},
        {XHTML "<script src='x'/><link rel='stylesheet' href='y'/></html>",
         "script x\nstylesheet y"},
        {XHTML "<style>@import 'x';\na{b:url(y)}\nc{d:url('z')}</style></html>",
         "css x\ncss y\ncss z"},
        {XHTML "<style><![CDATA[a{b:url(x)}]]></style></html>", "css x"},
        {XHTML "<p style='b:url(x)'/></html>", "css x"},
        {XHTML "<svg xmlns='http://www.w3.org/2000/svg' "
               "xmlns:l='http://www.w3.org/1999/xlink'><image l:href='x'/>"
               "<use href='y#z'/><feImage href='v'/></svg></html>",
         "image x\nimage y#z\nimage v"},
        {XHTML "<IMG src='x'/></html>", ""},
        {"<html><img src='x'/></html>", ""},
        {XHTML "<template><img src='x'/></template></html>", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), true);
}

static void count_is_capped(void **state)
{
    const struct html_scan_options options = {.want_requisites = true};
    struct html_links links;
    struct arena arena;
    struct buf html;

    (void)state;
    arena_init(&arena);
    buf_init(&html, 1 << 20);
    buf_put(&html, STR("<p>"));
    for (int i = 0; i < HTML_REQUISITES_MAX + 7; i++)
        buf_put(&html, STR("<img src=x>"));
    html_scan(&links, &arena, buf_str(&html), &options);
    assert_int_equal(links.requisites, HTML_REQUISITES_MAX);
    assert_int_equal(links.requisites_beyond, 7);
    buf_release(&html);
    arena_release(&arena);
}

static void forms(void **state)
{
    static const struct {
        const char *html, *actions;
    } rows[] = {
        {"<form action=a>", "a\n"},
        {"<FORM METHOD=Get ACTION='a&amp;b'>", "a&b\n"},
        {"<form method=other action=a>", "a\n"},
        {"<form method=Post action=a><form method=dialog action=a>", ""},
        {"<form><form action><form action=' '><form action=?a#b>", ""},
        {"<form action='/a?b=c#d'><form action=a#b?c>", "/a\na\n"},
        {"<template><form action=a></template><svg><form action=b></svg>", ""},
        {"<table><form action=a>", "a\n"},
    };

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        struct html_scan_options options = {.want_ids = true,
                                            .want_forms = i % 2};
        struct str html = str_of(rows[i / 2].html);
        struct html_links links;
        struct arena arena;
        struct buf got;

        arena_init(&arena);
        buf_init(&got, 1000);
        html_scan(&links, &arena, html, &options);
        for (size_t j = 0; j < links.count; j++) {
            assert_int_equal(links.link[j].kind, HTML_FORM);
            buf_printf(&got, "%.*s\n", STR_ARGS(links.link[j].href));
        }
        const char *wanted = options.want_forms ? rows[i / 2].actions : "";
        if (strcmp(buf_cstr(&got), wanted) != 0)
            fail_msg("%.*s: %s", STR_ARGS(html), buf_cstr(&got));
        buf_release(&got);
        arena_release(&arena);
    }
}

static void forms_of_xhtml(void **state)
{
    const struct html_scan_options options = {.is_xhtml = true,
                                              .want_forms = true};
    struct html_links links;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    html_scan(&links, &arena,
              STR(XHTML "<form action='a?b' method='GET'/><form action='c' "
                        "method='post'/></html>"),
              &options);
    assert_int_equal(links.count, 1);
    assert_true(str_eq(links.link[0].href, STR("a")));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles),           cmocka_unit_test(ids),
        cmocka_unit_test(content_of_xhtml), cmocka_unit_test(they_are_bounded),
        cmocka_unit_test(fragments),        cmocka_unit_test(forms),
        cmocka_unit_test(forms_of_xhtml),   cmocka_unit_test(elements),
        cmocka_unit_test(link_elements),    cmocka_unit_test(styles),
        cmocka_unit_test(foreign_content),  cmocka_unit_test(xhtml),
        cmocka_unit_test(count_is_capped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
