#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/words.h"
#include "report/details.h"
#include "report/totals.h"
#include "support/storefile.h"

/* What the reports read from a record, with rows of our own making. */

#define HOST "http://h.example"

static const struct scan_options scan = {.fingerprint_seed = 7};

struct fixture {
    struct storefile *file;
    struct arena arena;
    struct report report;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    void *file;

    storefile_setup(&file);
    fixture->file = file;
    arena_init(&fixture->arena);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    void *file = fixture->file;

    store_close(fixture->report.store);
    arena_release(&fixture->arena);
    free(fixture);
    return storefile_teardown(&file);
}

static void add_row(struct fixture *fixture, uint64_t number, const char *text,
                    uint32_t depth, enum verdict verdict, enum target_kind kind)
{
    struct str url = str_of(text);
    const struct store_url row = {
        .number = number,
        .url = url,
        .host = str_first(str_skip(url, 7), 9),
        .domain = str_first(str_skip(url, 7), 9),
        .depth = depth,
        .found = 1,
        .kind = (uint8_t)kind,
        .verdict = (uint8_t)verdict,
    };

    store_add_url(&fixture->file->batch, &row);
}

static void add_url(struct fixture *fixture, uint64_t number, const char *text,
                    uint32_t depth, enum verdict verdict)
{
    add_row(fixture, number, text, depth, verdict, TARGET_PAGE);
}

static void add_fetch(struct fixture *fixture, uint64_t number, uint32_t page,
                      enum outcome outcome, uint64_t due_ms, const char *target)
{
    const struct store_fetch row = {
        .number = number,
        .page = page,
        .size = 10,
        .outcome = (uint8_t)outcome,
        .due_ms = due_ms,
        .target = target ? str_of(target) : (struct str){0},
    };

    store_add_fetch(&fixture->file->batch, &row);
}

static void write_all(struct fixture *fixture)
{
    storefile_create(fixture->file);
    fixture->report.store = storefile_open(fixture->file, STORE_READ);
    fixture->report.scan = scan;
}

static struct page_link link_of(struct fixture *fixture, const char *text)
{
    struct page_link link;

    if (pagescanner_link(&link, &fixture->arena, str_of(text), NULL, NULL,
                         &scan))
        fail_msg("%s is not a URL", text);
    return link;
}

static struct url_details read_details(struct fixture *fixture,
                                       const char *text)
{
    struct page_link link = link_of(fixture, text);
    struct url_details url;

    if (!url_details_read(&url, &fixture->report, &link, NULL, &fixture->arena))
        fail_msg("%s", fixture->report.error.text);
    return url;
}

/* --- finding URLs ----------------------------------------------------------
 */

