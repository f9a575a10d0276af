/* The title of a page, and the names that a fragment can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "html/content.h"

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

static void check(struct str html, bool is_xhtml, const char *title,
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
        check(str_of(rows[i].html), false, rows[i].title, "");
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
        check(str_of(rows[i].html), false, NULL, rows[i].ids);
}

static void xhtml(void **state)
{
    (void)state;
    check(STR(XHTML "<head><title> A\n <!-- x -->B </title></head>"
                    "<body id='b'><a name='n'/><p name='no'/></body></html>"),
          true, "A B", "b\nn");
    check(STR("<svg xmlns='http://www.w3.org/2000/svg'><title>no</title>"
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
        cmocka_unit_test(titles),         cmocka_unit_test(ids),
        cmocka_unit_test(xhtml),          cmocka_unit_test(they_are_bounded),
        cmocka_unit_test(fragments),      cmocka_unit_test(forms),
        cmocka_unit_test(forms_of_xhtml),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
