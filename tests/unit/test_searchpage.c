/* Result pages of a search: both of DuckDuckGo's forms, others, none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/searchpage.h"

/* As the html form has it; the href is the last thing in it. */
#define WEB(href)                                                              \
    "<div class=\"result results_links results_links_deep web-result \">"      \
    "<div class=\"links_main result__body\"><h2 class=\"result__title\">"      \
    "<a rel=\"nofollow\" class=\"result__a\" href=\"" href "\">T</a></h2>"     \
    "<a class=\"result__snippet\" href=\"" href "\">S</a></div></div>"
#define AD(href)                                                               \
    "<div class=\"result results_links result--ad \"><div><h2>"                \
    "<a class=\"result__a\" href=\"" href "\">T</a></h2></div></div>"
#define LITE(href)                                                             \
    "<tr><td>1.</td><td><a rel=\"nofollow\" href=\"" href                      \
    "\" class='result-link'>T</a></td></tr>"                                   \
    "<tr><td></td><td class='result-snippet'>S</td></tr>"
#define UDDG(target) "//duckduckgo.com/l/?uddg=" target "&amp;rut=0123abcd"
#define FORM         "<form action=\"/html/\" method=\"post\"></form>"
#define MORE                                                                   \
    "<a href=\"https://duckduckgo.com/feedback.html\">f</a>"                   \
    "<a href=\"https://elsewhere.example/\">footer</a>"

#define RESULTS(lines) .kind = SEARCH_RESULTS, .links = STR_INIT(lines)
#define NONE           .kind = SEARCH_NO_RESULTS, .links = STR_INIT("")
#define BLOCKED        .kind = SEARCH_BLOCKED, .links = STR_INIT("")

struct row {
    const char *name;
    struct str body;
    enum searchpage_kind kind;
    struct str links; /* one a line */
    int status;
};