/* Which of several records of a page is the one. */
static void the_best_record_of_a_page_is_found(void **state)
{
    static const struct {
        const char *asked;
        uint64_t expected;
    } cases[] = {
        {HOST "/deep", 2},      /* queued later at a smaller depth */
        {HOST "/nofollow", 3},  /* an accepted one stays before a refused */
        {HOST "/robots", 6},    /* the page's own refusal before others */
        {HOST "/spelled", 7},   /* this very spelling */
        {HOST "/spelled?", 8},  /* and that one */
        {HOST "/%73pelled", 8}, /* none of them: the one that was saved */
        {HOST "/twice", 10},    /* else the last one */
        {HOST "/map", 12},      /* a page before a sitemap */
        {HOST "/only-map", 13},
        {HOST "/taken-back", 15}, /* not the refusal that was taken back */
        {HOST "/none", 0},
    };
    struct fixture *fixture = *state;

    add_url(fixture, 1, HOST "/deep", 9, TOO_DEEP);
    add_url(fixture, 2, HOST "/deep", 1, ACCEPT);
    add_url(fixture, 3, HOST "/nofollow", 1, ACCEPT);
    add_url(fixture, 4, HOST "/nofollow", 1, NOFOLLOW);
    add_url(fixture, 5, HOST "/robots", 1, NOFOLLOW);
    add_url(fixture, 6, HOST "/robots?", 1, ROBOTS_REFUSED);
    add_url(fixture, 7, HOST "/spelled", 1, ACCEPT);
    add_url(fixture, 8, HOST "/spelled?", 1, ACCEPT);
    add_fetch(fixture, 7, 0, REDIRECTED, 0, HOST "/spelled?");
    add_fetch(fixture, 8, 1, FETCHED, 0, NULL);
    add_url(fixture, 9, HOST "/twice", 1, EXTERNAL);
    add_url(fixture, 10, HOST "/twice", 1, NOFOLLOW);
    add_row(fixture, 11, HOST "/map", 0, ACCEPT, TARGET_SITEMAP);
    add_row(fixture, 12, HOST "/map", 1, NOFOLLOW, TARGET_PAGE);
    add_row(fixture, 13, HOST "/only-map", 0, ACCEPT, TARGET_SITEMAP);
    add_url(fixture, 14, HOST "/taken-back", 1, NOFOLLOW);
    add_url(fixture, 15, HOST "/taken-back?", 1, TOO_DEEP);
    store_add_refusal(&fixture->file->batch,
                      &(struct store_refusal){.number = 14});
    write_all(fixture);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint64_t got = read_details(fixture, cases[i].asked).row.number;
        if (got != cases[i].expected)
            fail_msg("%s: record %llu, not %llu", cases[i].asked,
                     (unsigned long long)got,
                     (unsigned long long)cases[i].expected);
    }
}

static void details_are_of_the_latest_rows(void **state)
{
    const struct store_change change = {
        .number = 1,
        .depth = 2,
        .referrer = 8,
        .found = 5,
    };
    const struct store_refusal refusal = {
        .number = 2,
        .verdict = ROBOTS_REFUSED,
        .line = 4,
    };
    struct fixture *fixture = *state;

    add_url(fixture, 1, HOST "/a", 3, ACCEPT);
    add_url(fixture, 2, HOST "/b", 3, ACCEPT);
    add_url(fixture, 3, HOST "/c", 3, ACCEPT);
    store_add_change(&fixture->file->batch, &change);
    store_add_refusal(&fixture->file->batch, &refusal);
    add_fetch(fixture, 1, 0, HTTP_SERVER_ERROR, 99, NULL);
    add_fetch(fixture, 1, 6, FETCHED, 0, NULL);
    write_all(fixture);
    struct url_details url = read_details(fixture, HOST "/b");
    assert_true(str_eq(url.row.url, STR(HOST "/b")));
    assert_true(str_eq(url.row.host, STR("h.example")));
    assert_true(url.record.refused_late);
    assert_int_equal(url.refusal.line, 4);
    assert_int_equal(url.record.depth, 3);
    assert_int_equal(url.record.fetches, 0);
    url = read_details(fixture, HOST "/a");
    assert_false(url.record.refused_late);
    assert_int_equal(url.record.depth, 2);
    assert_int_equal(url.record.referrer, 8);
    assert_int_equal(url.record.found, 5);
    assert_int_equal(url.record.fetches, 2);
    assert_int_equal(url.fetch.page, 6);
    /* There is no page 8. Only 3 is queued, and nothing goes before it. */
    assert_int_equal(url.referrer, 0);
    assert_int_equal(read_details(fixture, HOST "/c").before, 0);
}

static void the_page_of_a_referrer_is_found(void **state)
{
    const struct store_change change = {.number = 3, .depth = 1, .referrer = 1};
    struct fixture *fixture = *state;

    add_url(fixture, 1, HOST "/1", 0, ACCEPT);
    add_url(fixture, 2, HOST "/2", 0, ACCEPT);
    add_url(fixture, 3, HOST "/3", 1, ACCEPT);
    add_fetch(fixture, 2, 1, FETCHED, 0, NULL);
    add_fetch(fixture, 1, 2, FETCHED, 0, NULL);
    store_add_change(&fixture->file->batch, &change);
    write_all(fixture);
    assert_int_equal(read_details(fixture, HOST "/3").referrer, 2);
    assert_int_equal(read_details(fixture, HOST "/1").referrer, 0);
}

