/* The synthetic web: its numbers, its names, its URLs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/small_web.h"
#include "testserver/options.h"

/* --- numbers ----------------------------------------------------------- */

static void pages_add_up(void **state)
{
    static const struct {
        uint64_t hosts, pages, skew;
    } rows[] = {{1, 1, 100},       {1, 1000, 100},   {10, 10, 100},
                {7, 1000, 100},    {1000, 1001, 50}, {10000, 200000, 100},
                {500, 12345, 200}, {100, 1000, 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct web_options options = small_web("x");
        struct web web;
        uint64_t total = 0;

        options.hosts = rows[i].hosts;
        options.pages = rows[i].pages;
        options.skew_percent = rows[i].skew;
        init_web(&web, &options);
        for (uint32_t host = 0; host < rows[i].hosts; host++) {
            assert_true(web_pages(&web, host) >= 1);
            total += web_pages(&web, host);
        }
        assert_int_equal(rows[i].pages, total);
        web_release(&web);
    }
}

static void power_law(void **state)
{
    struct web_options options = small_web("x");
    struct web web;

    (void)state;
    options.hosts = 1000;
    options.pages = 100000;
    init_web(&web, &options);
    /* The exponent is one: a tenth of the rank has ten times the pages. */
    double ratio = (double)web_pages(&web, 9) / (double)web_pages(&web, 99);
    assert_true(ratio > 8 && ratio < 12);
    web_release(&web);

    options.skew_percent = 0;
    init_web(&web, &options);
    assert_int_equal(100, web_pages(&web, 0));
    assert_int_equal(100, web_pages(&web, 999));
    web_release(&web);
}

/* Averages and shares come out as asked. */
static void shares(void **state)
{
    struct web_options options = small_web("y");
    struct web web;
    struct web_target links[WEB_MAX_LINKS];
    size_t total = 0, broken = 0, nofollow = 0, flaky = 0, gzip = 0;
    uint64_t bytes = 0;
    enum { PAGES = 20000 };

    (void)state;
    options.hosts = 1;
    options.pages = PAGES;
    init_web(&web, &options);
    for (uint64_t n = 0; n < PAGES; n++) {
        struct web_target page = {.kind = WEB_PAGE, .n = n};
        struct web_traits traits = web_traits(&web, 0, n);
        size_t count = web_links(&web, &page, links);

        flaky += traits.flaky;
        gzip += traits.gzip;
        bytes += traits.size;
        total += count;
        for (size_t i = 0; i < count; i++) {
            broken += links[i].kind == WEB_BROKEN;
            nofollow += links[i].nofollow;
        }
    }
    /* 12 random links, one home, one from the parent. */
    assert_in_range(total / PAGES, 12, 15);
    assert_in_range(bytes / PAGES, 7000, 9000);
    assert_in_range(broken * 1000 / total, 12, 22);    /* 2 % of the random */
    assert_in_range(nofollow * 1000 / total, 75, 100); /* 10 % of them */
    assert_in_range(flaky, PAGES / 50 - 80, PAGES / 50 + 80);
    assert_in_range(gzip * 100 / PAGES, 28, 32);
    assert_int_equal(PAGES / 50, (web_count(&web, 0, WEB_BROKEN)));
    web_release(&web);
}

/* --- names ------------------------------------------------------------- */

static void hosts_have_names(void **state)
{
    static const struct {
        const char *name;
        int host; /* -1: none */
    } rows[] = {
        {"d0.example", 0},
        {"d1.example", 1},
        {"h2.d2.example", 2},
        {"h7.d3.example", 7},
        {"d4.example", 8},
        {"H2.D2.Example", 2},
        {"d2.example", -1},
        {"h0.d0.example", -1},
        {"h2.d3.example", -1},
        {"h2.d2.example.", -1},
        {"x.example", -1},
        {"h2", -1},
        {"", -1},
        {"h.d2.example", -1},
        {"h02.d2.example", -1},
        {"h60.d30.example", -1},
        {"d30.example", -1},
        {"h99999999999999999999.d2.example", -1},
    };
    struct web_options options = small_web("x");
    struct web web;

    (void)state;
    init_web(&web, &options);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t host = 0;
        int got =
            web_find_host(&web, str_of(rows[i].name), &host) ? (int)host : -1;
        if (got != rows[i].host)
            fail_msg("%s: expected %d, got %d", rows[i].name, rows[i].host,
                     got);
    }
    web_release(&web);
}

