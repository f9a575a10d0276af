#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/progress.h"

enum { NOW = 5000 };

#define NONE "0 saved, 0 queued, 0 in flight, "
#define HOST STR_INIT("example.org")
#define PAUSE                                                                  \
    {                                                                          \
        .reason = IDLE_PAUSE, .until_ms = NOW + 700, .host = HOST              \
    }

static const struct {
    struct stats stats;
    struct frontier_counts counts;
    double rate;
    uint64_t elapsed_ms;
    struct host_in_setup in_setup;
    struct idle idle;
    bool stopping, paused;
    const char *text;
} lines[] = {
    {.text = NONE "0 B, 0.0/s, 0:00"},
    {.stats = {.saved = 1, .bytes = 999},
     .counts = {.queued = 2, .in_flight = 3},
     .rate = 4.04,
     .text = "1 saved, 2 queued, 3 in flight, 999 B, 4.0/s, 0:00"},
    /* Time. */
    {.elapsed_ms = 59999, .text = NONE "0 B, 0.0/s, 0:59"},
    {.elapsed_ms = 60000, .text = NONE "0 B, 0.0/s, 1:00"},
    {.elapsed_ms = 3599999, .text = NONE "0 B, 0.0/s, 59:59"},
    {.elapsed_ms = 3600000, .text = NONE "0 B, 0.0/s, 1:00:00"},
    {.elapsed_ms = 90061000, .text = NONE "0 B, 0.0/s, 25:01:01"},
    /* Bytes: rounding must not show a thousand of a unit. */
    {.stats = {.bytes = 1000}, .text = NONE "1.0 KB, 0.0/s, 0:00"},
    {.stats = {.bytes = 999949}, .text = NONE "999.9 KB, 0.0/s, 0:00"},
    {.stats = {.bytes = 999950}, .text = NONE "1.0 MB, 0.0/s, 0:00"},
    {.stats = {.bytes = 999999999}, .text = NONE "1.0 GB, 0.0/s, 0:00"},
    {.stats = {.bytes = UINT64_MAX}, .text = NONE "18446744.1 TB, 0.0/s, 0:00"},
    /* Why nothing is in flight, and only then. */
    {.idle = PAUSE,
     .text = NONE "0 B, 0.0/s, 0:00, waiting 0.7 s for example.org"},
    {.idle = {.reason = IDLE_PAUSE, .until_ms = NOW - 1, .host = HOST},
     .text = NONE "0 B, 0.0/s, 0:00, waiting 0.0 s for example.org"},
    {.idle = {.reason = IDLE_PAUSE,
              .until_ms = NOW + 700,
              .host = STR_INIT("")},
     .text = NONE "0 B, 0.0/s, 0:00, waiting 0.7 s"},
    {.idle = {.reason = IDLE_BACKOFF, .until_ms = NOW + 4000, .host = HOST},
     .text =
         NONE "0 B, 0.0/s, 0:00, example.org is in trouble, again in 4.0 s"},
    {.idle = {.reason = IDLE_RETRY, .until_ms = NOW + 61000, .host = HOST},
     .text = NONE "0 B, 0.0/s, 0:00, trying example.org again in 61.0 s"},
    {.counts = {.queued = 1, .in_flight = 1, .setups = 1},
     .in_setup = {.host = HOST},
     .text = "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00, looking up "
             "example.org"},
    {.counts = {.queued = 1, .in_flight = 1, .setups = 1},
     .in_setup = {.host = HOST, .is_robots = true},
     .text = "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00, asking "
             "example.org for its robots.txt"},
    {.counts = {.domains_capped = 3},
     .idle = PAUSE,
     .text = NONE "0 B, 0.0/s, 0:00, 3 domains at their cap, waiting 0.7 s for "
                  "example.org"},
    {.idle = {.reason = IDLE_EMPTY, .until_ms = UINT64_MAX, .host = {0}},
     .text = NONE "0 B, 0.0/s, 0:00"},
    {.counts = {.queued = 1, .in_flight = 1},
     .idle = PAUSE,
     .text = "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00"},
    {.counts = {.queued = 1, .in_flight = 1},
     .idle = PAUSE,
     .stopping = true,
     .text = "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00, stopping"},
    {.idle = PAUSE,
     .paused = true,
     .text = NONE "0 B, 0.0/s, 0:00, paused by order"},
    {.counts = {.queued = 1, .in_flight = 1},
     .paused = true,
     .text = "0 saved, 1 queued, 1 in flight, 0 B, 0.0/s, 0:00, paused by "
             "order"},
    {.paused = true,
     .stopping = true,
     .text = NONE "0 B, 0.0/s, 0:00, stopping"},
};

