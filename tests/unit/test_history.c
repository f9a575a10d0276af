#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/evidence.h"
#include "cli/history.h"
#include "cli/overview.h"
#include "frontier/target.h"
#include "support/tempdir.h"

#define HOST "http://h.example"

static const struct scan_options scan = {.fingerprint_seed = 7};

static const char *name_of_code(unsigned code)
{
    (void)code;
    return "name";
}

/* --- a store with a history of our own ----------------------------------- */

struct fixture {
    struct tempdir temp;
    struct arena arena;
    struct store_batch batch;
    struct store *store;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    *state = fixture;
    tempdir_make(&fixture->temp);
    arena_init(&fixture->arena);
    store_batch_init(&fixture->batch);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    store_close(fixture->store);
    store_batch_release(&fixture->batch);
    arena_release(&fixture->arena);
    tempdir_remove(&fixture->temp);
    free(fixture);
    return 0;
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

    store_add_url(&fixture->batch, &row);
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
        .outcome = (uint8_t)outcome,
        .due_ms = due_ms,
        .target = target ? str_of(target) : (struct str){0},
    };

    store_add_fetch(&fixture->batch, &row);
}

static void write_all(struct fixture *fixture)
{
    const struct store_names names = {name_of_code, name_of_code, 1, 1};
    struct store_error error;
    char path[256];

    snprintf(path, sizeof(path), "%s/state", fixture->temp.path);
    if (!store_create(path, &names, &fixture->batch, &error) ||
        !(fixture->store = store_open(path, STORE_READ, &error)))
        fail_msg("%s", error.text);
}

static struct page_link link_of(struct fixture *fixture, const char *text)
{
    struct page_link link;

    if (pagescanner_link(&link, &fixture->arena, str_of(text), NULL, NULL,
                         &scan))
        fail_msg("%s is not a URL", text);
    return link;
}

static void read_all(struct fixture *fixture, struct history *history)
{
    struct store_error error;

    write_all(fixture);
    if (!history_read(history, fixture->store, &scan, &error))
        fail_msg("%s", error.text);
}

/* --- history -------------------------------------------------------------- */

/* Which of several records of a page is the one. */
static void the_best_record(void **state)
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
        {HOST "/only-map", 13}, {HOST "/none", 0},
    };
    struct fixture *fixture = *state;
    struct history history;

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
    read_all(fixture, &history);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct page_link link = link_of(fixture, cases[i].asked);
        uint64_t got = history_find(&history, &link);
        if (got != cases[i].expected)
            fail_msg("%s: record %llu, not %llu", cases[i].asked,
                     (unsigned long long)got,
                     (unsigned long long)cases[i].expected);
    }
    assert_int_equal(history_target(&history, 7), 8);
    assert_int_equal(history_target(&history, 8), 0);
    assert_int_equal(history_page(&history, 1), 8);
    assert_int_equal(history_page(&history, 2), 0);
    assert_int_equal(history_page(&history, 0), 0);
    history_release(&history);
}

static void all_of_one(void **state)
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
    struct fate fate[] = {{.number = 2}, {0}, {.number = 1}};
    struct fixture *fixture = *state;
    struct store_error error;
    struct history history;

    add_url(fixture, 1, HOST "/a", 3, ACCEPT);
    add_url(fixture, 2, HOST "/b", 3, ACCEPT);
    add_url(fixture, 3, HOST "/c", 3, ACCEPT);
    store_add_change(&fixture->batch, &change);
    store_add_refusal(&fixture->batch, &refusal);
    add_fetch(fixture, 1, 0, HTTP_SERVER_ERROR, 99, NULL);
    add_fetch(fixture, 1, 6, FETCHED, 0, NULL);
    read_all(fixture, &history);
    assert_true(history_fates(&history, fixture->store, fate, 3, &error));
    assert_true(str_eq(fate[0].row.url, STR(HOST "/b")));
    assert_true(str_eq(fate[0].row.host, STR("h.example")));
    assert_true(fate[0].refused);
    assert_int_equal(fate[0].refusal.line, 4);
    assert_int_equal(fate[0].depth, 3);
    assert_int_equal(fate[0].fetches, 0);
    assert_int_equal(fate[1].number, 0);
    assert_null(fate[1].row.url.ptr);
    assert_false(fate[2].refused);
    assert_int_equal(fate[2].depth, 2);
    assert_int_equal(fate[2].referrer, 8);
    assert_int_equal(fate[2].found, 5);
    assert_int_equal(fate[2].fetches, 2);
    assert_int_equal(fate[2].last.page, 6);
    assert_int_equal(history_referrer(&history, 1), 8);
    /* Only 3 is queued, and nothing goes before it. */
    assert_int_equal(history_before(&history, 3), 0);
    history_release(&history);
}