static void urls_come_back(void **state)
{
    static const enum web_kind kinds[] = {
        WEB_PAGE,     WEB_REDIRECT, WEB_BROKEN,  WEB_ERROR, WEB_FILE,
        WEB_CALENDAR, WEB_GROWING,  WEB_SESSION, WEB_ROBOTS};
    struct web_options options = small_web("x");
    struct web web;
    struct buf path;

    (void)state;
    options.errors = WEB_ALL / 10;
    init_web(&web, &options);
    buf_init(&path, 1 << 16);
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        for (uint64_t n = 0; n < 4; n++) {
            struct web_target target = {.kind = kinds[k], .n = n};
            if (kinds[k] == WEB_ROBOTS)
                target.n = 0;
            buf_clear(&path);
            web_put_path(&web, &target, &path);
            struct web_target got = web_find(&web, 0, buf_str(&path));
            if (got.kind != kinds[k] || got.n != target.n)
                fail_msg("%s: expected %d %d, got %d %d", buf_cstr(&path),
                         kinds[k], (int)target.n, got.kind, (int)got.n);
        }
    }
    buf_release(&path);

    static const char *const nothing[] = {"",
                                          "/x",
                                          "/go/",
                                          "/go/99999",
                                          "/go/1x",
                                          "/s9/p1",
                                          "/grow/x",
                                          "/grow/more",
                                          "/calendar/2024",
                                          "/session",
                                          "/index.html",
                                          "/s0/p999999.html",
                                          "/session?sid=xyz",
                                          "/calendar/2024-13",
                                          "/robots.txt?x"};
    for (size_t i = 0; i < ARRAY_LEN(nothing); i++)
        if (web_find(&web, 0, str_of(nothing[i])).kind != WEB_NOTHING)
            fail_msg("%s: expected nothing", nothing[i]);
    web_release(&web);
}

static void the_seed_decides(void **state)
{
    struct web_options options = small_web("one");
    struct web a, b, c;
    struct buf text[3];
    static char filler[WEB_FILLER];

    (void)state;
    memset(filler, 'x', sizeof(filler));
    init_web(&a, &options);
    init_web(&b, &options);
    options.seed = "two";
    init_web(&c, &options);
    for (int i = 0; i < 3; i++) {
        struct web *web = i == 0 ? &a : i == 1 ? &b : &c;
        buf_init(&text[i], 1 << 24);
        for (uint64_t n = 0; n < 50; n++)
            web_put_page(web, &(struct web_target){.kind = WEB_PAGE, .n = n},
                         (struct str){filler, sizeof(filler)}, &text[i]);
    }
    assert_true(str_eq(buf_str(&text[0]), buf_str(&text[1])));
    assert_false(str_eq(buf_str(&text[0]), buf_str(&text[2])));
    for (int i = 0; i < 3; i++)
        buf_release(&text[i]);
    web_release(&a);
    web_release(&b);
    web_release(&c);
}

static void share_values(void **state)
{
    static const struct {
        const char *text;
        double expected; /* -1: refused */
    } rows[] = {{"0", 0},
                {"1", 1},
                {"0.5", 0.5},
                {"2%", 0.02},
                {"0.1%", 0.001},
                {"100%", 1},
                {"0.000001", 0.000001},
                {"1.1", -1},
                {"101%", -1},
                {"", -1},
                {"%", -1},
                {"-1", -1},
                {"0.0000001", -1},
                {"x", -1},
                {"0.x", -1}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t share = 0;
        double got = play_share(str_of(rows[i].text), &share)
                         ? (double)share / (double)WEB_ALL
                         : -1;
        double difference = got - rows[i].expected;
        if (difference > 1e-9 || difference < -1e-9)
            fail_msg("%s: expected %f, got %f", rows[i].text, rows[i].expected,
                     got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_add_up),   cmocka_unit_test(power_law),
        cmocka_unit_test(shares),         cmocka_unit_test(hosts_have_names),
        cmocka_unit_test(urls_come_back), cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(share_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
