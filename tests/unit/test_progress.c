#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/progress.h"

static void lines(void **state)
{
    static const struct {
        uint64_t saved, bytes;
        size_t queued, in_flight;
        double rate;
        uint64_t elapsed_ms;
        struct idle idle;
        bool stopping;
        const char *text;
    } cases[] = {
#define NOW      5000
#define HOST     STR_INIT("example.org")
#define IDLE_FOR {IDLE_PAUSE, NOW + 700, HOST}
        {.text = "0 saved, 0 queued, 0 in flight, 0 B, 0.0/s, 0:00"},
        {1,
         999,
         2,
         3,
         4.04,
         59999,
         {0},
         false,
         "1 saved, 2 queued, 3 in flight, 999 B, 4.0/s, 0:59"},
        {12345,
         1000,
         0,
         0,
         0,
         60000,
         {0},
         false,
         "12345 saved, 0 queued, 0 in flight, 1.0 KB, 0.0/s, 1:00"},
        {0,
         999949,
         0,
         0,
         0,
         3599999,
         {0},
         false,
         "0 saved, 0 queued, 0 in flight, 999.9 KB, 0.0/s, 59:59"},
        /* Rounding must not show a thousand of a unit. */
        {0,
         999950,
         0,
         0,
         0,
         3600000,
         {0},
         false,
         "0 saved, 0 queued, 0 in flight, 1.0 MB, 0.0/s, 1:00:00"},
        {0,
         999999999,
         0,
         0,
         0,
         0,
         {0},
         false,
         "0 saved, 0 queued, 0 in flight, 1.0 GB, 0.0/s, 0:00"},
        {0,
         1500000,
         0,
         0,
         0,
         90061000,
         {0},
         false,
         "0 saved, 0 queued, 0 in flight, 1.5 MB, 0.0/s, 25:01:01"},
        {0,
         UINT64_MAX,
         0,
         0,
         0,
         0,
         {0},
         false,
         "0 saved, 0 queued, 0 in flight, 18446744.1 TB, 0.0/s, 0:00"},
        /* Why nothing is in flight. */
        {0, 0, 1, 0, 0, 0, IDLE_FOR, false,
         "0 saved, 1 queued, 0 in flight, 0 B, 0.0/s, 0:00, "
         "waiting 0.7 s for example.org"},
        {0,
         0,
         1,
         0,
         0,
         0,
         {IDLE_RETRY, NOW + 61000, HOST},
         false,
         "0 saved, 1 queued, 0 in flight, 0 B, 0.0/s, 0:00, "
         "trying example.org again in 61.0 s"},
        {0,
         0,
         1,
         0,
         0,
         0,
         {IDLE_PAUSE, NOW - 1, HOST},
         false,
         "0 saved, 1 queued, 0 in flight, 0 B, 0.0/s, 0:00, "
         "waiting 0.0 s for example.org"},
        {0, 0, 1, 1, 0, 0, IDLE_FOR, false,
         "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00"},
        {0,
         0,
         0,
         0,
         0,
         0,
         {IDLE_EMPTY, UINT64_MAX, {0}},
         false,
         "0 saved, 0 queued, 0 in flight, 0 B, 0.0/s, 0:00"},
        {0, 0, 1, 1, 0, 0, IDLE_FOR, true,
         "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00, stopping"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct stats stats = {.saved = cases[i].saved,
                                    .bytes = cases[i].bytes};
        const struct crawl_progress now = {
            .stats = &stats,
            .counts = {.queued = cases[i].queued,
                       .in_flight = cases[i].in_flight},
            .idle = cases[i].idle,
            .now_ms = NOW,
            .elapsed_ms = cases[i].elapsed_ms,
            .stopping = cases[i].stopping,
        };
        struct buf line;
        buf_init(&line, 1024);
        progress_format(&line, &now, cases[i].rate, 200);
        if (strcmp(buf_cstr(&line), cases[i].text) != 0)
            fail_msg("case %zu:\nexpected %s\ngot      %s", i, cases[i].text,
                     buf_cstr(&line));

        /* Cut at every width, and nothing else changes. */
        for (size_t columns = 0; columns < 120; columns++) {
            struct str whole = str_of(cases[i].text);
            buf_clear(&line);
            progress_format(&line, &now, cases[i].rate, columns);
            if (!str_eq(buf_str(&line), str_first(whole, columns)))
                fail_msg("%zu columns: %s", columns, buf_cstr(&line));
        }
        buf_release(&line);
    }
}

/* A host name may be longer than the line may get. */
static void long_host(void **state)
{
    static char host[8000];
    const struct stats stats = {0};
    struct crawl_progress now = {
        .stats = &stats,
        .idle = {IDLE_PAUSE, 1000, {host, sizeof(host)}},
    };
    struct buf line;

    (void)state;
    memset(host, 'x', sizeof(host));
    buf_init(&line, 1024);
    progress_format(&line, &now, 0, 79);
    assert_in_range(line.len, 40, 79);
    buf_release(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(long_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
