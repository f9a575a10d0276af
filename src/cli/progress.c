#include "cli/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/words.h"

enum { DEFAULT_COLUMNS = 80, LINE_MAX_LEN = 1024 };

bool progress_is_wanted(void)
{
    return terminal_can_redraw(STDERR_FILENO);
}

static size_t terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        return DEFAULT_COLUMNS;
    return size.ws_col;
}

static void put_idle(struct buf *line, const struct crawl_progress *now)
{
    const struct idle *idle = &now->idle;
    struct str asked =
        now->in_setup.host.len ? now->in_setup.host : STR("a host");
    double wait_s = idle->until_ms > now->now_ms
                        ? (double)(idle->until_ms - now->now_ms) / 1000
                        : 0;

    if (now->stopping)
        buf_put(line, STR(", stopping"));
    else if (now->paused)
        buf_put(line, STR(", paused by order"));
    else if (now->counts.setups && now->counts.setups == now->counts.in_flight)
        buf_printf(line,
                   now->in_setup.is_robots ? ", asking %.*s for its robots.txt"
                                           : ", looking up %.*s",
                   STR_ARGS(asked));
    else if (now->counts.in_flight)
        return;
    else if (idle->reason == IDLE_PAUSE)
        buf_printf(line, ", waiting %.1f s%s%.*s", wait_s,
                   idle->host.len ? " for " : "", STR_ARGS(idle->host));
    else if (idle->reason == IDLE_BACKOFF)
        buf_printf(line, ", %.*s is in trouble, again in %.1f s",
                   STR_ARGS(idle->host), wait_s);
    else if (idle->reason == IDLE_RETRY)
        buf_printf(line, ", trying %.*s again in %.1f s", STR_ARGS(idle->host),
                   wait_s);
    else if (idle->reason == IDLE_ADDRESS)
        buf_printf(line, ", another machine has the address of %.*s",
                   STR_ARGS(idle->host));
}

void progress_format(struct buf *line, const struct crawl_progress *now,
                     double rate, size_t columns)
{
    buf_printf(line, "%llu saved, %zu queued, %zu in flight, %s, %.1f/s, %s",
               (unsigned long long)now->stats->saved, now->counts.queued,
               now->counts.in_flight, words_bytes(now->stats->bytes).text, rate,
               words_elapsed(now->elapsed_ms).text);
    if (now->counts.domains_capped)
        buf_printf(line, ", %zu domains at their cap",
                   now->counts.domains_capped);
    put_idle(line, now);
    if (line->len > columns)
        line->len = columns;
}

static double smoothed_rate(struct progress *progress,
                            const struct crawl_progress *now)
{
    uint64_t passed_ms = now->now_ms - progress->last_ms;

    if (passed_ms < 1000 && progress->last_ms)
        return progress->rate;
    if (!progress->last_ms)
        passed_ms = now->elapsed_ms;
    if (passed_ms) {
        double rate = (double)(now->stats->saved - progress->last_saved) *
                      1000 / (double)passed_ms;
        progress->rate =
            progress->last_ms ? 0.7 * progress->rate + 0.3 * rate : rate;
    }
    progress->last_ms = now->now_ms;
    progress->last_saved = now->stats->saved;
    return progress->rate;
}

void progress_put_end(struct buf *line, struct history *history,
                      const struct crawl_progress *now, size_t columns)
{
    const struct history_point point = {
        .mono_ms = now->now_ms,
        .pages = now->stats->saved,
        .queued = now->counts.queued,
    };
    size_t before = line->len;
    uint64_t left_ms;

    history_add(history, &point);
    if (now->stopping || now->paused ||
        history_expected(history, now->counts.queued + now->counts.in_flight,
                         UINT64_MAX, now->slowest_ms,
                         &left_ms) != HISTORY_EXPECTED)
        return;
    buf_printf(line, ", about %s left", words_elapsed(left_ms).text);
    if (line->len > columns)
        line->len = before;
}

void progress_draw(void *user, const struct crawl_progress *now)
{
    struct progress *progress = user;
    size_t columns = terminal_columns() - 1;
    struct buf line;

    buf_init(&line, LINE_MAX_LEN);
    progress_format(&line, now, smoothed_rate(progress, now), columns);
    progress_put_end(&line, &progress->history, now, columns);
    fprintf(stderr, "\r%.*s\033[K", STR_ARGS(line));
    fflush(stderr);
    buf_release(&line);
    progress->shown = true;
}

void progress_wipe(void *user)
{
    struct progress *progress = user;

    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