static void what_goes_before(void **state)
{
    struct fixture *fixture = *state;
    struct history history;

    add_url(fixture, 1, HOST "/1", 2, ACCEPT);
    add_url(fixture, 2, HOST "/2", 1, ACCEPT);
    add_url(fixture, 3, HOST "/3", 1, NOFOLLOW);
    add_url(fixture, 4, HOST "/4", 0, ACCEPT);
    add_url(fixture, 5, HOST "/5", 2, ACCEPT);
    add_url(fixture, 6, HOST "/6", 3, ACCEPT);
    add_fetch(fixture, 4, 1, FETCHED, 0, NULL);
    add_fetch(fixture, 2, 0, HTTP_SERVER_ERROR, 99, NULL); /* comes back */
    read_all(fixture, &history);
    assert_int_equal(history_before(&history, 2), 0);
    assert_int_equal(history_before(&history, 1), 1);
    assert_int_equal(history_before(&history, 5), 2);
    assert_int_equal(history_before(&history, 6), 3);
    history_release(&history);
}

/* A number that no crawl has given would decide an allocation. */
static void impossible_numbers(void **state)
{
    struct fixture *fixture = *state;
    struct store_error error;
    struct history history;
    struct overview overview;

    add_url(fixture, (uint64_t)1 << 40, HOST "/1", 2, ACCEPT);
    write_all(fixture);
    assert_false(history_read(&history, fixture->store, &scan, &error));
    assert_int_equal(error.status, STORE_DAMAGED);
    history_release(&history);
    assert_false(overview_read(&overview, fixture->store, 0, &scan, &error));
    assert_int_equal(error.status, STORE_DAMAGED);
    overview_release(&overview);
}

/* --- evidence ------------------------------------------------------------- */

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

    store_add_robots(&fixture->batch, &row);
}

#define RULES(rule) "user-agent: *\n" rule "\n"

/* The text that refused a URL is found among later and earlier ones. */
static void rules_of_the_time(void **state)
{
    struct fixture *fixture = *state;
    struct store_error error;
    struct evidence evidence;
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
    assert_true(evidence_read(&evidence, fixture->store, &link.url,
                              STR("crawler"), 2, &error));
    assert_true(evidence.has_rules && evidence.rules_failed);
    assert_true(str_eq(evidence.rules.text, STR(RULES("disallow: /a # this"))));
    assert_int_equal(evidence.failure.outcome, TIMED_OUT);
    assert_false(evidence_allows(&evidence, &link.url, STR("crawler"), &line));
    assert_int_equal(line, 2);
    assert_true(evidence_allows(&evidence, &link.url, (struct str){0}, &line));
    evidence_release(&evidence);
    /* Without a line it is the last that was had. */
    assert_true(evidence_read(&evidence, fixture->store, &link.url,
                              STR("crawler"), 0, &error));
    assert_true(str_eq(evidence.rules.text, STR(RULES("disallow: /b # last"))));
    assert_true(evidence_allows(&evidence, &link.url, STR("crawler"), &line));
    evidence_release(&evidence);
}

