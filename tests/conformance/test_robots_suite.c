/* robots.txt against the public suites (Google, RFC 9309, crawler-commons,
 * reppy, robots-parser, protego, temoto). A core case is one where the suite
 * and Google's matcher agree: all of those must pass, with the URL as written
 * and as a browser normalises it. Of the others, every one that differs is
 * listed with its reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "web/robots.h"

struct suite {
    struct arena arena;
    const struct json *json; /* NULL where the data is missing */
};

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (ascii_is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static struct str base64_decode(struct arena *arena, struct str text)
{
    char *out = arena_reserve(arena, text.len);
    size_t len = 0;
    unsigned bits = 0, count = 0;

    for (size_t i = 0; i < text.len && base64_value(text.ptr[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)base64_value(text.ptr[i]);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[len++] = (char)(bits >> count);
        }
    }
    arena_commit(arena, len);
    return (struct str){out, len};
}

static struct str robots_text(struct arena *arena, const struct json *row)
{
    const struct json *encoded = json_get(row, "robots_b64");

    return encoded ? base64_decode(arena, json_str(encoded))
                   : json_str(json_get(row, "robots"));
}

/* Path and query of a URL that need not be normalised, with or without a
 * scheme and a host. */
static struct str path_of(struct arena *arena, struct str url)
{
    const char *scheme = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
    size_t start = 0;

    if (scheme && str_find(url, '/') > (size_t)(scheme - url.ptr))
        start = (size_t)(scheme - url.ptr) + 3;
    else if (str_starts(url, STR("//")))
        start = 2;
    url = str_skip(url, start);
    url = str_first(url, str_find(url, '#'));

    size_t path = 0;
    while (path < url.len && url.ptr[path] != '/' && url.ptr[path] != '?')
        path++;
    url = str_skip(url, path);
    if (url.len && url.ptr[0] == '/')
        return url;

    char *out = arena_reserve(arena, url.len + 1);
    out[0] = '/';
    if (url.len)
        memcpy(out + 1, url.ptr, url.len);
    arena_commit(arena, url.len + 1);
    return (struct str){out, url.len + 1};
}

static bool allows(struct suite *suite, const struct json *row,
                   const char *url_key, unsigned *line)
{
    struct str url = json_str(json_get(row, url_key));
    struct robots *robots = robots_new(robots_text(&suite->arena, row),
                                       json_str(json_get(row, "agent")));
    bool allowed = robots_allows(robots, path_of(&suite->arena, url), line);

    robots_free(robots);
    return allowed;
}

static void print_row(const struct json *row, const char *url_key, bool got,
                      unsigned line)
{
    printf("case %g, %s, %s\n", json_number(json_get(row, "id")),
           json_str(json_get(row, "source")).ptr,
           json_str(json_get(row, "test")).ptr);
    printf("  agent %s, %s %.200s: expected %s, got %s (line %u)\n",
           json_str(json_get(row, "agent")).ptr, url_key,
           json_str(json_get(row, url_key)).ptr,
           json_bool(json_get(row, "allowed")) ? "allow" : "disallow",
           got ? "allow" : "disallow", line);
    printf("%.1000s\n", json_str(json_get(row, "robots")).ptr);
}

static void core(void **state)
{
    static const char *const url_keys[] = {"url", "url_norm"};
    struct suite *suite = *state;
    size_t count = 0, failed = 0;

    if (!suite->json)
        skip();
    const struct json *rows = json_get(suite->json, "cases");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        if (!json_bool(json_get(row, "core")))
            continue;
        count++;
        for (size_t k = 0; k < ARRAY_LEN(url_keys); k++) {
            unsigned line;
            bool got = allows(suite, row, url_keys[k], &line);
            if (got != json_bool(json_get(row, "allowed"))) {
                print_row(row, url_keys[k], got, line);
                failed++;
            }
        }
    }
    assert_int_equal(count, 1524);
    assert_int_equal(failed, 0);
}

/* Letters, '-' and '_', and perhaps a version. */
static bool is_product_token(struct str agent)
{
    agent = str_trim(str_cut(agent, '/').head);
    for (size_t i = 0; i < agent.len; i++)
        if (!ascii_is_alpha(agent.ptr[i]) && agent.ptr[i] != '-' &&
            agent.ptr[i] != '_')
            return false;
    return agent.len > 0;
}