static void queued_urls_that_a_breadth_first_crawl_takes_before(void **state)
{
    struct fixture *fixture = *state;

    add_url(fixture, 1, HOST "/1", 2, ACCEPT);
    add_url(fixture, 2, HOST "/2", 1, ACCEPT);
    add_url(fixture, 3, HOST "/3", 1, NOFOLLOW);
    add_url(fixture, 4, HOST "/4", 0, ACCEPT);
    add_url(fixture, 5, HOST "/5", 2, ACCEPT);
    add_url(fixture, 6, HOST "/6", 3, ACCEPT);
    add_fetch(fixture, 4, 1, FETCHED, 0, NULL);
    add_fetch(fixture, 2, 0, HTTP_SERVER_ERROR, 99, NULL); /* comes back */
    write_all(fixture);
    assert_int_equal(read_details(fixture, HOST "/2").before, 0);
    assert_int_equal(read_details(fixture, HOST "/1").before, 1);
    assert_int_equal(read_details(fixture, HOST "/5").before, 2);
    assert_int_equal(read_details(fixture, HOST "/6").before, 3);
}

/* A number that no crawl has given would decide an allocation. */
static void impossible_numbers_of_urls_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct page_link link = link_of(fixture, HOST "/1");
    struct totals totals;
    struct url_details url;

    add_url(fixture, (uint64_t)1 << 40, HOST "/1", 2, ACCEPT);
    write_all(fixture);
    assert_false(
        url_details_read(&url, &fixture->report, &link, NULL, &fixture->arena));
    assert_int_equal(fixture->report.error.status, STORE_DAMAGED);
    assert_false(totals_read(&totals, &fixture->report));
    assert_int_equal(fixture->report.error.status, STORE_DAMAGED);
    totals_release(&totals);
}

/* --- of one host -------------------------------------------------------------
 */

static void add_robots(struct fixture *fixture, const char *host, bool https,
                       const char *text)
{
    const struct store_robots row = {
        .host = str_of(host),
        .url = STR("http://x.example/robots.txt"),
        .https = https,
        .known = text != NULL,
        .outcome = text ? FETCHED : TIMED_OUT,
        .text = text ? str_of(text) : (struct str){0},
    };

    store_add_robots(&fixture->file->batch, &row);
}

#define RULES(rule) "user-agent: *\n" rule "\n"

/* The text that refused a URL is found among later and earlier ones. */
static void rules_are_those_that_refused_the_url(void **state)
{
    struct fixture *fixture = *state;
    struct host_details host;
    unsigned line;

    add_robots(fixture, "h.example", false, RULES("allow: /"));
    add_robots(fixture, "h.example", false, RULES("disallow: /a # this"));
    add_robots(fixture, "h.example", true, RULES("disallow: /a # https"));
    add_robots(fixture, "other.example", false, RULES("disallow: /a # no"));
    add_robots(fixture, "h.example", false,
               RULES("\ndisallow: /a # another line"));
    add_robots(fixture, "h.example", false, RULES("disallow: /b # last"));
    add_robots(fixture, "h.example", false, NULL);
    write_all(fixture);
    struct page_link link = link_of(fixture, HOST "/a");
    fixture->report.scan.robots_agent = STR("crawler");
    assert_true(host_details_read(&host, &fixture->report, &link.url, 2,
                                  &fixture->arena));
    assert_true(host.has_rules && host.rules_failed);
    assert_true(str_eq(host.rules.text, STR(RULES("disallow: /a # this"))));
    assert_int_equal(host.failure.outcome, TIMED_OUT);
    assert_false(host_details_allows(&host, &link.url, STR("crawler"), &line));
    assert_int_equal(line, 2);
    assert_true(host_details_allows(&host, &link.url, (struct str){0}, &line));
    /* Without a line it is the last that was had. */
    assert_true(host_details_read(&host, &fixture->report, &link.url, 0,
                                  &fixture->arena));
    assert_true(str_eq(host.rules.text, STR(RULES("disallow: /b # last"))));
    assert_true(host_details_allows(&host, &link.url, STR("crawler"), &line));
}

