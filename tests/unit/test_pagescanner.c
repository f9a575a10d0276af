#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/pagescanner.h"
#include "web/normalize.h"

enum { SEED = 42 };

static const struct scan_options plain = {.fingerprint_seed = SEED};
static const struct scan_options course = {.fingerprint_seed = SEED,
                                           .course = true};

static void ask(struct webpage *page, const char *url)
{
    webpage_init(page);
    webpage_ask(page, str_of(url), 0, true);
}

/* The links as one text: a line each, '*' before those whose name is not that
 * of an HTML page. */
static const char *links_of(const struct webpage *page, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < page->links.count; i++) {
        const struct page_link *link = &page->links.link[i];
        buf_printf(out, "%s%.*s\n", link->not_html_name ? "*" : "",
                   (int)link->url.href.len, link->url.href.ptr);
    }
    return buf_cstr(out);
}

struct scan_case {
    const char *url, *charset, *body;
    const char *links; /* a line each */
    size_t bad;
};

static void check(const struct scan_case *cases, size_t count,
                  const struct scan_options *options)
{
    struct buf text;

    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < count; i++) {
        struct webpage page;
        ask(&page, cases[i].url);
        if (cases[i].charset)
            strcpy(page.exchange.charset_label, cases[i].charset);
        page.exchange.body = str_of(cases[i].body);
        pagescanner_scan(&page, options);
        const char *got = links_of(&page, &text);
        if (strcmp(got, cases[i].links) != 0 || page.links.bad != cases[i].bad)
            fail_msg("case %zu, %s:\n%s\nexpected, %zu bad:\n%s"
                     "got, %zu bad:\n%s",
                     i, cases[i].url, cases[i].body, cases[i].bad,
                     cases[i].links, page.links.bad, got);
        webpage_release(&page);
    }
    buf_release(&text);
}

#define PAGE "http://h.example/d/p.html"

static void links(void **state)
{
    static const struct scan_case cases[] = {
        {PAGE, NULL, "", "", 0},
        {PAGE, NULL, "no links <b>here</b>", "", 0},
        {PAGE, NULL, "<a href=x>", "http://h.example/d/x\n", 0},
        /* In order, repeats included, fragments cut. */
        {PAGE, NULL, "<a href=b><a href=a#f><a href=b><a href=#f><a href='' >",
         "http://h.example/d/b\nhttp://h.example/d/a\nhttp://h.example/d/b\n"
         "http://h.example/d/p.html\nhttp://h.example/d/p.html\n",
         0},
        {PAGE, NULL,
         "<a href=/r><a href=../u><a href=//o.example/x><a href=?q>"
         "<a href=HTTPS://O.Example:443/%41>",
         "http://h.example/r\nhttp://h.example/u\nhttp://o.example/x\n"
         "http://h.example/d/p.html?q\nhttps://o.example/%41\n",
         0},
        /* The kinds that lead to pages, and the one that does not. */
        {PAGE, NULL,
         "<link rel=next href=l><meta http-equiv=refresh content='0;url=m'>"
         "<iframe src=i></iframe><map><area href=r></map>"
         "<img src=g><script src=s></script><form action=f></form>",
         "http://h.example/d/m\nhttp://h.example/d/i\nhttp://h.example/d/r\n",
         0},
        {PAGE, NULL, "<frameset><frame src=f></frameset>",
         "http://h.example/d/f\n", 0},
        /* Other schemes are left out and are not bad. */
        {PAGE, NULL,
         "<a href=mailto:a@b.example><a href='javascript:x()'>"
         "<a href=ftp://f.example/><a href=data:,x><a href=tel:1><a href=y>",
         "http://h.example/d/y\n", 0},
        /* Bad ones are counted and do not leave a hole. */
        {PAGE, NULL,
         "<a href=a><a href='http://'><a href=http://[::><a href=http://b:x/>"
         "<a href='http://a b/'><a href=c>",
         "http://h.example/d/a\nhttp://h.example/d/c\n", 4},
        /* A stranger's login is dropped, also that of the base. */
        {PAGE, NULL,
         "<base href=http://x:y@h.example/d/><a href=a><a "
         "href=//me:pw@h.example"
         "/b><a href=HTTPS://me@o.example:8443/c><a href=http://:@o.example/>",
         "http://h.example/d/a\nhttp://h.example/b\n"
         "https://o.example:8443/c\nhttp://o.example/\n",
         0},
        /* What a browser does not see. */
        {PAGE, NULL,
         "<!-- <a href=c> --><script>'<a href=s>'</script>"
         "<textarea><a href=t></textarea><a href=&#x61;&amp;b>",
         "http://h.example/d/a&b\n", 0},
    };

    (void)state;
    check(cases, ARRAY_LEN(cases), &plain);
}

