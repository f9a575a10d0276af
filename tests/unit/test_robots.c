#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "web/robots.h"

static void check(const char *title, struct str text, const char *agent,
                  struct str path, bool allowed, unsigned line)
{
    struct robots *robots = robots_new(text, str_of(agent));
    unsigned got_line = 99;
    bool got = robots_allows(robots, path, &got_line);

    robots_free(robots);
    if (got != allowed || got_line != line)
        fail_msg("%s: agent %s, %.*s: expected %s by line %u, got %s by %u",
                 title, agent, (int)path.len, path.ptr,
                 allowed ? "allow" : "disallow", line,
                 got ? "allow" : "disallow", got_line);
}

struct match {
    struct str text;
    const char *path;
    bool allowed;
    unsigned line;
};

static void check_all(const struct match *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(cases[i].text.ptr, cases[i].text, "bot", str_of(cases[i].path),
              cases[i].allowed, cases[i].line);
}

static void deciding_line(void **state)
{
    static const struct match cases[] = {
        {STR_INIT(""), "/", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /"), "/", false, 2},
        {STR_INIT("user-agent: *\ndisallow:"), "/", true, 0},
        {STR_INIT("user-agent: *\nallow: /"), "/", true, 2},
        {STR_INIT("user-agent: *\ndisallow: /\nallow: /a"), "/ab", true, 3},
        {STR_INIT("user-agent: *\nallow: /a\ndisallow: /"), "/ab", true, 2},
        {STR_INIT("user-agent: *\nallow: /a\ndisallow: /"), "/b", false, 3},
        /* Equally long: allow, and then the first. */
        {STR_INIT("user-agent: *\ndisallow: /a\nallow: /a"), "/a", true, 3},
        {STR_INIT("user-agent: *\ndisallow: /a\ndisallow: /a"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndisallow: /*b\nallow: /ab"), "/ab", true, 3},
        /* '*' and '$' count. */
        {STR_INIT("user-agent: *\nallow: /ab\ndisallow: /ab*"), "/ab", false,
         3},
        {STR_INIT("user-agent: *\nallow: /ab\ndisallow: /ab$"), "/ab", false,
         3},
        {STR_INIT("user-agent: *\nallow: /a*\ndisallow: /a**"), "/a", false, 3},
        /* Line ends: LF, CR, CRLF, each one line. */
        {STR_INIT("\r\n\r\r\n\nuser-agent: *\rdisallow: /"), "/", false, 6},
        {STR_INIT("\n\r\nuser-agent: *\r\n\rdisallow: /\r\n"), "/", false, 5},
        {STR_INIT("# c\n\nuser-agent: * # c\ndisallow: /a # c"), "/a", false,
         4},
        /* /robots.txt is a path like any other here. */
        {STR_INIT("user-agent: *\ndisallow: /"), "/robots.txt", false, 2},
    };

    (void)state;
    check_all(cases, ARRAY_LEN(cases));
}

static void syntax(void **state)
{
    static const struct match cases[] = {
        {STR_INIT("USER-AGENT:*\nDISALLOW:/a"), "/a", false, 2},
        {STR_INIT(" user-agent : * \n\t disallow\t:\t/a \t"), "/a", false, 2},
        {STR_INIT("user-agent *\ndisallow /a"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndisallow /a b"), "/a", true, 0},
        {STR_INIT("user-agent: *\ndisallow"), "/", true, 0},
        {STR_INIT("user-agent: *\n: /"), "/", true, 0},
        {STR_INIT("useragent: *\ndissallow: /a"), "/a", false, 2},
        {STR_INIT("user agent: *\ndissalow: /a"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndisalow: /a"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndiasllow: /a"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndisallaw: /a"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndesallow: /a"), "/a", true, 0},
        {STR_INIT("user-agent: *\ndisallow: a"), "/a", true, 0},
        {STR_INIT("user-agent: *\ndisallow: http://h/a"), "/a", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /a#b"), "/a", false, 2},
        {STR_INIT("user-agent: *\ndisallow: #/a"), "/a", true, 0},
        {STR_INIT("\xEF\xBB\xBFuser-agent: *\ndisallow: /a"), "/a", false, 2},
        {STR_INIT("\xEF\xBBuser-agent: *\ndisallow: /a"), "/a", false, 2},
        {STR_INIT("\xEFuser-agent: *\ndisallow: /a"), "/a", false, 2},
        {STR_INIT("\xBBuser-agent: *\ndisallow: /a"), "/a", true, 0},
        {STR_INIT("\xEF\xBB\xBF"), "/a", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /a\0b"), "/a", true, 0},
        {STR_INIT("user-agent: *\n\0disallow: /a"), "/a", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /a/index.html"), "/a/", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /\nallow: /a/index.html"), "/a/",
         true, 3},
        {STR_INIT("user-agent: *\ndisallow: /\nallow: /a/index.html"), "/a/b",
         false, 2},
    };

    (void)state;
    check_all(cases, ARRAY_LEN(cases));
}

static void groups(void **state)
{
    static const struct {
        struct str text;
        const char *agent;
        bool allowed; /* of /x */
        unsigned line;
    } cases[] = {
        {STR_INIT("disallow: /\nuser-agent: *\nallow: /"), "bot", true, 3},
        {STR_INIT("user-agent: bot\nuser-agent: other\ndisallow: /"), "bot",
         false, 3},
        {STR_INIT("user-agent: bot\nuser-agent: other\ndisallow: /"), "other",
         false, 3},
        {STR_INIT("user-agent: bot\nuser-agent: other\ndisallow: /"), "third",
         true, 0},
        {STR_INIT("user-agent: *\ndisallow: /\nuser-agent: bot\nallow: /"),
         "BOT", true, 4},
        {STR_INIT("user-agent: bot\nallow: /\nuser-agent: *\ndisallow: /"),
         "bot", true, 2},
        /* A group of our own without rules still replaces "*". */
        {STR_INIT("user-agent: *\ndisallow: /\nuser-agent: bot\ndisallow:"),
         "bot", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /\nuser-agent: bot"), "bot", true,
         0},
        /* Groups of one agent are one. */
        {STR_INIT("user-agent: bot\nallow: /y\n\nuser-agent: other\n"
                  "disallow:\nuser-agent: bot\ndisallow: /x"),
         "bot", false, 7},
        {STR_INIT("user-agent: *\nallow: /y\nuser-agent: *\ndisallow: /"),
         "bot", false, 4},
        /* Blank lines and other records end no group. */
        {STR_INIT("user-agent: bot\n\n\ndisallow: /"), "bot", false, 4},
        {STR_INIT("user-agent: bot\nsitemap: /s\nuser-agent: x\ndisallow: /"),
         "bot", false, 4},
        {STR_INIT("user-agent: bot\ncrawl-delay: 1\nuser-agent: x\n"
                  "disallow: /"),
         "bot", false, 4},
        /* Tokens. */
        {STR_INIT("user-agent: bot/1.0 (x)\ndisallow: /"), "bot", false, 2},
        {STR_INIT("user-agent: bot\ndisallow: /"), "bot/2.0", false, 2},
        {STR_INIT("user-agent: bot\ndisallow: /"), " bot / 2.0", false, 2},
        {STR_INIT("user-agent: bot\ndisallow: /"), "bots", true, 0},
        {STR_INIT("user-agent: bots\ndisallow: /"), "bot", true, 0},
        {STR_INIT("user-agent: a-b_c\ndisallow: /"), "A-B_C", false, 2},
        {STR_INIT("user-agent: * bot\ndisallow: /"), "other", false, 2},
        {STR_INIT("user-agent: *bot\ndisallow: /"), "other", true, 0},
        {STR_INIT("user-agent:\ndisallow: /"), "", true, 0},
        {STR_INIT("user-agent: *\ndisallow: /"), "", false, 2},
        {STR_INIT("user-agent: *\ndisallow: /"), "*", false, 2},
        /* Several tokens: the groups of all of them. */
        {STR_INIT("user-agent: bot\ndisallow: /"), "a, bot/1.0 ,b", false, 2},
        {STR_INIT("user-agent: bot\ndisallow: /"), "a/1,bot", false, 2},
        {STR_INIT("user-agent: bot\ndisallow: /"), "a,b", true, 0},
        {STR_INIT("user-agent: bot\ndisallow: /"), ",bots,", true, 0},
        {STR_INIT("user-agent:\ndisallow: /"), ",", true, 0},
        {STR_INIT("user-agent: a\nallow: /y\nuser-agent: b\ndisallow: /\n"
                  "user-agent: *\nallow: /x"),
         "a,b", false, 4},
        {STR_INIT("user-agent: x\ndisallow: /"), "bot,x/5.0 (y; z)", true, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(cases[i].text.ptr, cases[i].text, cases[i].agent, STR("/x"),
              cases[i].allowed, cases[i].line);
}

static const struct {
    const char *pattern, *path;
    bool matches;
} patterns_cases[] = {
    {"/", "/anything", true},
    {"/a", "/a", true},
    {"/a", "/ab", true},
    {"/a", "/", false},
    {"/a", "/A", false},
    {"/a$", "/a", true},
    {"/a$", "/ab", false},
    {"/a$", "/a?b", false},
    {"$", "/", false},
    {"/$", "/", true},
    {"*", "/a", true},
    {"**", "/a", true},
    {"*$", "/a", true},
    {"*a", "/bab", true},
    {"*a$", "/bab", false},
    {"*a$", "/baba", true},
    {"/*/b", "/a/c/b/d", true},
    {"/a*b*c$", "/axbxc", true},
    {"/a*b*c$", "/axbxcx", false},
    {"/a*b*c$", "/axcxb", false},
    {"/a*ab$", "/ab", false},
    {"/a*ab$", "/aab", true},
    {"/a**b", "/axb", true},
    {"/a*$b", "/ax$b", true},
    {"/a$b", "/a$b", true},
    {"/a$b", "/a", false},
    {"/*.php$", "/x.php", true},
    {"/*.php$", "/x.php?a", false},
    {"/*?a=", "/x?a=1", true},
    /* Percent-encoding: RFC 9309, 2.2.2 and 2.2.3. */
    {"/%7Ea", "/~a", true},
    {"/~a", "/%7Ea", true},
    {"/~a", "/%7ea", true},
    {"/a%2Fb", "/a/b", false},
    {"/a%2Fb", "/a%2fb", true},
    {"/a%2fb", "/a%2Fb", true},
    {"/\xE3\x83\x84", "/%E3%83%84", true},
    {"/%e3%83%84", "/%E3%83%84", true},
    {"/%E3%83%84", "/\xE3\x83\x84", true},
    {"/a%2Ab", "/a*b", true},
    {"/a%2Ab", "/axb", false},
    {"/a*b", "/a%2Ab", true},
    {"/a%24", "/a$", true},
    {"/a%24", "/a", false},
    {"/a|b", "/a%7Cb", true},
    {"/a b", "/a%20b", true},
    {"/a%zz", "/a%zz", true},
    {"/a%", "/a%", true},
    {"/a%6", "/a%6", true},
    {"/a?u=http://x", "/a?u=http%3A%2F%2Fx", true},
    {"/a?u=http%3a%2f%2fx", "/a?u=http://x", true},
    {"/a%3Fb", "/a?b", false},
    {"/*%2F*", "/a?u=b%2Fc", true},
    {"/*/c", "/a?u=b/c", true},
};

static void patterns(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(patterns_cases); i++) {
        char text[200];
        snprintf(text, sizeof(text), "user-agent: *\ndisallow: %s",
                 patterns_cases[i].pattern);
        check(patterns_cases[i].pattern, str_of(text), "bot",
              str_of(patterns_cases[i].path), !patterns_cases[i].matches,
              patterns_cases[i].matches ? 2 : 0);
    }
}

/* In doubt, no: Google does not decode a letter in a rule, the RFC does. */
static void encoded_letters(void **state)
{
    struct str disallow = STR("user-agent: *\ndisallow: /%61");
    struct str allow = STR("user-agent: *\ndisallow: /\nallow: /%61");

    (void)state;
    check("disallow", disallow, "bot", STR("/a"), false, 2);
    check("disallow", disallow, "bot", STR("/%61"), false, 2);
    check("allow", allow, "bot", STR("/a"), false, 2);
    check("allow", allow, "bot", STR("/%61"), true, 3);
}

static void utf16(void **state)
{
    static const char ascii[] = "user-agent: *\ndisallow: /a\n";
    char big[2 + 2 * sizeof(ascii)] = "\xFE\xFF";
    char little[2 + 2 * sizeof(ascii)] = "\xFF\xFE";
    size_t len = 2 + 2 * strlen(ascii);

    (void)state;
    for (size_t i = 0; i < strlen(ascii); i++) {
        big[2 + 2 * i + 1] = ascii[i];
        little[2 + 2 * i] = ascii[i];
    }
    check("big", (struct str){big, len}, "bot", STR("/a"), false, 2);
    check("little", (struct str){little, len}, "bot", STR("/a"), false, 2);
    check("odd", (struct str){little, len - 1}, "bot", STR("/a"), false, 2);
    check("mark only", STR("\xFF\xFE"), "bot", STR("/a"), true, 0);
    check("not UTF-16", STR("\xFF\xFE\nuser-agent: *\ndisallow: /a"), "bot",
          STR("/a"), false, 3);
}

/* A file of `size` bytes: the beginning, then `fill` over and over. */
static struct str repeated(struct buf *buf, const char *start, const char *fill,
                           size_t size)
{
    buf_init(buf, size + 100);
    buf_put(buf, str_of(start));
    while (buf->len < size)
        buf_put(buf, str_of(fill));
    return (struct str){buf->ptr, size};
}

static void size_limit(void **state)
{
    struct buf buf;
    size_t len = strlen("\ndisallow: /late");

    (void)state;
    /* The last line ends right at the limit, one byte beyond it (it is cut
     * and does not count), or in front of a line end at the limit. */
    for (int over = -1; over <= 1; over++) {
        struct str text =
            repeated(&buf, "user-agent: *\n", "#", ROBOTS_SIZE_MAX + 2000);
        size_t at = ROBOTS_SIZE_MAX - len + (size_t)(over + 1) - 1;
        memcpy(buf.ptr + at, "\ndisallow: /late", len);
        if (over < 1)
            buf.ptr[at + len] = '\n';
        check("limit", text, "bot", STR("/late"), over > 0, over > 0 ? 0 : 3);
        buf_release(&buf);
    }
    struct str text = repeated(&buf, "", "x", ROBOTS_SIZE_MAX + 1);
    check("one line", text, "bot", STR("/"), true, 0);
    buf_release(&buf);
}

static void long_line(void **state)
{
    struct buf buf;
    struct str text = repeated(&buf, "user-agent: *\ndisallow: /", "a", 20000);
    char path[20000];

    (void)state;
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    check("long", text, "bot", (struct str){path, sizeof(path)}, false, 2);
    check("long", text, "bot", (struct str){path, 16663 - 10}, false, 2);
    check("long", text, "bot", (struct str){path, 16663 - 11}, true, 0);
    buf_release(&buf);
}

/* Files made to hurt: bounded time and memory, and an answer. */
static void hostile(void **state)
{
    static const struct {
        const char *start, *fill;
    } files[] = {
        {"user-agent: *\ndisallow: ", "*"},
        {"user-agent: *\n", "disallow: /*a*a*a*a*a*a*b\n"},
        {"user-agent: *\n", "disallow:*aaaaaaaaaaaaaaaaab\n"},
        {"user-agent: *\n", "disallow:*b$\n"},
        {"user-agent: *\n", "allow:*?b\n"},
        {"user-agent: *\n", "allow:/index.html\n"},
        {"user-agent: *\n", "allow:/%61\n"},
        {"user-agent: *\n", "disallow:/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n"},
        {"", "user-agent: bot\n"},
        {"", "sitemap:a\n"},
        {"", "\n"},
        {"", "\r"},
        {"", ":"},
        {"", "%"},
        {"", "user-agent: bot\rdisallow:\xFF\r"},
    };
    char path[8192];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct buf buf;
        struct str text =
            repeated(&buf, files[i].start, files[i].fill, 4 * ROBOTS_SIZE_MAX);
        uint64_t start_ms = clock_mono_ms();
        struct robots *robots = robots_new(text, STR("bot"));
        struct str sitemap = {0};
        unsigned line;

        assert_true(robots_size(robots) < 4 * ROBOTS_SIZE_MAX);
        while (robots_next_sitemap(robots, &sitemap))
            assert_true(sitemap.len > 0);
        for (int percent = 0; percent < 2; percent++) {
            memset(path, 'a', sizeof(path));
            path[0] = '/';
            for (size_t p = 1; percent && p + 2 < sizeof(path); p += 3)
                memcpy(path + p, "%FF", 3);
            robots_allows(robots, (struct str){path, sizeof(path)}, &line);
        }
        /* Generous: sanitizers and a busy machine. */
        if (clock_mono_ms() - start_ms > 5000)
            fail_msg("%s: %d ms", files[i].fill,
                     (int)(clock_mono_ms() - start_ms));
        robots_free(robots);
        buf_release(&buf);
    }
}

/* Beyond a bounded amount of work the answer is no. */
static void too_much_work(void **state)
{
    struct buf buf;
    struct str text = repeated(&buf, "user-agent: *\nallow: /\n", "allow: *b\n",
                               ROBOTS_SIZE_MAX);
    char path[8192];

    (void)state;
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    check("long path", text, "bot", (struct str){path, sizeof(path)}, false,
          323);
    check("short path", text, "bot", STR("/aaa"), true, 2);
    buf_release(&buf);
}

/* Only our agent's rules are kept. */
static void compact(void **state)
{
    struct buf buf;
    struct str text =
        repeated(&buf, "user-agent: bot\ndisallow: /private\nuser-agent: *\n",
                 "disallow: /a\n", 100000);
    struct robots *robots = robots_new(text, STR("bot"));

    (void)state;
    assert_true(robots_size(robots) < 64);
    robots_free(robots);
    buf_release(&buf);
}

/* --- delays, sitemaps, statuses, lines ----------------------------------- */

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

/* --- our name ------------------------------------------------------------ */

static void the_token_of_a_user_agent(void **state)
{
    static const struct {
        const char *user_agent, *token;
    } cases[] = {
        {"crawler/0.1.0 (+me@example.org)", "crawler"},
        {"mybot/1.0", "mybot"},
        {"mybot", "mybot"},
        {"  my-Bot_x / 1.0", "my-Bot_x"},
        {"mybot (Mozilla/5.0; compatible; other/1.0)", "mybot"},
        {"mybot/1.0 Mozilla/5.0 (compatible; other/1.0)", "mybot"},
        {"mybot(comment)", "mybot"},
        {"mybot; x", "mybot"},
        {"Mozilla/5.0 (compatible; mybot/1.0; +http://mybot.example/)",
         "mybot"},
        {"mozilla/5.0 (COMPATIBLE;mybot)", "mybot"},
        {"Mozilla/5.0 (compatible; mybot)", "mybot"},
        {"Mozilla/5.0 (compatible; mybot; more)", "mybot"},
        {"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)", "MSIE"},
        {"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; "
         "mybot/2.1; +http://mybot.example/) Chrome/1.2.3.4 Safari/537.36",
         "mybot"},
        {"Mozilla/5.0 (Linux; Android 6.0.1) AppleWebKit/537.36 (KHTML, like "
         "Gecko) Chrome/1 (compatible; mybot/2.1)",
         "mybot"},
        {"Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101", "Mozilla"},
        {"Mozilla/5.0 compatible; mybot/1.0", "Mozilla"},
        {"Mozilla/5.0 (incompatible; mybot/1.0)", "Mozilla"},
        {"Mozilla/5.0 (compatible)", "Mozilla"},
        /* Names that no robots.txt can have. */
        {"", ""},
        {" ", ""},
        {"/1.0", ""},
        {"(comment)", ""},
        {"bot42/1.0", ""},
        {"my.bot/1.0", ""},
        {"b\xc3\xb6t/1.0", ""},
        {"Mozilla/5.0 (compatible;", ""},
        {"Mozilla/5.0 (compatible; )", ""},
        {"Mozilla/5.0 (compatible; bot42/1.0)", ""},
        {"Mozilla/5.0 (compatible; +http://mybot.example/)", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str got = robots_token_of(str_of(cases[i].user_agent));
        if (!str_eq(got, str_of(cases[i].token)))
            fail_msg("'%s': expected '%s', got '%.*s'", cases[i].user_agent,
                     cases[i].token, (int)got.len, got.ptr);
    }
}

static void what_is_a_token(void **state)
{
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {"a", true},   {"Z-y_x", true},  {"-", true},         {"", false},
        {"a1", false}, {"a/1.0", false}, {"a b", false},      {"a,b", false},
        {"*", false},  {"a\n", false},   {"\xc3\xa4", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (robots_is_token(str_of(cases[i].text)) != cases[i].good)
            fail_msg("'%s'", cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deciding_line),
        cmocka_unit_test(syntax),
        cmocka_unit_test(groups),
        cmocka_unit_test(patterns),
        cmocka_unit_test(encoded_letters),
        cmocka_unit_test(utf16),
        cmocka_unit_test(size_limit),
        cmocka_unit_test(long_line),
        cmocka_unit_test(hostile),
        cmocka_unit_test(too_much_work),
        cmocka_unit_test(compact),
        cmocka_unit_test(crawl_delay),
        cmocka_unit_test(crawl_delay_groups),
        cmocka_unit_test(sitemaps),
        cmocka_unit_test(statuses),
        cmocka_unit_test(text_of_line),
        cmocka_unit_test(line_beyond_the_cap),
        cmocka_unit_test(the_token_of_a_user_agent),
        cmocka_unit_test(what_is_a_token)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