static const char *reason_to_differ(const struct json *row)
{
    static const struct {
        int first, last;
        const char *reason;
    } listed[] = {
        {63, 65, "Google does not encode non-ASCII URLs, browsers do"},
        {255, 257, "Google does not encode non-ASCII URLs, browsers do"},
        {606, 606, "a long crawl delay is honoured, it forbids nothing"},
        {786, 786, "markup in a path is part of it"},
        {1022, 1023, "one user-agent line names one agent"},
        {1042, 1042, "other records end no group (RFC 9309, 2.2.4)"},
        {1049, 1049, "rules before any user-agent line are nobody's"},
        {1095, 1095, "a blank may stand for the colon, as at Google"},
        {1256, 1272, "another port has another robots.txt: not asked here"},
        {1283, 1287, "tokens are compared whole, not by their beginning"},
        {1457, 1457, "the file names no product token (RFC 9309, 2.2.1)"},
        {1580, 1582, "other records end no group (RFC 9309, 2.2.4)"},
        {1592, 1592, "no wildcards in agent names"},
        {1618, 1618, "contradicts core case 66"},
        {1637, 1638, "'$' at the end is an anchor, never also a character"},
        {1640, 1640, "a rule starts with '/' or '*'"},
        {1686, 1688, "a rule starts with '/' or '*'"},
    };
    int id = (int)json_number(json_get(row, "id"));

    if (!is_product_token(json_str(json_get(row, "agent"))))
        return "the agent is no product token (RFC 9309, 2.2.1)";
    if (str_ends(json_str(json_get(row, "url")), STR("/robots.txt")))
        return "contradicts core cases 348 and 489";
    for (size_t i = 0; i < ARRAY_LEN(listed); i++)
        if (id >= listed[i].first && id <= listed[i].last)
            return listed[i].reason;
    return NULL;
}

static void not_core(void **state)
{
    struct suite *suite = *state;
    size_t count = 0, agree = 0, failed = 0;

    if (!suite->json)
        skip();
    const struct json *rows = json_get(suite->json, "cases");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        const struct json *allowed = json_get(row, "allowed");
        unsigned line;
        if (json_bool(json_get(row, "core")))
            continue;
        count++;
        bool got = allows(suite, row, "url_norm", &line);
        if (json_is(allowed, got ? JSON_TRUE : JSON_FALSE)) {
            agree++;
        } else if (!reason_to_differ(row)) {
            print_row(row, "url_norm", got, line);
            failed++;
        }
    }
    printf("not core: %zu of %zu agree, the others are listed\n", agree, count);
    assert_int_equal(count, 195);
    assert_int_equal(agree, 81);
    assert_int_equal(failed, 0);
}

/* Rows that were made of an assertion on another number. Their files have no
 * Crawl-delay line, so the delay of each is 0. */
static const struct {
    size_t row;
    const char *test, *agent;
    unsigned number; /* that stands for the delay in milliseconds */
    const char *counts;
} no_delays[] = {
    {0, "testAPIsanitizeUserAgentList", "foobot", 3, "rules"},
    {27, "testExamplesRobotsTxtRFC9309", "foobot", 3, "rules"},
    {28, "testExamplesRobotsTxtRFC9309", "barbot", 1, "rules"},
    {29, "testExamplesRobotsTxtRFC9309", "bazbot", 1, "rules"},
    {31, "testExamplesRobotsTxtRFC9309", "anyotherbot", 3, "rules"},
    {32, "testExamplesRobotsTxtRFC9309", "examplebot", 3, "rules"},
    {33, "testExamplesRobotsTxtRFC9309", "anyotherbot", 2, "rules"},
    {34, "testExamplesRobotsTxtRFC9309", "bazbot", 1, "rules"},
    {37, "testExtensionsGroupMerging", "anyotherbot", 3, "other records"},
    {46, "testRelativeSitemap", "bot1", 1, "sitemaps"},
    {53, "testSitemap", "bot1", 3, "sitemaps"},
    {54, "testSitemapAtEndOfFile", "a", 1, "sitemaps"},
    {55, "testSitemapDedup", "bot1", 1, "sitemaps"},
    {56, "testSitemapInvalidBaseUrl", "a", 1, "sitemaps"},
};

static bool has_delay_line(struct str text)
{
    for (; text.len; text = str_skip(text, 1))
        if (str_starts_nocase(text, STR("crawl-delay:")))
            return true;
    return false;
}

/* The row's delay: what it says, unless it is listed, and then 0. */
static double expected_delay_ms(struct suite *suite, const struct json *row,
                                size_t number, size_t *listed)
{
    double says = json_number(json_get(row, "crawl_delay_ms"));

    if (*listed == ARRAY_LEN(no_delays) || no_delays[*listed].row != number)
        return says;
    assert_string_equal(json_str(json_get(row, "test")).ptr,
                        no_delays[*listed].test);
    assert_string_equal(json_str(json_get(row, "agent")).ptr,
                        no_delays[*listed].agent);
    assert_true(says == no_delays[*listed].number);
    assert_false(has_delay_line(robots_text(&suite->arena, row)));
    ++*listed;
    return 0;
}