static void base_element(void **state)
{
    static const struct scan_case cases[] = {
        {PAGE, NULL, "<base href=/x/><a href=y>", "http://h.example/x/y\n", 0},
        {PAGE, NULL, "<base href='https://o.example/b/c'><a href=y>",
         "https://o.example/b/y\n", 0},
        /* Only the first that has an href, wherever it stands. */
        {PAGE, NULL, "<a href=y><base target=_top><base href=1/><base href=2/>",
         "http://h.example/d/1/y\n", 0},
        {PAGE, NULL, "<base href=''><a href=y>", "http://h.example/d/y\n", 0},
        {PAGE, NULL, "<base href=?q><a href=#f><a href=y>",
         "http://h.example/d/p.html?q\nhttp://h.example/d/y\n", 0},
        /* A base that is no URL, or one that HTML forbids, is as none. */
        {PAGE, NULL, "<base href='http://'><a href=y>",
         "http://h.example/d/y\n", 0},
        {PAGE, NULL, "<base href='data:,x'><a href=y>",
         "http://h.example/d/y\n", 0},
        {PAGE, NULL, "<base href=' JavaScript:x'><a href=y>",
         "http://h.example/d/y\n", 0},
        /* Another scheme counts: what is relative to it is not of the web. */
        {PAGE, NULL,
         "<base href='ftp://f.example/'><a href=y><a href=http://o.example/>",
         "http://o.example/\n", 0},
    };

    (void)state;
    check(cases, ARRAY_LEN(cases), &plain);
}

/* The header comes before what is in the page, and nothing in the page counts
 * for its URL. */
static void refresh_header(void **state)
{
    static const struct {
        const char *refresh, *body, *links;
        size_t bad;
    } cases[] = {
        {"5; url=next", "", "http://h.example/d/next\n", 0},
        {"0;URL='/q?a=1,2'", "", "http://h.example/q?a=1,2\n", 0},
        {"1, http://o.example/", "", "http://o.example/\n", 0},
        {"5", "<a href=y>", "http://h.example/d/y\n", 0},
        {"now; url=x", "", "", 0},
        {"", "<a href=y>", "http://h.example/d/y\n", 0},
        {"0;url=mailto:a@b.example", "", "", 0},
        {"0;url=http://[", "", "", 1},
        {"0;x",
         "<base href=/b/><meta http-equiv=refresh content='0;url=m'>"
         "<a href=y>",
         "http://h.example/d/x\nhttp://h.example/b/m\nhttp://h.example/b/y\n",
         0},
        /* Latin-1, and back in UTF-8, whatever charset the page has. */
        {"0;r?\x80\xff", "<meta charset=koi8-r><a href='?\xc1'>",
         "http://h.example/d/r?%C2%80%C3%BF\n"
         "http://h.example/d/p.html?%C1\n",
         0},
    };
    struct buf text;

    (void)state;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct webpage page;
        ask(&page, PAGE);
        page.exchange.refresh = str_of(cases[i].refresh);
        page.exchange.body = str_of(cases[i].body);
        pagescanner_scan(&page, &plain);
        assert_string_equal(links_of(&page, &text), cases[i].links);
        assert_int_equal(page.links.bad, cases[i].bad);
        if (page.links.count && cases[i].refresh[0] == '0')
            assert_int_equal(page.links.link[0].html->kind, HTML_REFRESH);
        webpage_release(&page);
    }
    buf_release(&text);
}

