/* What the pagescanner finds for a report on the site: title, ids, mixed
 * content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/pagescanner.h"

#define PAGE "http://h.example/d/p.html"

static void ask(struct webpage *page, const char *url)
{
    webpage_init(page);
    webpage_ask(page, str_of(url), 0, true);
}

static const struct scan_options of_report = {
    .want_text = true,
    .want_title = true,
    .want_content = true,
};

/* Title, ids and fragments stay when the body is gone. */
static void content(void **state)
{
    char body[] = "<title>A page</title><p id=one><a name=two href=x#f>.</a>"
                  "<a href=y>.</a><img src=http://h.example/i.png>";
    struct webpage page;

    (void)state;
    ask(&page, PAGE);
    page.exchange.body = str_of(body);
    pagescanner_scan(&page, &of_report);
    pagescanner_keep_texts(&page);
    memset(body, '?', sizeof(body));
    assert_true(page.content.is_known);
    assert_true(str_eq(page.title, STR("A page")));
    assert_true(str_eq(page.content.ids, STR("one\ntwo")));
    assert_int_equal(page.content.mixed_count, 0);
    assert_true(str_eq(page.links.link[0].html->href, STR("#f")));
    assert_int_equal(page.links.link[1].html->href.len, 0);
    /* Nobody asked for requisites. */
    assert_int_equal(page.requisites.count, 0);
    webpage_release(&page);

    ask(&page, PAGE);
    page.exchange.body = STR("<title>A page</title><p id=one>");
    pagescanner_scan(&page, &(struct scan_options){0});
    assert_false(page.content.is_known);
    assert_null(page.title.ptr);
    assert_int_equal(page.content.ids.len, 0);
    webpage_release(&page);
}

static void mixed_content(void **state)
{
    struct webpage page;
    struct buf got;

    (void)state;
    buf_init(&got, 4096);
    ask(&page, "https://h.example/");
    page.exchange.body =
        STR("<img src=http://a.example/i.png><img src=j.png><script "
            "src=' HTTP://b.example/s.js'></script><iframe "
            "src=http://c.example/></iframe><a href=http://d.example/>.</a>"
            "<p style='background:url(http://e.example/b.png)'>"
            "<link rel=stylesheet href=https://f.example/>");
    pagescanner_scan(&page, &of_report);
    for (size_t i = 0; i < page.content.mixed_count; i++)
        buf_printf(&got, "%s %.*s\n",
                   html_requisite_kind_name(page.content.mixed[i].kind),
                   STR_ARGS(page.content.mixed[i].url));
    assert_string_equal(buf_cstr(&got), "image http://a.example/i.png\n"
                                        "script http://b.example/s.js\n"
                                        "frame http://c.example/\n"
                                        "css http://e.example/b.png\n");
    assert_int_equal(page.requisites.count, 0);
    webpage_release(&page);

    /* A base of http makes all of them so. */
    ask(&page, "https://h.example/");
    page.exchange.body = STR("<base href=http://h.example/><img src=i.png>");
    pagescanner_scan(&page, &of_report);
    assert_int_equal(page.content.mixed_count, 1);
    webpage_release(&page);
    buf_release(&got);
}

static size_t count_mixed(const char *body, bool policy_of_header)
{
    struct webpage page;

    ask(&page, "https://h.example/");
    page.exchange.body = str_of(body);
    page.exchange.upgrades_http = policy_of_header;
    pagescanner_scan(&page, &of_report);
    size_t count = page.content.mixed_count;
    webpage_release(&page);
    return count;
}

