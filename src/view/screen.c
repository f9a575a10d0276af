#include "base/escape.h"
#include "base/words.h"
#include "view/figures.h"

/* The figures for a terminal: some lines for the crawl, then its hosts, as many
 * as fit. */

enum { LINE_MAX_LEN = 2048, HOST_COLUMNS = 30 };

static unsigned long long number(uint64_t value)
{
    return value;
}

/* One line, cut to the width, without anything that a terminal obeys. */
static void put_line(struct buf *out, struct buf *line, size_t columns)
{
    terminal_put(out, str_first(buf_str(line), columns), '?');
    buf_put_char(out, '\n');
    buf_clear(line);
}

static void put_end(struct buf *line, const struct figures *figures)
{
    const struct view_snapshot *now = figures->now;
    uint64_t left_ms = 0;

    if (now->state != VIEW_RUNNING)
        return;
    switch (
        history_expected(figures->history,
                         now->queued_memory + now->queued_disk + now->in_flight,
                         now->pages_left, now->slowest_ms, &left_ms)) {
    case HISTORY_EXPECTED:
        buf_printf(line, ", about %s left", words_elapsed(left_ms).text);
        break;
    case HISTORY_GROWS:
        buf_put(line, STR(", the queue grows"));
        break;
    case HISTORY_UNKNOWN:
        break;
    }
}

static void put_head(struct buf *out, struct buf *line,
                     const struct figures *figures, size_t columns)
{
    const struct view_snapshot *now = figures->now;

    buf_printf(line, "The crawl in %s is %s: ", figures->facts->directory,
               view_state_name(now->state));
    figures_put_says(line, now);
    put_line(out, line, columns);
    buf_printf(line,
               "  pages    %llu saved, %s; %.1f/s now, %.1f/s in the last "
               "minute",
               number(now->pages), words_bytes(now->bytes).text,
               history_rates(figures->history, 10000).pages,
               history_rates(figures->history, 60000).pages);
    put_line(out, line, columns);
    buf_printf(line, "  queue    %llu in memory, %llu on disk, %llu in flight",
               number(now->queued_memory), number(now->queued_disk),
               number(now->in_flight));
    put_line(out, line, columns);
    buf_printf(line, "  not kept %llu", number(now->not_kept));
    put_line(out, line, columns);
    buf_printf(line, "  failed   %llu, %llu retries", number(now->failures),
               number(now->retries));
    if (now->error_count)
        buf_printf(line, "; most: %s (%llu)", now->error[0].says,
                   number(now->error[0].count));
    put_line(out, line, columns);
    buf_printf(line, "  time     %s", words_elapsed(now->elapsed_ms).text);
    put_end(line, figures);
    put_line(out, line, columns);
}

static void put_fleet(struct buf *out, struct buf *line,
                      const struct figures *figures, size_t columns)
{
    if (!figures->facts->fleet)
        return;
    buf_printf(line,
               "  fleet    orders reach this machine only; for all: crawler "
               "pause %s",
               figures->facts->fleet);
    put_line(out, line, columns);
}

static void put_rules(struct buf *out, struct buf *line,
                      const struct view_snapshot *now, size_t columns)
{
    const struct view_rule *last =
        now->rule_count ? &now->rule[now->rule_count - 1] : NULL;

    if (!last)
        return;
    buf_printf(line, "  orders   %zu in force; the last: %s %.*s%.*s",
               now->rule_count, last->order, STR_ARGS(last->host),
               STR_ARGS(last->pattern));
    put_line(out, line, columns);
}

static void put_hosts(struct buf *out, struct buf *line,
                      const struct view_snapshot *now, size_t columns,
                      size_t rows)
{
    buf_printf(line, "%8s  %-*s  %s", "queued", HOST_COLUMNS, "host",
               "waiting because");
    put_line(out, line, columns);
    for (size_t i = 0; i < now->host_count && i < rows; i++) {
        const struct view_host *host = &now->host[i];
        struct str name = str_first(host->name, HOST_COLUMNS);
        buf_printf(line, "%8llu  %-*.*s  ", number(host->queued), HOST_COLUMNS,
                   STR_ARGS(name));
        figures_put_host_says(line, host, now->at_ms);
        put_line(out, line, columns);
    }
}

void figures_put_screen(struct buf *out, const struct figures *figures,
                        size_t columns, size_t rows)
{
    size_t head = 8;
    struct buf line;

    head += figures->now->rule_count > 0;
    head += figures->facts->fleet != NULL;
    buf_init(&line, LINE_MAX_LEN);
    put_head(out, &line, figures, columns);
    put_fleet(out, &line, figures, columns);
    put_rules(out, &line, figures->now, columns);
    if (rows > head)
        put_hosts(out, &line, figures->now, columns, rows - head);
    buf_release(&line);
}