static void trouble_of_a_host_is_the_latest(void **state)
{
    const struct store_host rows[] = {
        {.name = STR_INIT("h.example"), .failures = 1, .outcome = NO_DNS},
        {.name = STR_INIT("other.example"), .failures = 9, .given_up = 1},
        {.name = STR_INIT("h.example"), .failures = 2, .outcome = TIMED_OUT},
        {.name = STR_INIT("well.example"), .failures = 2},
        {.name = STR_INIT("well.example")},
    };
    struct fixture *fixture = *state;
    struct host_details host;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        store_add_host(&fixture->file->batch, &rows[i]);
    write_all(fixture);
    struct page_link link = link_of(fixture, HOST "/a");
    assert_true(host_details_read(&host, &fixture->report, &link.url, 0,
                                  &fixture->arena));
    assert_true(host.troubled);
    assert_int_equal(host.trouble.failures, 2);
    assert_int_equal(host.trouble.outcome, TIMED_OUT);
    link = link_of(fixture, "http://well.example/");
    assert_true(host_details_read(&host, &fixture->report, &link.url, 0,
                                  &fixture->arena));
    assert_false(host.troubled);
}

/* --- figures ------------------------------------------------------------- */

/* The record of a small crawl with every end that there is. */
static void add_small_crawl(struct fixture *fixture)
{
    const struct store_refusal refusals[] = {
        {.number = 5, .verdict = DOMAIN_CAP},
        {.number = 7, .verdict = ACCEPT}, /* taken back */
        {.number = 8, .verdict = HOST_DEAD, .outcome = TIMED_OUT},
    };

    add_url(fixture, 1, HOST "/1", 0, ACCEPT); /* a page */
    add_url(fixture, 2, HOST "/2", 0, ACCEPT); /* queued */
    add_url(fixture, 3, HOST "/3", 0, ACCEPT); /* to be tried again */
    add_url(fixture, 4, HOST "/4", 0, ROBOTS_REFUSED);
    add_url(fixture, 5, HOST "/5", 0, ACCEPT); /* refused at its turn */
    add_url(fixture, 6, HOST "/6", 0, TOO_DEEP);
    add_url(fixture, 7, HOST "/2", 0, NOFOLLOW); /* queued all the same */
    add_url(fixture, 8, HOST "/8", 0, ACCEPT);   /* its host was given up */
    add_url(fixture, 9, "http://e.example/", 0, EXTERNAL);
    add_url(fixture, 10, HOST "/10", 0, ACCEPT); /* redirected */
    add_url(fixture, 11, HOST "/11", 0, ACCEPT); /* too large */
    add_row(fixture, 12, HOST "/map", 0, ACCEPT, TARGET_SITEMAP);
    add_url(fixture, 13, HOST "/13", 0, ACCEPT); /* cut short */
    add_fetch(fixture, 1, 1, FETCHED, 0, NULL);
    add_fetch(fixture, 3, 0, TIMED_OUT, 99, NULL);
    add_fetch(fixture, 8, 0, TIMED_OUT, 99, NULL);
    add_fetch(fixture, 10, 0, REDIRECTED, 0, HOST "/1");
    add_fetch(fixture, 11, 0, TOO_LARGE, 0, NULL);
    add_fetch(fixture, 12, 0, FETCHED, 0, NULL);
    add_fetch(fixture, 13, 0, ABANDONED, 99, NULL);
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
        store_add_refusal(&fixture->file->batch, &refusals[i]);
}