/* A query goes out in the charset of its page, the rest never does. */
static void charsets(void **state)
{
    static const struct scan_case cases[] = {
        {PAGE, "utf-8", "<a href='\xc3\xa4?\xc3\xa4'>",
         "http://h.example/d/%C3%A4?%C3%A4\n", 0},
        {PAGE, "iso-8859-1", "<a href='\xe4?\xe4'>",
         "http://h.example/d/%C3%A4?%E4\n", 0},
        {PAGE, NULL, "<meta charset=windows-1251><a href='?\xe4&amp;b'>",
         "http://h.example/d/p.html?%E4&b\n", 0},
        {PAGE, "shift_jis", "<a href='?\x82\xa0'>",
         "http://h.example/d/p.html?%82%A0\n", 0},
        {PAGE, "iso-8859-1", "<a href='?&#x20AC;&#x3042;'>",
         "http://h.example/d/p.html?%80%26%2312354%3B\n", 0},
        {PAGE, "iso-8859-1",
         "<a href='http://b\xfc"
         "cher.example/'>",
         "http://xn--bcher-kva.example/\n", 0},
        /* The label of the header counts before that of the page; a byte order
         * mark before both. */
        {PAGE, "iso-8859-1", "<meta charset=utf-8><a href='?\xe4'>",
         "http://h.example/d/p.html?%E4\n", 0},
        {PAGE, "iso-8859-1", "\xef\xbb\xbf<a href='?\xc3\xa4'>",
         "http://h.example/d/p.html?%C3%A4\n", 0},
        {PAGE, "no-such-charset", "<a href='?\xe4'>",
         "http://h.example/d/p.html?%E4\n", 0},
    };

    (void)state;
    check(cases, ARRAY_LEN(cases), &plain);
}

static void course_mode(void **state)
{
    static const struct scan_case cases[] = {
        {"http://cs50tse.cs.dartmouth.edu/tse/a.html", NULL,
         "<a href=b.html><a href=c//d><a href=e.pdf><a href=v1.2>"
         "<a href=http://h.example:80/x.htm#f><a href=dir/><a href=f.HTML>",
         "http://cs50tse.cs.dartmouth.edu/tse/b.html\n"
         "http://cs50tse.cs.dartmouth.edu/tse/c/d\n"
         "*http://cs50tse.cs.dartmouth.edu/tse/e.pdf\n"
         "*http://cs50tse.cs.dartmouth.edu/tse/v1.2\n"
         "http://h.example:80/x.htm\n"
         "http://cs50tse.cs.dartmouth.edu/tse/dir/\n"
         "*http://cs50tse.cs.dartmouth.edu/tse/f.HTML\n",
         0},
    };

    (void)state;
    check(cases, ARRAY_LEN(cases), &course);
}

/* The fingerprint is that of the key, so that two spellings are one page. */
static void fingerprints(void **state)
{
    static const char body[] = "<a href=~u><a href=%7Eu><a href=%7eu?>"
                               "<a href=http://h.example.:80/d/~u><a href=v>";
    struct webpage page;

    (void)state;
    ask(&page, PAGE);
    page.exchange.body = str_of(body);
    pagescanner_scan(&page, &plain);
    assert_int_equal(page.links.count, 5);
    const struct page_link *link = page.links.link;
    for (size_t i = 0; i < 5; i++) {
        assert_true(link[i].fingerprint == url_fingerprint(&link[i].url, SEED));
        assert_int_equal(link[i].fingerprint == link[0].fingerprint, i < 4);
        assert_int_equal(link[i].html->kind, HTML_A);
    }
    webpage_release(&page);
}

