#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "crawler/retry.h"

/* Every outcome is here: who adds one must say what becomes of it. */
static void every_outcome(void **state)
{
    static const struct {
        enum outcome outcome;
        bool again, holds_host;
    } cases[] = {
        {FETCHED, 0, 0},           {REDIRECTED, 0, 0},
        {EMPTY_BODY, 0, 0},        {NOT_HTML, 0, 0},
        {TOO_LARGE, 0, 0},         {HTTP_CLIENT_ERROR, 0, 0},
        {HTTP_SERVER_ERROR, 1, 0}, {HTTP_OTHER, 0, 0},
        {BAD_REDIRECT, 0, 0},      {NO_DNS, 1, 1},
        {DNS_FAILED, 1, 1},        {PRIVATE_ADDRESS, 0, 0},
        {NOT_CONNECTED, 1, 1},     {TLS_FAILED, 0, 0},
        {TIMED_OUT, 1, 0},         {CONNECTION_LOST, 1, 0},
        {BAD_HTTP, 0, 0},          {BAD_ENCODING, 0, 0},
        {ABANDONED, 0, 0},         {NOT_SAVED, 0, 0},
        {NOINDEX, 0, 0},           {HTTP_TOO_MANY, 1, 1},
        {NOT_SITEMAP, 0, 0},       {CONNECTION_REFUSED, 1, 1},
        {CONNECT_TIMED_OUT, 1, 1}, {TLS_PROTOCOL, 0, 0},
        {TLS_NAME, 0, 0},          {TLS_ISSUER, 0, 0},
        {TLS_SELF_SIGNED, 0, 0},   {TLS_EXPIRED, 0, 0},
        {TLS_NOT_YET_VALID, 0, 0}, {NOARCHIVE, 0, 0},
        {NOT_IN_ARCHIVE, 0, 0},    {CANONICAL, 0, 0},
    };

    (void)state;
    assert_int_equal(ARRAY_LEN(cases), OUTCOMES);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        enum outcome outcome = cases[i].outcome;
        if (retry_is_worthwhile(outcome) != cases[i].again ||
            retry_holds_host(outcome) != cases[i].holds_host)
            fail_msg("%s: expected %d %d, got %d %d", outcome_name(outcome),
                     cases[i].again, cases[i].holds_host,
                     retry_is_worthwhile(outcome), retry_holds_host(outcome));
    }
}

static void back_off(void **state)
{
    (void)state;
    for (int i = 0; i < OUTCOMES; i++) {
        enum outcome outcome = (enum outcome)i;
        uint64_t last_ms = 0;

        for (unsigned tries = 0; tries < 200; tries++) {
            uint64_t wait_ms = retry_wait_ms(outcome, tries);
            uint64_t doubled = last_ms * 2 < 60000 ? last_ms * 2 : 60000;
            if (!retry_is_worthwhile(outcome)) {
                assert_int_equal(wait_ms, 0);
            } else if (tries && wait_ms != doubled) {
                fail_msg("%s, try %u: %llu ms after %llu ms",
                         outcome_name(outcome), tries,
                         (unsigned long long)wait_ms,
                         (unsigned long long)last_ms);
            }
            last_ms = wait_ms;
        }
        assert_int_equal(retry_wait_ms(outcome, ~0u), last_ms);
    }
    assert_int_equal(retry_wait_ms(TIMED_OUT, 0), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome),
        cmocka_unit_test(back_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