static void crawl_delays(void **state)
{
    struct suite *suite = *state;
    size_t listed = 0;

    if (!suite->json)
        skip();
    const struct json *rows = json_get(suite->json, "crawl_delay_cases");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        double expected = expected_delay_ms(suite, row, i, &listed);
        struct str agent = json_str(json_get(row, "agent"));
        struct robots *robots =
            robots_new(robots_text(&suite->arena, row), agent);
        uint32_t got = robots_crawl_delay_ms(robots);
        robots_free(robots);
        if (got != expected)
            fail_msg("row %zu, %s, agent %s: expected %g, got %u\n%s", i,
                     json_str(json_get(row, "test")).ptr, agent.ptr, expected,
                     got, json_str(json_get(row, "robots")).ptr);
    }
    assert_int_equal(json_count(rows), 82);
    assert_int_equal(listed, ARRAY_LEN(no_delays));
}

static void sitemaps(void **state)
{
    struct suite *suite = *state;

    if (!suite->json)
        skip();
    const struct json *rows = json_get(suite->json, "sitemap_cases");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        const struct json *expected = json_get(row, "sitemaps");
        struct robots *robots =
            robots_new(robots_text(&suite->arena, row), STR("bot"));
        struct str sitemap = {0};
        size_t count = 0;
        while (robots_next_sitemap(robots, &sitemap)) {
            struct str wanted = json_str(json_at(expected, count++));
            if (!str_eq(sitemap, wanted))
                fail_msg("case %zu: expected %s, got %.*s", i, wanted.ptr,
                         (int)sitemap.len, sitemap.ptr);
        }
        assert_int_equal(count, json_count(expected));
        robots_free(robots);
    }
    assert_int_equal(json_count(rows), 7);
}

/* The facts are prose: each has its statuses here, in the file's order. */
static void statuses(void **state)
{
    static const struct {
        const char *status; /* as the file says it */
        int first, last;    /* 0, 0: not about the status of an answer */
        enum robots_access access;
    } facts[] = {
        {"2xx", 200, 299, ROBOTS_PARSE},
        {"3xx", 300, 399, ROBOTS_FOLLOW},
        {"4xx", 400, 428, ROBOTS_UNAVAILABLE}, /* 429 is "later" */
        {"5xx or network error", 500, 599, ROBOTS_UNREACHABLE},
        {"cache", 0, 0, ROBOTS_PARSE},
        {"size", 0, 0, ROBOTS_PARSE},
        {"503", 503, 503, ROBOTS_UNREACHABLE},
        {"301 (unfollowed)", 301, 301, ROBOTS_FOLLOW},
        {"400..419", 400, 419, ROBOTS_UNAVAILABLE},
        /* The older convention; RFC 9309 has no exception for these. */
        {"401, 403", 401, 403, ROBOTS_UNAVAILABLE},
        {"other 4xx", 430, 499, ROBOTS_UNAVAILABLE},
        {"5xx", 500, 599, ROBOTS_UNREACHABLE},
        {"content too big / SSL error / connection error / malformed url / "
         "excessive redirects",
         -1, 0, ROBOTS_UNREACHABLE},
        {"200 (empty),400,401,403,404", 400, 404, ROBOTS_UNAVAILABLE},
        {"500,502,503,504", 500, 504, ROBOTS_UNREACHABLE},
    };
    struct suite *suite = *state;

    if (!suite->json)
        skip();
    const struct json *rows = json_get(suite->json, "http_status_facts");
    assert_int_equal(json_count(rows), ARRAY_LEN(facts));
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        const struct json *row = json_at(rows, i);
        assert_string_equal(json_str(json_get(row, "status")).ptr,
                            facts[i].status);
        if (!facts[i].first)
            continue;
        for (int status = facts[i].first; status <= facts[i].last; status++)
            if (robots_access_of_status(status) != facts[i].access)
                fail_msg("%s: status %d gives %d", facts[i].status, status,
                         robots_access_of_status(status));
    }
}

/* That the tests above take the path out of a URL as Google does. */
static void path_extraction(void **state)
{
    struct suite *suite = *state;

    if (!suite->json)
        skip();
    const struct json *rows = json_get(suite->json, "google_path_extraction");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        struct str url = json_str(json_get(row, "url"));
        struct str expected = json_str(json_get(row, "path"));
        struct str got = path_of(&suite->arena, url);
        if (!str_eq(got, expected))
            fail_msg("%s: expected %s, got %.*s", url.ptr, expected.ptr,
                     (int)got.len, got.ptr);
    }
    assert_int_equal(json_count(rows), 19);
}

static int setup(void **state)
{
    struct suite *suite = calloc(1, sizeof(*suite));

    if (!suite)
        return 1;
    arena_init(&suite->arena);
    suite->json = conformance_json("robots/robots_cases.json", &suite->arena);
    *state = suite;
    return 0;
}

static int teardown(void **state)
{
    struct suite *suite = *state;

    arena_release(&suite->arena);
    free(suite);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core),         cmocka_unit_test(not_core),
        cmocka_unit_test(crawl_delays), cmocka_unit_test(sitemaps),
        cmocka_unit_test(statuses),     cmocka_unit_test(path_extraction),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
