#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "crawler/fleet.h"
#include "crawler/relax.h"
#include "crawler/viewing.h"

enum {
    SIGNALS_EVERY_MS = 5, /* the longest time between two looks at them */
    /* So long a stopped crawl waits for the reader of its log. */
    READER_PATIENCE_MS = 5000,
};

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How long to wait if nothing comes, for poll: -1 is for ever. */
static int wait_ms(const struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    uint64_t now_ms = crawler->now_ms, wake_ms = UINT64_MAX;

    if (relax_is_due(crawler))
        return 0;
    if (may_fetch_more(crawler))
        wake_ms = frontier_idle(crawler->validator.frontier, now_ms).wake_ms;
    else if (!is_stopping(crawler) && !crawler->paused &&
             now_ms < crawler->hold_ms)
        wake_ms = crawler->hold_ms;
    if (!crawler->failed)
        wake_ms = sooner(wake_ms, sooner(record_due_ms(crawler->record),
                                         archive_due_ms(crawler)));
    if (!is_stopping(crawler) && options->max_time_ms != UINT64_MAX)
        wake_ms = sooner(wake_ms, crawler->start_ms + options->max_time_ms);
    if (options->progress_ms)
        wake_ms = sooner(wake_ms, now_ms + options->progress_ms);
    if (options->fleet)
        wake_ms = sooner(wake_ms, now_ms + FLEET_LOOK_MS);
    wake_ms = sooner(wake_ms, viewing_due_ms(crawler->viewing, now_ms));
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
        .slowest_ms = frontier_slowest_ms(frontier, &crawler->slowest),
        .stopping = is_stopping(crawler),
        .paused = crawler->paused || fleet_is_paused(crawler->options->fleet),
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

bool is_told_to_stop(void *user)
{
    struct crawler *crawler = user;

    take_signals(crawler);
    return crawler->signals > 0;
}

/* How the time since `now_ms` was spent. */
static enum stats_time time_kind(const struct crawler *crawler)
{
    const struct frontier *frontier = crawler->validator.frontier;

    if (frontier_counts(frontier).in_flight)
        return TIME_BUSY;
    if (crawler->paused)
        return TIME_IDLE;
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

static void flush_log(struct crawler *crawler)
{
    if (logr_flush(crawler->options->log) || crawler->failed)
        return;
    fail_crawl(crawler, "cannot write the log: %s", strerror(errno));
}

/* For at most so long; -1 is for ever. */
static void wait_for_any(struct crawler *crawler, int most_ms)
{
    const struct outlet *out = &crawler->options->log->out;
    struct pollfd fd[] = {
        {.fd = is_over(crawler) ? -1 : workers_fd(crawler->workers),
         .events = POLLIN},
        {.fd = crawler->options->signal_fd, .events = POLLIN},
        {.fd = crawler->failed ? -1 : record_fd(crawler->record),
         .events = POLLIN},
        {.fd = view_fd(crawler->options->view), .events = POLLIN},
        {.fd = outlet_kept(out) ? out->fd : -1, .events = POLLOUT},
    };

    poll(fd, ARRAY_LEN(fd), most_ms);
    note_time(crawler, clock_mono_ms());
    if (fd[1].revents & POLLIN)
        take_signals(crawler);
    if (fd[3].revents & POLLIN)
        viewing_call(crawler->viewing);
}

void wait_for_results(struct crawler *crawler)
{
    flush_log(crawler);
    show_progress(crawler);
    viewing_tend(crawler);
    if (is_over(crawler))
        return; /* nothing is in flight that could wake us */
    wait_for_any(crawler, wait_ms(crawler));
}

/* --- who reads the log --------------------------------------------------- */

bool wait_for_reader(void *user)
{
    struct crawler *crawler = user;
    struct pollfd fd[] = {
        {.fd = crawler->options->signal_fd, .events = POLLIN},
        {.fd = crawler->options->log->out.fd, .events = POLLOUT},
    };

    if (crawler->signals)
        return false;
    poll(fd, ARRAY_LEN(fd), -1);
    if (fd[0].revents & POLLIN)
        take_signals(crawler);
    return !crawler->signals;
}

/* A fleet does not wait for one machine's reader. */
static bool is_reader_awaited(const struct crawler *crawler, uint64_t since_ms)
{
    if (crawler->failed || crawler->signals > 1)
        return false;
    return !(crawler->signals || crawler->options->fleet) ||
           crawler->now_ms - since_ms < READER_PATIENCE_MS;
}

void end_log(struct crawler *crawler)
{
    enum { LOOK_MS = 100 };
    struct outlet *out = &crawler->options->log->out;
    uint64_t since_ms = crawler->now_ms;
    bool was_told = crawler->signals > 0;

    flush_log(crawler);
    while (outlet_kept(out) && is_reader_awaited(crawler, since_ms)) {
        wait_for_any(crawler, LOOK_MS);
        viewing_tend(crawler);
        commit_if_due(crawler);
        if (crawler->signals && !was_told) {
            was_told = true;
            since_ms = crawler->now_ms;
        }
        flush_log(crawler);
    }
    outlet_drop(out);
    if (out->dropped && !crawler->failed)
        logr_note(crawler->options->log,
                  "nobody reads the log: its last %llu bytes are dropped",
                  (unsigned long long)out->dropped);
}

void check_time_and_signals(struct crawler *crawler, uint64_t now_ms)
{
    note_time(crawler, now_ms);
    if (now_ms - crawler->signals_checked_ms >= SIGNALS_EVERY_MS)
        take_signals(crawler);
}
