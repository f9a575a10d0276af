/* Which form of metrics a client wants, and what distinguishes the two. */
#include "view/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OPEN "application/openmetrics-text"

static void test_prefers_what_accept_prefers(void **state)
{
    static const struct accept_case {
        const char *accept; /* NULL: none */
        enum metrics_form form;
    } cases[] = {
        {NULL, METRICS_TEXT},
        {"", METRICS_TEXT},
        {"*/*", METRICS_TEXT},
        {"text/plain", METRICS_TEXT},
        {"text/html, " OPEN ";q=0", METRICS_TEXT},
        {OPEN, METRICS_OPENMETRICS},
        {OPEN ";q=0.2, text/plain;q=0.3", METRICS_TEXT},
        {OPEN ", text/plain", METRICS_TEXT},
        {"text/plain;q=0.5," OPEN "; version=1.0.0 ;q=0.75",
         METRICS_OPENMETRICS},
        {OPEN ";version=1.0.0;q=0.5," OPEN ";version=0.0.1;q=0.4,"
              "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
         METRICS_OPENMETRICS},
        {"application/xml;q=0.9," OPEN ";q=0.1", METRICS_OPENMETRICS},
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *accept = cases[i].accept;
        if (metrics_preferred(accept ? str_of(accept) : (struct str){0}) !=
            cases[i].form)
            fail_msg("%s", accept ? accept : "none");
    }
}

static bool has_line(const struct buf *text, const char *line)
{
    return memmem(text->ptr, text->len, line, strlen(line));
}

static void test_writes_both_forms(void **state)
{
    static struct history history;
    static struct view_pages pages;
    const struct view_facts facts = {.directory = "x", .version = "1.2"};
    struct view_snapshot *now = view_snapshot_new();
    const struct figures figures = {
        .facts = &facts,
        .now = now,
        .history = &history,
        .pages = &pages,
    };
    struct buf text;
    (void)state;

    now->pages = 7;
    now->busy_ms = 1500;
    view_histogram_add(&now->fetch_times, 5);
    view_histogram_add(&now->fetch_times, 6);
    view_histogram_add(&now->fetch_times, 40000);
    now->statuses[now->status_count++] = (struct view_status){404, 3};
    now->statuses[now->status_count++] = (struct view_status){999, 2};
    buf_init(&text, 1 << 20);
    metrics_put(&text, &figures, METRICS_TEXT);
    assert_true(has_line(&text, "# TYPE crawler_pages_total counter\n"));
    assert_true(has_line(&text, "\ncrawler_pages_total 7\n"));
    assert_true(has_line(&text, "crawler_info{version=\"1.2\"} 1\n"));
    assert_true(has_line(&text, "_time_seconds_total{kind=\"busy\"} 1.500\n"));
    assert_true(has_line(
        &text, "crawler_fetch_duration_seconds_bucket{le=\"0.005\"} 1\n"));
    assert_true(has_line(
        &text, "crawler_fetch_duration_seconds_bucket{le=\"30.000\"} 2\n"));
    assert_true(has_line(
        &text, "crawler_fetch_duration_seconds_bucket{le=\"+Inf\"} 3\n"));
    assert_true(has_line(&text, "_fetch_duration_seconds_sum 40.011\n"));
    assert_true(has_line(&text, "_responses_total{class=\"4xx\"} 3\n"));
    assert_true(has_line(&text, "_responses_total{class=\"none\"} 2\n"));
    assert_false(has_line(&text, "# EOF"));

    buf_clear(&text);
    metrics_put(&text, &figures, METRICS_OPENMETRICS);
    assert_true(has_line(&text, "# TYPE crawler_pages counter\n"));
    assert_true(has_line(&text, "\ncrawler_pages_total 7\n"));
    assert_true(has_line(&text, "# TYPE crawler info\n"));
    assert_true(str_ends(buf_str(&text), STR("\n# EOF\n")));
    buf_release(&text);
    view_snapshot_free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefers_what_accept_prefers),
        cmocka_unit_test(test_writes_both_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