// clang-format off
static const struct row rows[] = {
    {"html, direct", STR_INIT(FORM WEB("https://a.example/x") WEB("http://b.example/") MORE),
     RESULTS("https://a.example/x\nhttp://b.example/\n"), .status = 200},
    {"html, redirects", STR_INIT(WEB(UDDG("https%3A%2F%2Fa.example%2Fp%3Fq%3D1%26r%3D%252F"))),
     RESULTS("https://a.example/p?q=1&r=%2F\n")},
    {"html, both", STR_INIT(WEB("https://a.example/") WEB(UDDG("https%3A%2F%2Fb.example%2F"))),
     RESULTS("https://a.example/\nhttps://b.example/\n")},
    {"lite, direct", STR_INIT("<form action=/lite/></form><table>" LITE("https://a.example/x") LITE("https://b.example/y?z=1&amp;w=2") "</table>" MORE),
     RESULTS("https://a.example/x\nhttps://b.example/y?z=1&w=2\n")},
    {"lite, redirects", STR_INIT("<table>" LITE(UDDG("http%3A%2F%2Fa.example%2F%25C3%25A9")) "</table>"),
     RESULTS("http://a.example/%C3%A9\n")},
    {"white space and fragment", STR_INIT(WEB(" https://a.example/x#part ")),
     RESULTS("https://a.example/x\n")},
    {"same twice", STR_INIT(WEB("https://a.example") WEB(UDDG("https%3A%2F%2Fa.example%2F")) WEB("HTTPS://A.example:443/#x")),
     RESULTS("https://a.example/\n")},
    {"relative", STR_INIT(WEB("/l/?rut=x&amp;uddg=https%3A%2F%2Fa.example%2F") WEB("../near")),
     RESULTS("https://a.example/\nhttps://engine.example/near\n")},
    {"redirect elsewhere", STR_INIT(WEB("https://a.example/l/?uddg=https%3A%2F%2Fb.example%2F")),
     RESULTS("https://a.example/l/?uddg=https%3A%2F%2Fb.example%2F\n")},
    {"redirect of a subdomain", STR_INIT(WEB("https://html.duckduckgo.com/l/?uddg=https%3A%2F%2Fb.example%2F")),
     RESULTS("https://b.example/\n")},
    {"redirect without a target", STR_INIT(WEB("//duckduckgo.com/l/?xuddg=http%3A%2F%2Fb.example%2F")),
     RESULTS("https://duckduckgo.com/l/?xuddg=http%3A%2F%2Fb.example%2F\n")},
    {"not percent-encoded", STR_INIT(WEB("//duckduckgo.com/l/?uddg=https://b.example/%zz%4")),
     RESULTS("https://b.example/%zz%4\n")},
    {"plus", STR_INIT(WEB(UDDG("https%3A%2F%2Fb.example%2Fa+b%2Bc"))),
     RESULTS("https://b.example/a%20b+c\n")},
    {"bad", STR_INIT(WEB(UDDG("ftp%3A%2F%2Fa.example%2F")) WEB(UDDG("")) WEB("javascript:x") WEB("http://a b/") WEB(UDDG("%2Frelative"))),
     NONE},
    {"html, ads", STR_INIT(AD("https://ad.example/") WEB("https://a.example/") AD(UDDG("https%3A%2F%2Fad.example%2F")) WEB("https://b.example/")),
     RESULTS("https://a.example/\nhttps://b.example/\n")},
    {"web and ad at once", STR_INIT("<div class='web-result result--ad'><a class=result__a href=https://ad.example/></a></div>" WEB("https://a.example/")),
     RESULTS("https://a.example/\n")},
    {"ad inside", STR_INIT("<div class=web-result><div class=result--ad><a class=result__a href=//ad.example></a></div><a class=result__a href=//a.example></a></div>"),
     RESULTS("https://a.example/\n")},
    {"y.js", STR_INIT(WEB("//duckduckgo.com/y.js?ad_domain=x") WEB("/y.js?u3=x") WEB(UDDG("https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dx")) WEB("https://a.example/y.js")),
     RESULTS("https://a.example/y.js\n")},
    {"lite, ads", STR_INIT("<table><tr class=\"result-sponsored\"><td><a class=result-link href=https://ad.example/></a></td></tr>" LITE("https://duckduckgo.com/y.js?x") LITE("https://a.example/") "</table>"),
     RESULTS("https://a.example/\n")},
    {"lite, rows without end tags", STR_INIT("<table><tr class=result-sponsored><td><a class=result-link href=//ad.example></a><tr><td><a class=result-link href=//a.example></a>"),
     RESULTS("https://a.example/\n")},
    {"a void element opens nothing", STR_INIT("<br class=result--ad>" WEB("https://a.example/")),
     RESULTS("https://a.example/\n")},
    {"outside of a result", STR_INIT(WEB("https://a.example/") "<a class=result__a href=https://b.example/>T</a>"),
     RESULTS("https://a.example/\n")},
    {"other classes", STR_INIT(FORM "<div class=web-resultx><a class=result__a href=//a.example></a></div><div class=web-result><a class=xresult__a href=//b.example></a></div>"),
     NONE},
    {"an a without href", STR_INIT(FORM "<a class=result-link>T</a>"), NONE},
    {"in a comment, a script, a text area", STR_INIT(FORM "<!--" LITE("https://a.example/") "--><script>'" LITE("https://a.example/") "'</script><textarea>" LITE("https://a.example/") "</textarea><title><a class=result-link href=//b.example></title>"),
     NONE},
    {"after a foreign style", STR_INIT("<svg><style/><title/></svg>" WEB("https://a.example/")),
     RESULTS("https://a.example/\n")},
    {"upper case", STR_INIT("<DIV CLASS=web-result><A HREF=HTTPS://A.example CLASS=result__a></A></DIV>"),
     RESULTS("https://a.example/\n")},

    {"html, none", STR_INIT(FORM "<div class=\"result--no-result\"><div class=\"no-results\">No results.</div></div>" MORE), NONE, .status = 200},
    {"lite, none", STR_INIT("<form action=\"/lite/\"></form><table><tr><td>No results.</td></tr></table>" MORE), NONE},
    {"only ads", STR_INIT(FORM AD("https://ad.example/") MORE), NONE},
    {"empty", STR_INIT(""), NONE},

    {"status 202", STR_INIT(WEB("https://a.example/")), BLOCKED, .status = 202},
    {"status 403", STR_INIT(""), BLOCKED, .status = 403},
    {"status 429", STR_INIT(""), BLOCKED, .status = 429},
    {"challenge", STR_INIT("<form id=\"challenge-form\" action=\"//duckduckgo.com/anomaly.js?sv=html\" method=\"POST\">"), BLOCKED, .status = 200},
    {"modal", STR_INIT("<div class=\"x anomaly-modal__mask\">"), BLOCKED},
    {"modal, bare", STR_INIT("<div class=anomaly-modal>"), BLOCKED},
    {"challenge after results", STR_INIT(WEB("https://a.example/") "<form class=challenge-form>"), BLOCKED},
    {"challenge after other links", STR_INIT("<a href=//a.example></a><form class=challenge-form>"), BLOCKED},
    {"only spoken of", STR_INIT("<title>anomaly-modal</title><input value=challenge-form>" WEB("https://a.example/challenge-form") "id=\"challenge-form\"<!-- <p id=challenge-form> -->"),
     RESULTS("https://a.example/challenge-form\n")},

    {"another engine", STR_INIT("<a href=/settings>s</a><a href=https://www.engine.example/>w</a><a href=https://example/>up</a><article class=result><a href='https://a.example/?x=1&amp;y=2'>A</a><a href=https://a.example/?x=1&y=2>again</a></article><a href='javascript:x'>j</a><a href=https://b.example/>B</a><a href=https://duckduckgo.com/>D</a>"),
     RESULTS("https://a.example/?x=1&y=2\nhttps://b.example/\n")},
    {"another engine, none", STR_INIT("<a href=/settings>s</a><form action=/search></form>"), NONE},
};
// clang-format on

