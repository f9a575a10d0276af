#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "crawler/reasons.h"

static struct webpage page_of(const char *url, enum outcome outcome, int status)
{
    return (struct webpage){
        .url = str_of(url),
        .outcome = outcome,
        .exchange.status = status,
    };
}

static void add_fetch(struct reasons *reasons, const char *url,
                      enum outcome outcome, int status)
{
    struct webpage page = page_of(url, outcome, status);

    reasons_add_fetch(reasons, &page);
}

/* The main reason reads so, and stands for `count` of `total` URLs. */
static void check(struct reasons *reasons, const char *text, uint64_t count,
                  uint64_t total)
{
    const struct reason *reason = reasons_main(reasons);
    struct buf line;

    assert_non_null(reason);
    buf_init(&line, 16 * 1024);
    reason_put(&line, reason);
    assert_string_equal(buf_cstr(&line), text);
    assert_int_equal(reason->count, count);
    assert_int_equal(reasons_total(reasons), total);
    buf_release(&line);
    reasons_free(reasons);
}

static void the_commonest_counts_and_of_equal_ones_the_first(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    assert_null(reasons_main(reasons));
    add_fetch(reasons, "http://a/1", HTTP_CLIENT_ERROR, 403);
    add_fetch(reasons, "http://a/2", HTTP_CLIENT_ERROR, 404);
    add_fetch(reasons, "http://a/3", HTTP_CLIENT_ERROR, 404);
    add_fetch(reasons, "http://a/4", HTTP_CLIENT_ERROR, 403);
    check(reasons, "http://a/1: 403 Forbidden", 2, 4);
}

static void more_reasons_than_are_told_apart_are_counted(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    for (int status = 400; status < 500; status++)
        add_fetch(reasons, "http://a/", HTTP_CLIENT_ERROR, status);
    add_fetch(reasons, "http://a/x", HTTP_CLIENT_ERROR, 404);
    check(reasons, "http://a/: 404 Not Found", 2, 101);
}

static void nowhere_to_note_is_no_trouble(void **state)
{
    struct webpage page = page_of("http://a/", NO_DNS, 0);
    struct target target = {0};
    struct page_link link = {0};

    (void)state;
    reasons_add_fetch(NULL, &page);
    reasons_add_sitemap(NULL, &page);
    reasons_add_verdict(NULL, page.url, EXTERNAL, FETCHED, 0);
    reasons_add_redirect(NULL, &target, &link, EXTERNAL);
    reasons_note_failure(NULL, &page);
    reasons_note_robots(NULL, STR("a"), false, STR(""));
    assert_null(reasons_main(NULL));
    assert_int_equal(reasons_total(NULL), 0);
    reasons_free(NULL);
}

/* --- hosts that were given up ------------------------------------------- */