static void the_last_word_on_a_host(void **state)
{
    const struct store_host rows[] = {
        {.name = STR_INIT("h.example"), .failures = 1, .outcome = NO_DNS},
        {.name = STR_INIT("other.example"), .failures = 9, .given_up = 1},
        {.name = STR_INIT("h.example"), .failures = 2, .outcome = TIMED_OUT},
        {.name = STR_INIT("well.example"), .failures = 2},
        {.name = STR_INIT("well.example")},
    };
    struct fixture *fixture = *state;
    struct store_error error;
    struct evidence evidence;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        store_add_host(&fixture->batch, &rows[i]);
    write_all(fixture);
    struct page_link link = link_of(fixture, HOST "/a");
    assert_true(evidence_read(&evidence, fixture->store, &link.url,
                              (struct str){0}, 0, &error));
    assert_true(evidence.troubled);
    assert_int_equal(evidence.trouble.failures, 2);
    assert_int_equal(evidence.trouble.outcome, TIMED_OUT);
    evidence_release(&evidence);
    link = link_of(fixture, "http://well.example/");
    assert_true(evidence_read(&evidence, fixture->store, &link.url,
                              (struct str){0}, 0, &error));
    assert_false(evidence.troubled);
    evidence_release(&evidence);
}

/* --- overview ------------------------------------------------------------- */

static void figures(void **state)
{
    const struct store_refusal late = {.number = 5, .verdict = DOMAIN_CAP};
    const struct store_host host = {
        .name = STR_INIT("h.example"),
        .given_up = 2,
        .outcome = TIMED_OUT,
    };
    struct fixture *fixture = *state;
    struct store_error error;
    struct overview overview;

    add_url(fixture, 1, HOST "/1", 0, ACCEPT);         /* a page */
    add_url(fixture, 2, HOST "/2", 0, ACCEPT);         /* queued */
    add_url(fixture, 3, HOST "/3", 0, ACCEPT);         /* comes back */
    add_url(fixture, 4, HOST "/4", 0, ROBOTS_REFUSED); /* refused */
    add_url(fixture, 5, HOST "/5", 0, ACCEPT);         /* refused late */
    add_url(fixture, 6, HOST "/6", 0, NOFOLLOW);       /* refused */
    add_url(fixture, 7, HOST "/6", 0, TOO_DEEP);       /* the same again */
    add_url(fixture, 8, HOST "/2?", 0, NOFOLLOW);      /* queued all the same */
    add_url(fixture, 9, "http://e.example/", 0, EXTERNAL); /* no business */
    add_fetch(fixture, 1, 1, FETCHED, 0, NULL);
    add_fetch(fixture, 3, 0, TIMED_OUT, 99, NULL);
    store_add_refusal(&fixture->batch, &late);
    store_add_host(&fixture->batch, &host);
    store_add_number(&fixture->batch, STR("count.saved"), 1);
    store_add_number(&fixture->batch, STR("started_ms"), 5);
    write_all(fixture);
    assert_true(overview_read(&overview, fixture->store, 0, &scan, &error));
    assert_int_equal(overview.stats.saved, 1);
    assert_int_equal(overview.started_ms, 5);
    assert_int_equal(overview.queued, 2);
    assert_int_equal(overview.retrying, 1);
    assert_int_equal(overview.refused, 3);
    assert_int_equal(overview.domains, 1);
    assert_int_equal(overview.domain[0].pages, 1);
    assert_int_equal(overview.domain[0].queued, 2);
    assert_int_equal(overview.domain[0].refused, 3);
    assert_int_equal(overview.domain[0].fetches, 2);
    assert_true(overview.domain[0].capped);
    assert_int_equal(overview.domains_capped, 1);
    assert_int_equal(overview.hosts, 1);
    assert_true(overview.host[0].by_robots);
    assert_int_equal(overview.host[0].outcome, TIMED_OUT);
    overview_release(&overview);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(the_best_record),   CASE(all_of_one),
        CASE(what_goes_before),  CASE(impossible_numbers),
        CASE(rules_of_the_time), CASE(the_last_word_on_a_host),
        CASE(figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
