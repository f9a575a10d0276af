#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "crawler/internal.h"

/* The longest time between two looks at the signals. */
enum { SIGNALS_EVERY_MS = 5 };

static uint64_t until(uint64_t time_ms, uint64_t now_ms)
{
    return time_ms > now_ms ? time_ms - now_ms : 0;
}

static int wait_ms(const struct crawler *crawler, const struct idle *idle)
{
    const struct crawl_options *options = crawler->options;
    uint64_t wait = UINT64_MAX;

    if (may_fetch_more(crawler))
        wait = until(idle->wake_ms, crawler->now_ms);
    else if (crawler->now_ms < crawler->hold_ms && !is_stopping(crawler))
        wait = until(crawler->hold_ms, crawler->now_ms);
    uint64_t record = until(record_due_ms(crawler->record), crawler->now_ms);
    wait = record < wait ? record : wait;
    if (!is_stopping(crawler) && options->max_time_ms != UINT64_MAX) {
        uint64_t left =
            until(crawler->start_ms + options->max_time_ms, crawler->now_ms);
        wait = left < wait ? left : wait;
    }
    if (options->progress_ms && options->progress_ms < wait)
        wait = options->progress_ms;
    return wait < INT32_MAX ? (int)wait : -1;
}

static void report_progress(struct crawler *crawler, const struct idle *idle,
                            void (*listener)(void *,
                                             const struct crawl_progress *))
{
    const struct crawl_options *options = crawler->options;
    const struct crawl_progress progress = {
        .stats = crawler->stats,
        .counts = frontier_counts(crawler->validator.frontier),
        .in_setup = frontier_host_in_setup(crawler->validator.frontier),
        .idle = *idle,
        .now_ms = crawler->now_ms,
        .elapsed_ms = crawler->stats->elapsed_ms,
        .stopping = is_stopping(crawler),
    };

    listener(options->user, &progress);
}

static void show_progress(struct crawler *crawler, const struct idle *idle)
{
    const struct crawl_options *options = crawler->options;

    if (!options->progress_ms ||
        crawler->now_ms - crawler->shown_ms < options->progress_ms)
        return;
    crawler->shown_ms = crawler->now_ms;
    report_progress(crawler, idle, options->on_progress);
}

static void take_signals(struct crawler *crawler, const struct idle *idle)
{
    const struct crawl_options *options = crawler->options;
    struct signalfd_siginfo info;

    crawler->signals_checked_ms = crawler->now_ms;
    while (read(options->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGUSR1) {
            if (options->on_status_signal)
                report_progress(crawler, idle, options->on_status_signal);
        } else if (++crawler->signals == 2) {
            workers_abandon(crawler->workers);
        }
    }
}

/* How the time since `now_ms` was spent. */
static enum stats_time time_kind(const struct crawler *crawler)
{
    const struct frontier *frontier = crawler->validator.frontier;

    if (frontier_counts(frontier).in_flight)
        return TIME_BUSY;
    if (crawler->now_ms < crawler->hold_ms)
        return TIME_PAUSE;
    switch (frontier_idle(frontier, crawler->now_ms).reason) {
    case IDLE_PAUSE:
    case IDLE_BACKOFF:
    case IDLE_RETRY:
        return TIME_PAUSE;
    default:
        return TIME_IDLE;
    }
}

void note_time(struct crawler *crawler, uint64_t now_ms)
{
    if (now_ms == crawler->now_ms)
        return;
    stats_add_time(crawler->stats, time_kind(crawler),
                   now_ms - crawler->now_ms);
    crawler->now_ms = now_ms;
}

void fail_crawl(struct crawler *crawler, const char *format, ...)
{
    va_list values;

    logr_make_room(crawler->options->log);
    fputs("crawler: ", stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    crawler->failed = true;
    workers_abandon(crawler->workers);
}

void flush_log(struct crawler *crawler)
{
    if (logr_flush(crawler->options->log) || crawler->failed)
        return;
    fail_crawl(crawler, "cannot write the log: %s", strerror(errno));
}

void wait_for_news(struct crawler *crawler)
{
    struct idle idle =
        frontier_idle(crawler->validator.frontier, crawler->now_ms);
    struct pollfd fd[] = {
        {.fd = workers_fd(crawler->workers), .events = POLLIN},
        {.fd = crawler->options->signal_fd, .events = POLLIN},
        {.fd = crawler->failed ? -1 : record_fd(crawler->record),
         .events = POLLIN},
    };

    flush_log(crawler);
    show_progress(crawler, &idle);
    if (is_over(crawler))
        return; /* nothing is in flight that could wake us */
    poll(fd, ARRAY_LEN(fd), wait_ms(crawler, &idle));
    note_time(crawler, clock_mono_ms());
    if (fd[1].revents & POLLIN)
        take_signals(crawler, &idle);
}

void check_time_and_signals(struct crawler *crawler, uint64_t now_ms)
{
    note_time(crawler, now_ms);
    if (now_ms - crawler->signals_checked_ms < SIGNALS_EVERY_MS)
        return;
    struct idle idle =
        frontier_idle(crawler->validator.frontier, crawler->now_ms);
    take_signals(crawler, &idle);
}