static void a_given_up_host_is_explained_by_the_fetch_that_failed(void **state)
{
    static const struct {
        enum webpage_kind kind;
        const char *tried;
        enum outcome outcome;
        int status;
        enum verdict verdict;
        const char *text;
    } rows[] = {
        {WEBPAGE_ROBOTS, "http://h:81/robots.txt", CONNECTION_REFUSED, 0,
         ROBOTS_UNKNOWN, "http://h:81/: connection refused"},
        {WEBPAGE_ROBOTS, "https://h/robots.txt", TLS_EXPIRED, 0, ROBOTS_UNKNOWN,
         "https://h/: the certificate has expired"},
        {WEBPAGE_ROBOTS, "http://h/robots.txt", HTTP_SERVER_ERROR, 502,
         ROBOTS_UNKNOWN,
         "http://h/robots.txt: 502 Bad Gateway, and without its robots.txt "
         "nothing of the host may be fetched"},
        {WEBPAGE_HTML, "http://h/first", TIMED_OUT, 0, HOST_DEAD,
         "http://h/first: took longer than --timeout"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct reasons *reasons = reasons_new();
        struct webpage page =
            page_of(rows[i].tried, rows[i].outcome, rows[i].status);

        page.kind = rows[i].kind;
        reasons_note_failure(reasons, &page);
        reasons_add_verdict(reasons, STR("http://h/other"), rows[i].verdict,
                            rows[i].outcome, 0);
        check(reasons, rows[i].text, 1, 1);
    }
}

/* A name that was looked up has no fetch. */
static void a_given_up_host_without_a_fetch_has_its_outcome(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    reasons_add_verdict(reasons, STR("http://h/x"), HOST_DEAD, NO_DNS, 0);
    reasons_add_verdict(reasons, STR("http://h/y"), HOST_DEAD, NO_DNS, 0);
    check(reasons, "http://h/x: host name not found", 2, 2);
}

static void the_rule_is_that_of_the_right_robots_txt(void **state)
{
    static const struct {
        const char *url, *rule;
        unsigned line;
    } rows[] = {
        {"http://a.example/x", " (line 1: Disallow: /one)", 1},
        {"http://a.example/", " (line 2: Disallow: /two)", 2},
        {"https://a.example/x", " (line 1: Disallow: /secure)", 1},
        {"http://a.example:81/x", " (line 1: Disallow: /port)", 1},
        {"http://b.a.example/x", " (line 1)", 1},
        {"http://a.example.b/x", " (line 1)", 1},
        {"http://a.example/x", " (line 9)", 9},
        {"http://a.example/x", "", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct reasons *reasons = reasons_new();
        char text[200];

        reasons_note_robots(reasons, STR("a.example"), false,
                            STR("Disallow: /one\nDisallow: /two\n"));
        reasons_note_robots(reasons, STR("a.example"), true,
                            STR("Disallow: /secure\n"));
        reasons_note_robots(reasons, STR("a.example:81"), false,
                            STR("Disallow: /port\n"));
        reasons_add_verdict(reasons, str_of(rows[i].url), ROBOTS_REFUSED,
                            FETCHED, rows[i].line);
        snprintf(text, sizeof(text), "%s: forbidden by robots.txt%s",
                 rows[i].url, rows[i].rule);
        check(reasons, text, 1, 1);
    }
}

/* --- redirects ---------------------------------------------------------- */

static void redirect(struct reasons *reasons, uint64_t from, uint64_t to,
                     enum verdict verdict)
{
    char url[32], link_url[32];
    int url_len = snprintf(url, sizeof(url), "http://h/%u", (unsigned)from);
    int link_len =
        snprintf(link_url, sizeof(link_url), "http://h/%u", (unsigned)to);
    struct target *target = mem_new(sizeof(*target) + (size_t)url_len + 1);
    const struct page_link link = {
        .url.href = {link_url, (size_t)link_len},
        .fingerprint = to,
    };

    target->fingerprint = from;
    target->url_len = (uint16_t)url_len;
    memcpy(target->url, url, (size_t)url_len);
    reasons_add_redirect(reasons, target, &link, verdict);
    free(target);
}

static void redirects_that_lead_back_are_a_loop(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    redirect(reasons, 1, 2, ACCEPT);
    redirect(reasons, 2, 3, ACCEPT);
    redirect(reasons, 3, 2, DUPLICATE);
    check(reasons, "http://h/3: redirects to http://h/2, a redirect loop", 1,
          1);
    reasons = reasons_new();
    redirect(reasons, 7, 7, DUPLICATE);
    check(reasons, "http://h/7: redirects to itself, a redirect loop", 1, 1);
}

static void redirects_to_what_was_seen_have_no_reason_of_their_own(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    redirect(reasons, 1, 3, ACCEPT);
    redirect(reasons, 2, 3, DUPLICATE);
    redirect(reasons, 4, 1, DUPLICATE);
    assert_null(reasons_main(reasons));
    reasons_free(reasons);
}

static void a_redirect_to_what_is_refused_tells_where(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    redirect(reasons, 1, 2, EXTERNAL);
    redirect(reasons, 3, 4, EXTERNAL);
    assert_true(str_eq(reasons_main(reasons)->target, STR("http://h/2")));
    check(reasons,
          "http://h/1: redirects to http://h/2: outside the scope of the "
          "crawl",
          2, 2);
}

/* As many as there can be: it ends, and the loop at the end is seen. */
static void many_redirects(void **state)
{
    struct reasons *reasons = reasons_new();

    (void)state;
    for (uint64_t i = 1; i <= 20000; i++)
        redirect(reasons, i, i + 1, ACCEPT);
    redirect(reasons, 100, 1, DUPLICATE);
    assert_int_equal(reasons_total(reasons), 1);
    /* Longer than is looked at. */
    redirect(reasons, 9000, 1, DUPLICATE);
    assert_int_equal(reasons_total(reasons), 1);
    reasons_free(reasons);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_commonest_counts_and_of_equal_ones_the_first),
        cmocka_unit_test(more_reasons_than_are_told_apart_are_counted),
        cmocka_unit_test(nowhere_to_note_is_no_trouble),
        cmocka_unit_test(a_given_up_host_is_explained_by_the_fetch_that_failed),
        cmocka_unit_test(a_given_up_host_without_a_fetch_has_its_outcome),
        cmocka_unit_test(the_rule_is_that_of_the_right_robots_txt),
        cmocka_unit_test(redirects_that_lead_back_are_a_loop),
        cmocka_unit_test(
            redirects_to_what_was_seen_have_no_reason_of_their_own),
        cmocka_unit_test(a_redirect_to_what_is_refused_tells_where),
        cmocka_unit_test(many_redirects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
