/* The link cases of Heritrix and the meta robots cases of Nutch.
 *
 * Links are compared as sets of absolute URLs: html_scan's references resolved
 * as the pagescanner does it. Where a case is about nofollow, links are judged
 * by what html_scan tells of them (`info.nofollow`, `rel`).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/conformance.h"
#include "web/html.h"
#include "web/url.h"

enum { LINKS_MAX = 64, HTML_CAP = 1 << 16 };

static const char *const SUITE = "link_extraction/link_cases.json";

enum treatment {
    AS_IT_IS,
    IMG_AS_A,  /* about base, shown on img, which is no link to a page */
    NOTHING,   /* a browser, and we, find no link at all */
    NOT_TAKEN, /* not extracted here: see the reason */
};

static const struct {
    const char *name;
    enum treatment treatment;
    const char *reason;
} treatments[] = {
    {"testRelativeBaseHrefRelativeLinks", IMG_AS_A, ""},
    {"testFirstBaseHrefRelativeLinks", IMG_AS_A, ""},
    {"testAbsoluteBaseHrefRelativeLinks", IMG_AS_A, ""},
    {"testDataUrisAreIgnored", IMG_AS_A, ""},
    {"testConditionalComment1", NOTHING, "a comment is no markup"},
    {"testOnlyExtractFormGets", NOT_TAKEN, "what a form asks is the user's"},
    {"testMetaContentURI", NOT_TAKEN, "og: names media, not pages"},
    {"testImgSrcSetAttribute", NOT_TAKEN, "images are not pages"},
    {"testSourceSrcSetAttribute", NOT_TAKEN, "images are not pages"},
};

static enum treatment treatment_of(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(treatments); i++) {
        if (!str_eq(name, str_of(treatments[i].name)))
            continue;
        if (treatments[i].treatment == NOT_TAKEN)
            printf("not extracted: %s: %s\n", treatments[i].name,
                   treatments[i].reason);
        return treatments[i].treatment;
    }
    return AS_IT_IS;
}

struct urls {
    struct str url[LINKS_MAX];
    size_t count;
};

static bool has_url(const struct urls *urls, struct str url)
{
    for (size_t i = 0; i < urls->count; i++)
        if (str_eq(urls->url[i], url))
            return true;
    return false;
}

static bool has_token(struct str list, const char *token)
{
    while (list.len) {
        struct str_pair cut = str_cut(list, ' ');
        if (str_eq_nocase(cut.head, str_of(token)))
            return true;
        list = cut.tail;
    }
    return false;
}

static bool is_followed(const struct html_link *link)
{
    return !has_token(link->rel, "nofollow") &&
           !has_token(link->rel, "pingback") &&
           !has_token(link->rel, "dns-prefetch");
}

static void find_urls(struct urls *urls, struct arena *arena, struct str html,
                      struct str page_url)
{
    struct html_scan_options options = {.http_charset = STR("utf-8")};
    struct html_links links;
    struct url own, base;

    html_scan(&links, arena, html, &options);
    assert_int_equal(url_parse(&own, arena, page_url, NULL, NULL), ERR_NONE);
    base = own;
    if (links.info.base.ptr)
        assert_int_equal(url_parse(&base, arena, links.info.base, &own, NULL),
                         ERR_NONE);

    for (size_t i = 0; i < links.count && !links.info.nofollow; i++) {
        struct url url;

        if (!is_followed(&links.link[i]) ||
            url_parse(&url, arena, links.link[i].href, &base, NULL))
            continue;
        assert_true(urls->count < LINKS_MAX);
        if (!has_url(urls, url.href))
            urls->url[urls->count++] = url.href;
    }
}

/* Every "<img ... src=" as "<a ... href=". */
static struct str img_as_a(struct arena *arena, struct str html)
{
    struct buf out;

    buf_init(&out, HTML_CAP);
    while (html.len) {
        if (str_starts(html, STR("<img src="))) {
            buf_put(&out, STR("<a href="));
            html = str_skip(html, STR("<img src=").len);
        } else {
            buf_put_char(&out, html.ptr[0]);
            html = str_skip(html, 1);
        }
    }
    struct str copy = arena_copy(arena, buf_str(&out));
    buf_release(&out);
    return copy;
}

static void print_urls(const char *label, const struct urls *urls)
{
    for (size_t i = 0; i < urls->count; i++)
        printf("  %s %.*s\n", label, (int)urls->url[i].len, urls->url[i].ptr);
}

static bool is_same(const struct urls *expected, const struct urls *got)
{
    for (size_t i = 0; i < expected->count; i++)
        if (!has_url(got, expected->url[i]))
            return false;
    return expected->count == got->count;
}

static bool run_case(const struct json *row, struct arena *arena)
{
    struct str name = json_str(json_get(row, "test"));
    struct str html = json_str(json_get(row, "html"));
    const struct json *links = json_get(row, "links");
    enum treatment treatment = treatment_of(name);
    struct urls expected = {0}, got = {0};

    if (treatment == NOT_TAKEN)
        return true;
    if (treatment == IMG_AS_A)
        html = img_as_a(arena, html);
    for (size_t i = 0; i < json_count(links) && treatment != NOTHING; i++)
        expected.url[expected.count++] = json_str(json_at(links, i));
    find_urls(&got, arena, html, json_str(json_get(row, "base")));

    if (is_same(&expected, &got))
        return true;
    printf("  case: %.*s\n  input: %.*s\n", (int)name.len, name.ptr,
           (int)html.len, html.ptr);
    print_urls("expected", &expected);
    print_urls("got", &got);
    return false;
}

static void link_cases(void **state)
{
    struct arena arena;
    unsigned failures = 0;

    (void)state;
    arena_init(&arena);
    const struct json *rows =
        json_get(conformance_json(SUITE, &arena), "link_cases");
    if (!rows)
        skip();
    assert_int_equal(json_count(rows), 15);
    for (size_t i = 0; i < json_count(rows); i++)
        failures += !run_case(json_at(rows, i), &arena);
    arena_release(&arena);
    assert_int_equal(failures, 0);
}

static void meta_robots_cases(void **state)
{
    struct html_scan_options options = {.http_charset = STR("utf-8")};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    const struct json *rows =
        json_get(conformance_json(SUITE, &arena), "meta_robots_cases");
    if (!rows)
        skip();
    assert_int_equal(json_count(rows), 9);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        struct str html = json_str(json_get(row, "html"));
        struct html_links links;

        html_scan(&links, &arena, html, &options);
        if (links.info.noindex != json_bool(json_get(row, "noindex")) ||
            links.info.nofollow != json_bool(json_get(row, "nofollow")) ||
            links.info.noarchive)
            fail_msg("%.*s: got noindex %d, nofollow %d, noarchive %d",
                     (int)html.len, html.ptr, links.info.noindex,
                     links.info.nofollow, links.info.noarchive);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_cases),
        cmocka_unit_test(meta_robots_cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
