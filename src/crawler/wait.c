#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "crawler/crawler_thread.h"

/* The longest time between two looks at the signals. */
enum { SIGNALS_EVERY_MS = 5 };

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How long to wait if nothing comes, for poll: -1 is for ever. */
static int wait_ms(const struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    uint64_t now_ms = crawler->now_ms, wake_ms = UINT64_MAX;

    if (may_fetch_more(crawler))
        wake_ms = frontier_idle(crawler->validator.frontier, now_ms).wake_ms;
    else if (!is_stopping(crawler) && now_ms < crawler->hold_ms)
        wake_ms = crawler->hold_ms;
    if (!crawler->failed)
        wake_ms = sooner(wake_ms, sooner(record_due_ms(crawler->record),
                                         archive_due_ms(crawler)));
    if (!is_stopping(crawler) && options->max_time_ms != UINT64_MAX)
        wake_ms = sooner(wake_ms, crawler->start_ms + options->max_time_ms);
    if (options->progress_ms)
        wake_ms = sooner(wake_ms, now_ms + options->progress_ms);
    if (wake_ms <= now_ms)
        return 0;
    return wake_ms - now_ms < INT32_MAX ? (int)(wake_ms - now_ms) : -1;
}

static void report_progress(struct crawler *crawler,
                            void (*listener)(void *,
                                             const struct crawl_progress *))
{
    const struct frontier *frontier = crawler->validator.frontier;
    const struct crawl_progress progress = {
        .stats = crawler->stats,
        .counts = frontier_counts(frontier),
        .in_setup = frontier_host_in_setup(frontier),
        .idle = frontier_idle(frontier, crawler->now_ms),
        .now_ms = crawler->now_ms,
        .elapsed_ms = crawler->stats->elapsed_ms,
        .stopping = is_stopping(crawler),
    };

    listener(crawler->options->user, &progress);
}

static void show_progress(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;

    if (!options->progress_ms ||
        crawler->now_ms - crawler->shown_ms < options->progress_ms)
        return;
    crawler->shown_ms = crawler->now_ms;
    report_progress(crawler, options->on_progress);
}

static void take_signals(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    struct signalfd_siginfo info;

    crawler->signals_checked_ms = crawler->now_ms;
    while (read(options->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGUSR1) {
            if (options->on_status_signal)
                report_progress(crawler, options->on_status_signal);
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

    va_start(values, format);
    logr_print(crawler->options->log, format, values);
    va_end(values);
    crawler->failed = true;
    if (crawler->workers)
        workers_abandon(crawler->workers);
}

void flush_log(struct crawler *crawler)
{
    if (logr_flush(crawler->options->log) || crawler->failed)
        return;
    fail_crawl(crawler, "cannot write the log: %s", strerror(errno));
}

void wait_for_results(struct crawler *crawler)
{
    struct pollfd fd[] = {
        {.fd = workers_fd(crawler->workers), .events = POLLIN},
        {.fd = crawler->options->signal_fd, .events = POLLIN},
        {.fd = crawler->failed ? -1 : record_fd(crawler->record),
         .events = POLLIN},
    };

    flush_log(crawler);
    show_progress(crawler);
    if (is_over(crawler))
        return; /* nothing is in flight that could wake us */
    poll(fd, ARRAY_LEN(fd), wait_ms(crawler));
    note_time(crawler, clock_mono_ms());
    if (fd[1].revents & POLLIN)
        take_signals(crawler);
}

void check_time_and_signals(struct crawler *crawler, uint64_t now_ms)
{
    note_time(crawler, now_ms);
    if (now_ms - crawler->signals_checked_ms >= SIGNALS_EVERY_MS)
        take_signals(crawler);
}
