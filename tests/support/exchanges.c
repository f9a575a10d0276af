#include "support/exchanges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void exchange_expect(const char *what, const char *of, struct str expected,
                     struct str got)
{
    if (!str_eq(expected, got))
        fail_msg("%s: %s: expected %zu bytes '%.*s', got %zu '%.*s'", of, what,
                 expected.len, (int)str_first(expected, 200).len, expected.ptr,
                 got.len, (int)str_first(got, 200).len, got.ptr);
}

void exchange_expect_no_bytes(const struct exchange *exchange)
{
    assert_int_equal(exchange->request_head.len, 0);
    assert_int_equal(exchange->response_head.len, 0);
    assert_int_equal(exchange->body_as_sent.len, 0);
    assert_int_equal(exchange->body.len, 0);
    assert_int_equal(exchange->peer.len, 0);
}

void exchange_check(const struct exchange *exchange)
{
    assert_in_range(exchange->outcome, 0, OUTCOMES - 1);
    assert_int_equal(exchange->status == 0, exchange->end == RESPONSE_NONE);
    assert_int_equal(exchange->body_len, exchange->body.len);
    assert_true(exchange->start_ms <= exchange->end_ms);
    if (exchange->status != 200)
        assert_int_equal(exchange->body.len, 0);
    if (exchange->outcome == FETCHED)
        assert_int_equal(exchange->status, 200);
    if (!exchange->status)
        assert_int_equal(exchange->response_head.len, 0);
}