static void redirects(void **state)
{
    static const struct {
        struct str location;
        const char *to; /* NULL: a redirect to nowhere */
    } cases[] = {
        {STR_INIT("http://o.example/x"), "http://o.example/x"},
        {STR_INIT("/x"), "http://h.example/x"},
        {STR_INIT("x?y#z"), "http://h.example/d/x?y"},
        {STR_INIT("?y"), "http://h.example/d/p.html?y"},
        {STR_INIT("//o.example"), "http://o.example/"},
        {STR_INIT("https:"), NULL},
        {STR_INIT(" /x "), "http://h.example/x"},
        {STR_INIT(""), "http://h.example/d/p.html"},
        {STR_INIT("#"), "http://h.example/d/p.html"},
        /* Bytes go back as they came, in whatever charset that was. */
        {STR_INIT("/\xc3\xa4"), "http://h.example/%C3%A4"},
        {STR_INIT("/\xe4?\xe4"), "http://h.example/%E4?%E4"},
        {STR_INIT("http://b\xc3\xbc"
                  "cher.example/"),
         "http://xn--bcher-kva.example/"},
        {STR_INIT("http://"), NULL},
        {STR_INIT("http://a b/"), NULL},
        {STR_INIT("http://h.example:99999/"), NULL},
        {STR_INIT("ftp://h.example/"), NULL},
        {STR_INIT("javascript:x"), NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct webpage page;
        ask(&page, PAGE);
        page.outcome = REDIRECTED;
        page.exchange.location = cases[i].location;
        pagescanner_follow(&page, &plain);
        bool good = page.outcome == REDIRECTED;
        const char *got = good ? page.links.link[0].url.href.ptr : "nowhere";
        const char *expected = cases[i].to ? cases[i].to : "nowhere";
        if (strcmp(got, expected) != 0 ||
            page.outcome != (cases[i].to ? REDIRECTED : BAD_REDIRECT) ||
            page.links.count != (cases[i].to ? 1 : 0))
            fail_msg("'%s': expected %s, got %s (%s, %zu links)",
                     cases[i].location.ptr, expected, got,
                     outcome_name(page.outcome), page.links.count);
        if (good) {
            const struct page_link *link = page.links.link;
            assert_null(link->html);
            assert_true(link->fingerprint == url_fingerprint(&link->url, SEED));
        }
        webpage_release(&page);
    }
}

static void redirect_in_course_mode(void **state)
{
    struct webpage page;

    (void)state;
    ask(&page, PAGE);
    page.outcome = REDIRECTED;
    page.exchange.location = STR("/a//b.pdf");
    pagescanner_follow(&page, &course);
    assert_int_equal(page.links.count, 1);
    assert_string_equal(page.links.link[0].url.href.ptr,
                        "http://h.example/a/b.pdf");
    assert_true(page.links.link[0].not_html_name);
    webpage_release(&page);
}

/* A seed goes the same way. */
static void seeds(void **state)
{
    static const struct {
        const char *text;
        enum err err;
    } cases[] = {
        {"http://h.example/", ERR_NONE},
        {"HTTP://H.Example", ERR_NONE},
        {"word", ERR_URL_RELATIVE},
        {"/path", ERR_URL_RELATIVE},
        {"", ERR_URL_RELATIVE},
        {"42", ERR_URL_RELATIVE},
        {"ftp://h.example/", ERR_URL_SCHEME},
        {"http://", ERR_URL_HOST},
        {"http://h:x/", ERR_URL_PORT},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct page_link link;
        enum err err = pagescanner_link(&link, &arena, str_of(cases[i].text),
                                        NULL, NULL, &plain);
        if (err != cases[i].err)
            fail_msg("'%s': expected \"%s\", got \"%s\"", cases[i].text,
                     err_message(cases[i].err), err_message(err));
    }
    arena_release(&arena);
}

/* Without links wanted text is not gathered; with, it is. */
static void text_of_links(void **state)
{
    struct scan_options with_text = plain;
    struct webpage page;

    (void)state;
    with_text.want_text = true;
    ask(&page, PAGE);
    page.exchange.body = STR("<a href=x rel=nofollow> some\n<b>text</b> </a>");
    pagescanner_scan(&page, &with_text);
    assert_int_equal(page.links.count, 1);
    const struct html_link *html = page.links.link[0].html;
    assert_true(str_eq(html->text, STR("some text")));
    assert_true(str_eq(html->rel, STR("nofollow")));
    webpage_release(&page);
}

/* What was asked for as a sitemap and could not be used says so. */
static void sitemap_outcomes(void **state)
{
    static const struct {
        struct str body;
        enum outcome outcome;
        size_t links;
    } cases[] = {
        {STR_INIT("<urlset><url><loc>/a</loc></url></urlset>"), FETCHED, 1},
        {STR_INIT("<urlset/>"), FETCHED, 0},
        {STR_INIT("<rss><channel></channel></rss>"), FETCHED, 0},
        {STR_INIT("http://example.org/a\n"), FETCHED, 1},
        /* A URL that is none is the site's mistake, not another format. */
        {STR_INIT("<urlset><url><loc>http://</loc></url></urlset>"), FETCHED,
         0},
        /* Cut off, or broken at the end. */
        {STR_INIT("<urlset>"), FETCHED, 0},
        {STR_INIT("<urlset><url><loc>/a</loc></url><url><lo"), FETCHED, 1},
        {STR_INIT("<urlset><url><loc>/a</loc></url></wrong>"), FETCHED, 1},
        /* No sitemap. */
        {STR_INIT("<!DOCTYPE html><html><a href=/a>.</a></html>"), NOT_SITEMAP,
         0},
        {STR_INIT("<!doctype html><title>x</title>"), NOT_SITEMAP, 0},
        {STR_INIT("<opml/>"), NOT_SITEMAP, 0},
        {STR_INIT("<?xml version"), NOT_SITEMAP, 0},
        {STR_INIT("not found"), NOT_SITEMAP, 0},
        {STR_INIT("\x1f\x8b\x08\x00 broken"), NOT_SITEMAP, 0},
        {STR_INIT("<!DOCTYPE urlset [<!ENTITY a \"b\">]>"
                  "<urlset><url><loc>/a</loc></url></urlset>"),
         NOT_SITEMAP, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct webpage page;
        ask(&page, PAGE);
        page.outcome = FETCHED;
        page.exchange.body = cases[i].body;
        pagescanner_sitemap(&page, &plain);
        if (page.outcome != cases[i].outcome ||
            page.links.count != cases[i].links)
            fail_msg("%s: %s, %zu links", cases[i].body.ptr,
                     outcome_name(page.outcome), page.links.count);
        webpage_release(&page);
    }
}

/* A base of 8000 bytes and many short links: what they take is bounded, in a
 * page and in a sitemap. */
/* ---- requisites ---------------------------------------------------------- */

/* A line each, with '+' before a document and '=' before one that is a link
 * too. */
static const char *requisites_of(const struct webpage *page, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < page->requisites.count; i++) {
        const struct page_link *link = &page->requisites.link[i];
        buf_printf(out, "%s%.*s\n",
                   link->link_too   ? "="
                   : link->document ? "+"
                                    : "",
                   STR_ARGS(link->url.href));
    }
    return buf_cstr(out);
}

struct requisite_case {
    const char *mime, *body, *requisites;
    enum { AS_REQUISITE, AS_DOCUMENT, AS_PAGE } as;
};

static void requisites(void **state)
{
    static const struct requisite_case cases[] = {
        {"text/html", "<img src=a><a href=b>", "http://h.example/d/a\n",
         AS_PAGE},
        {"text/html", "<base href=/x/><img src=a><style>p{c:url(b)}</style>",
         "http://h.example/x/a\nhttp://h.example/x/b\n", AS_PAGE},
        {"text/html", "<iframe src=a></iframe><object data=b></object>",
         "=http://h.example/d/a\n+http://h.example/d/b\n", AS_PAGE},
        {"text/html", "<img src='//o.example/?\xc3\xa4'>",
         "http://o.example/?%C3%A4\n", AS_PAGE},
        {"text/html", "<img src=mailto:x><img src='http://['><img src=#>", "",
         AS_PAGE},
        {"text/css", "@import 'a'; p { b: url(c) url(#d) url(data:,x) url() }",
         "http://h.example/d/a\nhttp://h.example/d/c\n", AS_REQUISITE},
        {"Text/CSS", "p { b: url(//o.example/c) }", "http://o.example/c\n",
         AS_REQUISITE},
        {"image/svg+xml", "<svg><image href='a'/></svg>", "", AS_REQUISITE},
        {"text/html", "<img src=a>", "", AS_REQUISITE},
        {"text/html", "<img src=a>", "http://h.example/d/a\n", AS_DOCUMENT},
        {"", "<img src=a>", "", AS_DOCUMENT},
    };
    struct buf text;

    (void)state;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct webpage page;
        ask(&page, PAGE);
        page.want_links = cases[i].as == AS_PAGE;
        page.want_requisites = true;
        page.is_document = cases[i].as == AS_DOCUMENT;
        strcpy(page.exchange.mime, cases[i].mime);
        page.exchange.body = str_of(cases[i].body);
        if (cases[i].as == AS_PAGE)
            pagescanner_scan(&page, &course);
        else
            pagescanner_requisite(&page, &course);
        if (strcmp(requisites_of(&page, &text), cases[i].requisites) != 0)
            fail_msg("case %zu: %s\nexpected:\n%sgot:\n%s", i, cases[i].body,
                     cases[i].requisites, buf_cstr(&text));
        assert_true(cases[i].as == AS_PAGE || !page.links.count);
        /* If nobody asks, there are none. */
        page.requisites = (struct page_links){0};
        page.want_requisites = false;
        pagescanner_requisite(&page, &course);
        assert_int_equal(page.requisites.count, 0);
        webpage_release(&page);
    }
    buf_release(&text);
}