/* Browsers load these by http from a page of https. */
static void this_machine_is_not_mixed(void **state)
{
    static const struct {
        const char *body;
        size_t mixed;
    } rows[] = {
        {"<img src=http://127.0.0.1/i.png>", 0},
        {"<img src=http://127.9.8.7:8080/i.png>", 0},
        {"<img src=http://[::1]/i.png>", 0},
        {"<img src=http://localhost:80/i.png>", 0},
        {"<img src=http://LOCALHOST./i.png>", 0},
        {"<img src=http://a.b.localhost/i.png>", 0},
        {"<base href=http://localhost/><img src=i.png>", 0},
        {"<img src=http://notlocalhost/i.png>", 1},
        {"<img src=http://localhost.example/i.png>", 1},
        {"<img src=http://192.168.0.1/i.png>", 1},
        {"<img src=http://[::2]/i.png>", 1},
        {"<img src=http://[::ffff:127.0.0.1]/i.png>", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (count_mixed(rows[i].body, false) != rows[i].mixed)
            fail_msg("%s", rows[i].body);
}

/* A browser asks for https in place of http there. */
static void a_policy_upgrades_mixed_content(void **state)
{
#define IMAGE "<img src=http://a.example/i.png>"
    static const char policy[] =
        "<meta http-equiv=Content-Security-Policy "
        "content='img-src *; Upgrade-Insecure-Requests'>" IMAGE;
    static const char other[] =
        "<meta http-equiv=Content-Security-Policy content='img-src *'>"
        "<meta name=Content-Security-Policy "
        "content=upgrade-insecure-requests>" IMAGE;

    (void)state;
    assert_int_equal(count_mixed(IMAGE, false), 1);
    assert_int_equal(count_mixed(IMAGE, true), 0);
    assert_int_equal(count_mixed(policy, false), 0);
    assert_int_equal(count_mixed(other, false), 1);
}

static void mixed_content_is_bounded(void **state)
{
    struct webpage page;
    struct buf body;

    (void)state;
    buf_init(&body, 1 << 20);
    for (unsigned i = 0; i < PAGE_MIXED_MAX + 7; i++)
        buf_printf(&body, "<img src=http://a.example/%u>", i);
    ask(&page, "https://h.example/");
    page.exchange.body = buf_str(&body);
    pagescanner_scan(&page, &of_report);
    assert_int_equal(page.content.mixed_count, PAGE_MIXED_MAX);
    assert_int_equal(page.content.mixed_beyond, 7);
    webpage_release(&page);
    buf_release(&body);
}

/* Link elements that are hyperlinks, a canonical URL of the header, and forms
 * are told for a report alone; they are never among the links. */
static void links_aside(void **state)
{
    char body[] =
        "<base href=/b/><link rel='NEXT x' href=n><link rel=icon href=i>"
        "<link rel='alternate stylesheet' href=s><a href=a>.</a>"
        "<link rel=prev href='http://'><form action=f?g></form>";
    struct webpage page;
    struct buf got;

    (void)state;
    buf_init(&got, 4096);
    ask(&page, PAGE);
    page.exchange.canonical = STR("c");
    page.exchange.body = str_of(body);
    pagescanner_scan(&page, &of_report);
    pagescanner_keep_texts(&page);
    memset(body, '?', sizeof(body));
    for (size_t i = 0; i < page.links.aside_count; i++)
        buf_printf(&got, "%s %.*s %.*s\n",
                   html_link_kind_name(page.links.aside[i].html->kind),
                   STR_ARGS(page.links.aside[i].html->rel),
                   STR_ARGS(page.links.aside[i].url.href));
    assert_string_equal(buf_cstr(&got), "link canonical http://h.example/d/c\n"
                                        "link NEXT x http://h.example/b/n\n"
                                        "form  http://h.example/b/f\n");
    assert_int_equal(page.links.count, 1);
    assert_int_equal(page.links.bad_count, 1);
    assert_true(str_eq(page.links.bad_link[0].html->rel, STR("prev")));
    assert_int_equal(page.links.bad, 0);
    webpage_release(&page);

    ask(&page, PAGE);
    page.exchange.canonical = STR("c");
    page.exchange.body = STR("<link rel=next href=n><form action=f>");
    pagescanner_scan(&page, &(struct scan_options){0});
    assert_int_equal(page.links.aside_count + page.links.count, 0);
    webpage_release(&page);
    buf_release(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content),
        cmocka_unit_test(mixed_content),
        cmocka_unit_test(this_machine_is_not_mixed),
        cmocka_unit_test(a_policy_upgrades_mixed_content),
        cmocka_unit_test(mixed_content_is_bounded),
        cmocka_unit_test(links_aside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
