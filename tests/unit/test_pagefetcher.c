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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_ends_with_the_connection_is_whole),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