static void every_url_counts_once_by_its_end(void **state)
{
    static const uint64_t expected[URL_ENDS] = {
        [URL_QUEUED] = 3,   [URL_SAVED] = 1,  [URL_REDIRECTED] = 1,
        [URL_NOT_KEPT] = 1, [URL_FAILED] = 1, [URL_REFUSED] = 3,
        [URL_OUTSIDE] = 1,  [URL_NONE] = 1,
    };
    struct fixture *fixture = *state;
    struct totals totals;

    add_small_crawl(fixture);
    write_all(fixture);
    assert_true(totals_read(&totals, &fixture->report));
    for (int end = 0; end < URL_ENDS; end++)
        if (totals.ends[end] != expected[end])
            fail_msg("%s: %llu, not %llu", url_end_name((enum url_end)end),
                     (unsigned long long)totals.ends[end],
                     (unsigned long long)expected[end]);
    assert_int_equal(totals.retrying, 2);
    assert_int_equal(totals.too_deep, 1);
    assert_int_equal(totals.too_large, 1);
    assert_int_equal(totals.bytes, 10);
    assert_int_equal(totals.domains, 1);
    assert_true(str_eq(totals.domain[0].name, STR("h.example")));
    for (int end = 0; end < URL_OUTSIDE; end++)
        assert_int_equal(totals.domain[0].ends[end], expected[end]);
    assert_int_equal(totals.domain[0].fetches, 6);
    assert_true(totals.domain[0].capped);
    assert_int_equal(totals.domains_capped, 1);
    totals_release(&totals);
}

static void hosts_given_up_and_backing_off(void **state)
{
    const struct store_host rows[] = {
        {.name = STR_INIT("silent"), .given_up = GIVEN_UP_SILENT},
        {.name = STR_INIT("back.again"), .given_up = GIVEN_UP_SILENT},
        {.name = STR_INIT("back.again")},
        {.name = STR_INIT("robots"), .given_up = GIVEN_UP_ROBOTS},
        {.name = STR_INIT("https.only"), .given_up = GIVEN_UP_HTTP},
        {.name = STR_INIT("slow"), .backoffs = 2},
    };
    struct fixture *fixture = *state;
    struct totals totals;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        store_add_host(&fixture->file->batch, &rows[i]);
    write_all(fixture);
    assert_true(totals_read(&totals, &fixture->report));
    assert_int_equal(totals.given_up.count, 2);
    assert_true(str_eq(totals.given_up.host[0].name, STR("robots")));
    assert_true(str_eq(totals.given_up.host[1].name, STR("silent")));
    assert_int_equal(totals.backing_off.count, 1);
    assert_true(str_eq(totals.backing_off.host[0].name, STR("slow")));
    totals_release(&totals);
}

/* --- words ---------------------------------------------------------------- */

static void figures_in_words(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 1000);
    buf_printf(&out, "%s|%s|%s|%s|%s|%s|%s|", words_time(86400000).text,
               words_when(86400000, 86399000).text, words_duration(800).text,
               words_duration(3600000).text, words_bytes(999999).text,
               words_count(1, "page").text, words_count(2, "page").text);
    words_put_path(&out, STR("-it's"));
    assert_string_equal(buf_cstr(&out),
                        "1970-01-02 00:00:00 UTC|"
                        "1970-01-02 00:00:00 UTC, in 1.0 s|0.8 s|"
                        "1 h 0 min|1.0 MB|1 page|2 pages|"
                        "'./-it'\\''s'");
    buf_release(&out);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(the_best_record_of_a_page_is_found),
        CASE(details_are_of_the_latest_rows),
        CASE(the_page_of_a_referrer_is_found),
        CASE(queued_urls_that_a_breadth_first_crawl_takes_before),
        CASE(impossible_numbers_of_urls_are_refused),
        CASE(rules_are_those_that_refused_the_url),
        CASE(trouble_of_a_host_is_the_latest),
        CASE(every_url_counts_once_by_its_end),
        CASE(hosts_given_up_and_backing_off),
        cmocka_unit_test(figures_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
