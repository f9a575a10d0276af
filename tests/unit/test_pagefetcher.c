#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/loopback.h"

static void begin(struct loopback *loopback)
{
    loopback_listen(loopback);
    loopback_start(loopback);
}

static void finish_as(struct loopback *loopback, enum outcome outcome)
{
    assert_int_equal(loopback_finish(loopback)->outcome, outcome);
    loopback_give_back(loopback);
}

/* As the crawler thread does when libcurl is busy with what this server sends.
 */
static void cut_it(struct loopback *loopback)
{
    pagefetcher_mark(loopback->fetcher);
    loopback_serve(loopback, STR("<p>more"));
    loopback_get_on(loopback);
    assert_null(loopback->done);
    pagefetcher_cut_busiest(loopback->fetcher);
}

static void expect_cut(enum webpage_kind kind, struct str head)
{
    struct loopback loopback;

    begin(&loopback);
    loopback_ask(&loopback, kind, "");
    loopback_serve(&loopback, head);
    loopback_serve(&loopback, STR("<p>text"));
    loopback_get_on(&loopback);
    assert_null(loopback.done);
    cut_it(&loopback);
    finish_as(&loopback, BAD_HTTP);
    loopback_release(&loopback);
}

/* Its end looks like that of a page which ends where the connection does. */
static void a_page_that_was_cut_is_not_whole(void **state)
{
    struct str to_the_end =
        STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");

    (void)state;
    expect_cut(WEBPAGE_HTML, to_the_end);
    expect_cut(WEBPAGE_ROBOTS, to_the_end);
    expect_cut(WEBPAGE_SITEMAP, to_the_end);
    expect_cut(WEBPAGE_HTML,
               STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                   "Content-Length: 1000\r\n\r\n"));
}

static void a_page_that_ends_with_the_connection_is_whole(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\n"
                                  "Content-Type: text/html\r\n\r\n<p>text"));
    loopback_hang_up(&loopback);
    finish_as(&loopback, FETCHED);
    loopback_release(&loopback);
}

/* A connection that was cut is none of the next page's business. */
static void the_pages_before_and_after_one_that_was_cut_are_whole(void **state)
{
    struct loopback loopback;

    (void)state;
    begin(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback,
                   STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                       "Content-Length: 7\r\n\r\n<p>text"));
    finish_as(&loopback, FETCHED);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback,
                   STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"));
    cut_it(&loopback);
    finish_as(&loopback, BAD_HTTP);
    loopback_hang_up(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\n"
                                  "Content-Type: text/html\r\n\r\n<p>text"));
    loopback_hang_up(&loopback);
    finish_as(&loopback, FETCHED);
    loopback_release(&loopback);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_was_cut_is_not_whole),
        cmocka_unit_test(a_page_that_ends_with_the_connection_is_whole),
        cmocka_unit_test(the_pages_before_and_after_one_that_was_cut_are_whole),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