static bool row_is_good(const struct row *row, const struct searchpage *page)
{
    struct buf links;

    buf_init(&links, 1 << 20);
    for (size_t i = 0; i < page->count; i++) {
        buf_put(&links, page->link[i]);
        buf_put_char(&links, '\n');
    }
    bool is_good =
        page->kind == row->kind && str_eq(buf_str(&links), row->links);
    if (!is_good)
        print_error("%s: want kind %d and\n%sgot kind %d and\n%s", row->name,
                    (int)row->kind, row->links.ptr, (int)page->kind,
                    buf_cstr(&links));
    buf_release(&links);
    return is_good;
}

static void read_page(struct searchpage *page, struct arena *arena,
                      struct searchpage_answer answer)
{
    struct url base;

    assert_int_equal(url_parse(&base, arena,
                               STR("https://engine.example/html/?q=x"), NULL,
                               NULL),
                     ERR_NONE);
    answer.base = &base;
    searchpage_read(page, arena, &answer);
}

static void pages(void **state)
{
    struct searchpage page;
    struct arena arena;
    unsigned failed = 0;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct searchpage_answer answer = {.body = rows[i].body,
                                                 .status = rows[i].status};

        read_page(&page, &arena, answer);
        failed += !row_is_good(&rows[i], &page);
    }
    arena_release(&arena);
    assert_int_equal(failed, 0);
}

static void charsets(void **state)
{
    static const struct {
        struct str label, body, link;
    } cases[] = {
        {STR_INIT("iso-8859-1"), STR_INIT(WEB("https://a.example/\xe9")),
         STR_INIT("https://a.example/%C3%A9")},
        {STR_INIT(""),
         STR_INIT("\xff\xfe<\0a\0 \0c\0l\0a\0s\0s\0=\0r\0e\0s\0u\0l\0t\0-\0l\0"
                  "i\0n\0k\0 \0h\0r\0e\0f\0=\0h\0t\0t\0p\0:\0/\0/\0a\0/\0\x21"
                  "\x22>\0"),
         STR_INIT("http://a/%E2%88%A1")},
        {STR_INIT(""),
         STR_INIT("\xef\xbb\xbf" WEB("https://a.example/\xc3\xa9")),
         STR_INIT("https://a.example/%C3%A9")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct searchpage_answer answer = {.body = cases[i].body,
                                           .http_charset = cases[i].label};
        struct searchpage page;
        struct arena arena;

        arena_init(&arena);
        read_page(&page, &arena, answer);
        assert_int_equal(page.count, 1);
        assert_string_equal(page.link[0].ptr, cases[i].link.ptr);
        arena_release(&arena);
    }
}

static void nothing(void **state)
{
    static const struct searchpage_answer answers[] = {
        {.status = 200},
        {.http_charset = STR_INIT("utf-8")},
        {.body = STR_INIT("\xff\xfe")},
        {.body = STR_INIT("\xef\xbb\xbf")},
    };
    struct searchpage page;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        read_page(&page, &arena, answers[i]);
        assert_int_equal(page.kind, SEARCH_NO_RESULTS);
        assert_int_equal(page.count, 0);
    }
    arena_release(&arena);
}

/* Very many links, most of them twice, and an end to them. */
static void many(void **state)
{
    struct searchpage page;
    struct arena arena;
    struct buf body;

    (void)state;
    arena_init(&arena);
    buf_init(&body, 16 << 20);
    for (unsigned i = 0; i < 5000; i++)
        buf_printf(&body, "<a class=result-link href=http://a/%u></a>",
                   i < 4000 ? i % 900 : i);
    struct searchpage_answer answer = {.body = buf_str(&body)};
    read_page(&page, &arena, answer);
    assert_int_equal(page.kind, SEARCH_RESULTS);
    assert_int_equal(page.count, SEARCHPAGE_LINKS_MAX);
    assert_string_equal(page.link[899].ptr, "http://a/899");
    assert_string_equal(page.link[900].ptr, "http://a/4000");
    buf_release(&body);
    arena_release(&arena);
}

static void too_long(void **state)
{
    struct searchpage page;
    struct arena arena;
    struct buf body;

    (void)state;
    arena_init(&arena);
    buf_init(&body, 1 << 20);
    buf_printf(&body,
               "<a class=result-link href='http://a/%0*d'></a>"
               "<a class=result-link href='//duckduckgo.com/l/?uddg=%0*d'></a>"
               "<a class=result-link href=http://b/></a>",
               URL_LEN_MAX, 0, URL_LEN_MAX, 0);
    struct searchpage_answer answer = {.body = buf_str(&body)};
    read_page(&page, &arena, answer);
    assert_int_equal(page.count, 1);
    buf_release(&body);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),    cmocka_unit_test(charsets),
        cmocka_unit_test(nothing),  cmocka_unit_test(many),
        cmocka_unit_test(too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