static void every_line_at_every_width(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        const struct crawl_progress now = {
            .stats = &lines[i].stats,
            .counts = lines[i].counts,
            .in_setup = lines[i].in_setup,
            .idle = lines[i].idle,
            .now_ms = NOW,
            .elapsed_ms = lines[i].elapsed_ms,
            .stopping = lines[i].stopping,
            .paused = lines[i].paused,
        };
        struct str whole = str_of(lines[i].text);

        for (size_t columns = 0; columns <= 120; columns++) {
            struct buf line;
            buf_init(&line, 1024);
            progress_format(&line, &now, lines[i].rate, columns);
            if (!str_eq(buf_str(&line), str_first(whole, columns)))
                fail_msg("line %zu, %zu columns:\nexpected %.*s\ngot      %s",
                         i, columns, (int)columns, lines[i].text,
                         buf_cstr(&line));
            buf_release(&line);
        }
    }
}

/* A host name may be longer than the line may get. */
static void long_host(void **state)
{
    static char host[8000];
    const struct stats stats = {0};
    struct crawl_progress now = {
        .stats = &stats,
        .idle = {.reason = IDLE_PAUSE,
                 .until_ms = 1000,
                 .host = {host, sizeof(host)}},
    };
    struct buf line;

    (void)state;
    memset(host, 'x', sizeof(host));
    buf_init(&line, 1024);
    progress_format(&line, &now, 0, 79);
    assert_in_range(line.len, 40, 79);
    buf_release(&line);
}

/* The end of the line after `seconds` in which the queue changed by so many
 * URLs a second, from 1000. */
static const char *end_after(struct buf *line, unsigned seconds, int change,
                             struct crawl_progress at_end, size_t columns)
{
    static struct history history;

    history = (struct history){0};
    for (unsigned s = 0; s <= seconds; s++) {
        const struct stats stats = {.saved = 10 * (uint64_t)s};
        const struct crawl_progress now = {
            .stats = &stats,
            .counts = {.queued = (uint64_t)(1000 + change * (int)s)},
            .now_ms = NOW + 1000 * (uint64_t)s,
            .slowest_ms = at_end.slowest_ms,
            .stopping = at_end.stopping,
            .paused = at_end.paused,
        };
        buf_clear(line);
        buf_put(line, STR("x"));
        progress_put_end(line, &history, &now, columns);
    }
    return buf_cstr(line);
}

static void tells_when_it_may_end(void **state)
{
    const struct crawl_progress plain = {0};
    struct buf line;

    (void)state;
    buf_init(&line, 1024);
    assert_string_equal(end_after(&line, 2, -10, plain, 80), "x");
    /* 900 are left at 10 a second. */
    assert_string_equal(end_after(&line, 10, -10, plain, 80),
                        "x, about 1:30 left");
    assert_string_equal(end_after(&line, 10, -10, plain, 18),
                        "x, about 1:30 left");
    assert_string_equal(end_after(&line, 10, -10, plain, 17), "x");
    assert_string_equal(end_after(&line, 10, -10,
                                  (struct crawl_progress){.stopping = true},
                                  80),
                        "x");
    assert_string_equal(
        end_after(&line, 10, -10, (struct crawl_progress){.paused = true}, 80),
        "x");
    /* One host needs longer than all together. */
    assert_string_equal(
        end_after(&line, 10, -10,
                  (struct crawl_progress){.slowest_ms = 6060000}, 80),
        "x, about 1:41:00 left");
    assert_string_equal(end_after(&line, 10, 10, plain, 80), "x");
    assert_string_equal(end_after(&line, 10, 0, plain, 80), "x");
    buf_release(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_when_it_may_end),
        cmocka_unit_test(every_line_at_every_width),
        cmocka_unit_test(long_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
