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

/* The lease of a machine may end while its process stands still. */
static bool is_before_deadline(void *user)
{
    return *(const uint64_t *)user > 100;
}

static void after_the_deadline_no_request_is_sent(void **state)
{
    struct loopback loopback;
    uint64_t deadline_ms = 101;

    (void)state;
    loopback_listen(&loopback);
    loopback.options.may_send = is_before_deadline;
    loopback.options.may_send_user = &deadline_ms;
    loopback_start(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                                  "Content-Type: text/html\r\n\r\n<p>"));
    finish_as(&loopback, FETCHED);
    /* By the connection that is open, then by a new one. */
    for (int i = 0; i < 2; i++) {
        deadline_ms = 100;
        assert_false(loopback_try(&loopback, WEBPAGE_HTML, "late"));
        assert_int_equal(loopback.asked.len, 0);
        finish_as(&loopback, ABANDONED);
        loopback_hang_up(&loopback);
    }
    /* Not while its answer comes: that one is read. */
    deadline_ms = 101;
    loopback_ask(&loopback, WEBPAGE_HTML, "");
    deadline_ms = 100;
    loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                                  "Content-Type: text/html\r\n\r\n<p>"));
    finish_as(&loopback, FETCHED);
    loopback_release(&loopback);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_ends_with_the_connection_is_whole),
        cmocka_unit_test(after_the_deadline_no_request_is_sent),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