static void long_links(void **state)
{
    enum { LINKS = 10000, MOST = PAGE_LINK_BYTES_MAX / 8000 + 1 };
    struct buf url, body;

    (void)state;
    buf_init(&url, URL_LEN_MAX);
    buf_init(&body, 1 << 20);
    buf_put(&url, STR("http://example.org/"));
    while (url.len < 8000)
        buf_put(&url, STR("0123456789/"));
    for (int is_sitemap = 0; is_sitemap < 2; is_sitemap++) {
        struct webpage page;

        buf_clear(&body);
        buf_put(&body, is_sitemap ? STR("<urlset>") : STR("<body>"));
        for (int i = 0; i < LINKS; i++)
            buf_printf(&body,
                       is_sitemap ? "<url><loc>%d</loc></url>" : "<a href=%d>",
                       i);
        ask(&page, buf_cstr(&url));
        page.exchange.body = buf_str(&body);
        if (is_sitemap)
            pagescanner_sitemap(&page, &plain);
        else
            pagescanner_scan(&page, &plain);
        assert_in_range(page.links.count, MOST / 2, MOST);
        assert_int_equal(page.links.count + page.links.beyond, LINKS);
        webpage_release(&page);
    }
    buf_release(&url);
    buf_release(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),
        cmocka_unit_test(base_element),
        cmocka_unit_test(refresh_header),
        cmocka_unit_test(charsets),
        cmocka_unit_test(course_mode),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(redirects),
        cmocka_unit_test(redirect_in_course_mode),
        cmocka_unit_test(seeds),
        cmocka_unit_test(text_of_links),
        cmocka_unit_test(sitemap_outcomes),
        cmocka_unit_test(requisites),
        cmocka_unit_test(long_links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
