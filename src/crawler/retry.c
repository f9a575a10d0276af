#include "crawler/retry.h"

enum { LONGEST_WAIT_MS = 60 * 1000 };

struct retry {
    uint32_t first_wait_ms; /* 0: never tried again */
    bool holds_host;
};

// clang-format off
static const struct retry retry_of[OUTCOMES] = {
    [NO_DNS]            = {1000, true},
    [DNS_FAILED]        = {1000, true},
    [NOT_CONNECTED]     = {1000, true},
    [TIMED_OUT]         = {1000, false},
    [CONNECTION_LOST]   = {1000, false},
    [HTTP_SERVER_ERROR] = {1000, false},
    [HTTP_TOO_MANY]     = {5000, true},
    [CONNECTION_REFUSED] = {1000, true},
    [CONNECT_TIMED_OUT] = {1000, true},
};
// clang-format on

bool retry_is_worthwhile(enum outcome outcome)
{
    return retry_of[outcome].first_wait_ms != 0;
}

uint64_t retry_wait_ms(enum outcome outcome, unsigned tries)
{
    uint64_t wait_ms = retry_of[outcome].first_wait_ms;

    while (wait_ms && tries-- && wait_ms < LONGEST_WAIT_MS)
        wait_ms *= 2;
    return wait_ms < LONGEST_WAIT_MS ? wait_ms : LONGEST_WAIT_MS;
}

bool retry_holds_host(enum outcome outcome)
{
    return retry_of[outcome].holds_host;
}
