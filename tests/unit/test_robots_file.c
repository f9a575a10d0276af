#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "robots/robots.h"

/* What a robots.txt says beside its rules, and what its status says. */

static void crawl_delay(void **state)
{
    static const struct {
        const char *value;
        uint32_t ms;
    } cases[] = {
        {"1", 1000},
        {"0", 0},
        {"0.5", 500},
        {".5", 500},
        {"2.", 2000},
        {"1.2345", 1234},
        {"0.001", 1},
        {"3600", 3600000},
        {"3601", 3600000},
        {"3599.9999", 3599999},
        {"99999999999999999999999999", 3600000},
        {"10 seconds", 10000},
        {"10<br>", 10000},
        {"10#", 10000},
        {"10s", 0},
        {"-1", 0},
        {"1.2.3", 0},
        {"1e3", 0},
        {"", 0},
        {".", 0},
        {"word", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[100];
        snprintf(text, sizeof(text), "user-agent: bot\ncrawl-delay: %s",
                 cases[i].value);
        struct robots *robots = robots_new(str_of(text), STR("bot"));
        uint32_t got = robots_crawl_delay_ms(robots);
        if (got != cases[i].ms)
            fail_msg("%s: expected %u, got %u", cases[i].value, cases[i].ms,
                     got);
        robots_free(robots);
    }
}

static void crawl_delay_groups(void **state)
{
    static const struct {
        const char *text;
        uint32_t ms;
    } cases[] = {
        /* Without a group it is everybody's, before one it is nobody's. */
        {"crawl-delay: 1", 1000},
        {"disallow: /\ncrawl-delay: 1\ncrawl-delay: 3\ncrawl-delay: 2", 3000},
        {"crawl-delay: 1\nuser-agent: bot\ndisallow: /", 0},
        {"crawl-delay: 1\nuser-agent: x\ndisallow: /", 0},
        {"crawl-delay: 1\nuser-agent: *\ncrawl-delay: 2", 2000},
        {"user-agent: *\ncrawl-delay: 1", 1000},
        {"user-agent: *\ncrawl-delay: 1\nuser-agent: bot\ndisallow: /", 0},
        {"user-agent: bot\ncrawl-delay: 1\nuser-agent: x\ncrawl-delay: 2",
         1000},
        {"user-agent: x\ncrawl-delay: 1\nuser-agent: bot\ncrawl-delay: 2",
         2000},
        {"user-agent: bot\nuser-agent: x\ncrawl-delay: 2", 2000},
        {"user-agent: bot\ndisallow: /\ncrawl-delay: 2", 2000},
        {"user-agent: bot\ncrawl-delay: 3\nuser-agent: bot\ncrawl-delay: 2",
         3000},
        {"user-agent: *\nuser-agent: bot\ncrawl-delay: 2", 2000},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct robots *robots = robots_new(str_of(cases[i].text), STR("bot"));
        uint32_t got = robots_crawl_delay_ms(robots);
        if (got != cases[i].ms)
            fail_msg("%s: expected %u, got %u", cases[i].text, cases[i].ms,
                     got);
        robots_free(robots);
    }
}

static void sitemaps(void **state)
{
    struct robots *robots =
        robots_new(STR("Sitemap: http://h/1\nuser-agent: x\nsite-map:\t/2 # c\n"
                       "sitemap:\nSITEMAP : 3"),
                   STR("bot"));
    struct str sitemap = {0};

    (void)state;
    assert_true(robots_next_sitemap(robots, &sitemap));
    assert_true(str_eq(sitemap, STR("http://h/1")));
    assert_true(robots_next_sitemap(robots, &sitemap));
    assert_true(str_eq(sitemap, STR("/2")));
    assert_true(robots_next_sitemap(robots, &sitemap));
    assert_true(str_eq(sitemap, STR("3")));
    assert_false(robots_next_sitemap(robots, &sitemap));
    robots_free(robots);

    robots = robots_new(STR(""), STR("bot"));
    sitemap = (struct str){0};
    assert_false(robots_next_sitemap(robots, &sitemap));
    robots_free(robots);
}

static void statuses(void **state)
{
    static const struct {
        int status;
        enum robots_access access;
    } cases[] = {
        {0, ROBOTS_UNREACHABLE},   {-1, ROBOTS_UNREACHABLE},
        {100, ROBOTS_UNREACHABLE}, {200, ROBOTS_PARSE},
        {299, ROBOTS_PARSE},       {301, ROBOTS_FOLLOW},
        {308, ROBOTS_FOLLOW},      {401, ROBOTS_UNAVAILABLE},
        {403, ROBOTS_UNAVAILABLE}, {404, ROBOTS_UNAVAILABLE},
        {410, ROBOTS_UNAVAILABLE}, {429, ROBOTS_UNREACHABLE},
        {500, ROBOTS_UNREACHABLE}, {503, ROBOTS_UNREACHABLE},
        {600, ROBOTS_UNREACHABLE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (robots_access_of_status(cases[i].status) != cases[i].access)
            fail_msg("%d: expected %d, got %d", cases[i].status,
                     cases[i].access, robots_access_of_status(cases[i].status));
}

static void text_of_line(void **state)
{
    static const struct {
        const char *what;
        struct str file;
        unsigned line;
        const char *expected; /* NULL: there is none */
    } cases[] = {
        {"first", STR_INIT("a: b\nc: d\n"), 1, "a: b"},
        {"second", STR_INIT("a: b\nc: d\n"), 2, "c: d"},
        {"none", STR_INIT("a: b\nc: d\n"), 0, NULL},
        {"beyond the end", STR_INIT("a: b\nc: d\n"), 3, NULL},
        {"no line end", STR_INIT("a\nDisallow: /x"), 2, "Disallow: /x"},
        {"CR", STR_INIT("a\rb\rc"), 2, "b"},
        {"CR LF", STR_INIT("a\r\nb\r\nc"), 3, "c"},
        {"LF CR", STR_INIT("a\n\rb"), 3, "b"},
        {"empty line", STR_INIT("a\n\nb"), 2, ""},
        {"comment and blanks", STR_INIT("\n Allow: /  # yes "), 2,
         " Allow: /  # yes "},
        {"mark",
         STR_INIT("\xEF\xBB\xBF"
                  "a\nb"),
         1, "a"},
        {"UTF-16",
         STR_INIT("\xFF\xFE"
                  "a\0\n\0b\0"),
         2, "b"},
        {"empty file", STR_INIT(""), 1, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out;
        buf_init(&out, 100);
        bool found = robots_line(cases[i].file, cases[i].line, &out);
        const char *expected = cases[i].expected;
        if (found != (expected != NULL) ||
            (found && strcmp(buf_cstr(&out), expected) != 0))
            fail_msg("%s: got '%s'", cases[i].what, buf_cstr(&out));
        buf_release(&out);
    }
}

static void line_beyond_the_cap(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 3);
    assert_false(robots_line(STR("abcd\nabc"), 1, &out));
    assert_true(robots_line(STR("abcd\nabc"), 2, &out));
    assert_string_equal(buf_cstr(&out), "abc");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crawl_delay),  cmocka_unit_test(crawl_delay_groups),
        cmocka_unit_test(sitemaps),     cmocka_unit_test(statuses),
        cmocka_unit_test(text_of_line), cmocka_unit_test(line_beyond_the_cap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
