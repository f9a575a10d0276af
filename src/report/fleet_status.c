#include "report/fleet_status.h"

#include "base/escape.h"
#include "base/words.h"

enum { LINE_MAX_LEN = 4096 };

struct fleet_totals {
    uint64_t pages, sent, taken;
    size_t alive, left, dead, free;
    uint32_t loading; /* a machine that loads partitions; 0: none */
};

static struct fleet_totals add_up(const struct fleet_snapshot *snapshot)
{
    struct fleet_totals totals = {0};

    for (size_t i = 0; i < snapshot->nodes; i++) {
        const struct fleet_node *node = &snapshot->node[i];
        totals.pages += node->pages;
        totals.sent += node->sent;
        totals.taken += node->taken;
        if (node->node == FLEET_SEEDS)
            continue;
        totals.alive += node->state == FLEET_ALIVE;
        totals.left += node->state == FLEET_LEFT;
        totals.dead += node->state == FLEET_DEAD;
        if (node->state == FLEET_ALIVE && node->lowest == FLEET_LOWEST_UNKNOWN)
            totals.loading = node->node;
    }
    for (uint32_t i = 0; i < snapshot->crawl.partitions; i++)
        totals.free += snapshot->part[i].owner == FLEET_NO_OWNER;
    return totals;
}

static unsigned long long number(uint64_t value)
{
    return value;
}

/* --- the crawl ------------------------------------------------------------ */

static const char *state_text(const struct fleet_crawl *crawl)
{
    if (crawl->state == FLEET_FINISHED)
        return "finished";
    return crawl->wish == FLEET_RUN     ? "running"
           : crawl->wish == FLEET_PAUSE ? "paused"
                                        : "stopped";
}

void fleet_put_waits(const struct fleet_snapshot *snapshot, struct buf *line)
{
    struct fleet_totals totals = add_up(snapshot);

    if (snapshot->crawl.wish == FLEET_PAUSE)
        buf_put(line, STR("for crawler continue"));
    else if (snapshot->crawl.wish == FLEET_STOP)
        buf_put(line, STR("for crawler continue, then for machines"));
    else if (!totals.alive)
        buf_put(line, STR("for machines: none is at work"));
    else if (totals.free)
        buf_printf(line, "for owners of %s",
                   words_count(totals.free, "partition").text);
    else if (totals.loading)
        buf_printf(line, "for machine %u, which loads partitions",
                   totals.loading);
    else
        buf_put(line, STR("for nothing: fetching"));
}

static void say_pages(FILE *out, const struct fleet_snapshot *snapshot,
                      const struct fleet_totals *totals, struct buf *line)
{
    const struct fleet_crawl *crawl = &snapshot->crawl;

    buf_printf(line, "%llu saved", number(totals->pages));
    if (crawl->pages_max != UINT64_MAX)
        buf_printf(line, " of at most %llu", number(crawl->pages_max));
    /* A finished crawl may be looked at long after its end. */
    if (crawl->state == FLEET_RUNNING && snapshot->engine_ms > crawl->began_ms)
        buf_printf(line, ", %.1f a second since it began",
                   (double)totals->pages * 1000 /
                       (double)(snapshot->engine_ms - crawl->began_ms));
    terminal_line(out, "  pages    %s", buf_cstr(line));
    buf_clear(line);
}

static void say_crawl(FILE *out, const struct fleet_snapshot *snapshot,
                      struct buf *line)
{
    const struct fleet_crawl *crawl = &snapshot->crawl;
    struct fleet_totals totals = add_up(snapshot);

    terminal_line(out, "  begun    %s", words_time(crawl->began_ms).text);
    say_pages(out, snapshot, &totals, line);
    terminal_line(out, "  machines %zu at work, %zu left, %zu dead",
                  totals.alive, totals.left, totals.dead);
    terminal_line(out, "  parts    %u, of which %zu are free",
                  crawl->partitions, totals.free);
    terminal_line(out, "  mail     %zu under way; %llu sent, %llu taken",
                  snapshot->mails_waiting, number(totals.sent),
                  number(totals.taken));
    terminal_line(out, "  level    %u", crawl->level);
    if (crawl->state == FLEET_FINISHED)
        return;
    fleet_put_waits(snapshot, line);
    terminal_line(out, "  waits    %s", buf_cstr(line));
    buf_clear(line);
}

/* --- the machines --------------------------------------------------------- */

static size_t parts_of(const struct fleet_snapshot *snapshot, uint32_t node)
{
    size_t count = 0;

    for (uint32_t i = 0; i < snapshot->crawl.partitions; i++)
        count += snapshot->part[i].owner == node;
    return count;
}

/* The smallest depth at which a machine has something to fetch. */
static void put_open(const struct fleet_node *node, struct buf *line)
{
    if (node->state != FLEET_ALIVE || node->lowest == FLEET_LOWEST_NONE)
        buf_printf(line, " %7s", "-");
    else if (node->lowest == FLEET_LOWEST_UNKNOWN)
        buf_printf(line, " %7s", "loading");
    else
        buf_printf(line, " %7d", node->lowest);
}

static void say_machine(FILE *out, const struct fleet_snapshot *snapshot,
                        const struct fleet_node *node, struct buf *line)
{
    static const char *const states[] = {
        [FLEET_ALIVE] = "alive", [FLEET_LEFT] = "left", [FLEET_DEAD] = "dead"};
    uint64_t silent_ms = snapshot->engine_ms > node->renewed_ms
                             ? snapshot->engine_ms - node->renewed_ms
                             : 0;

    buf_printf(line, " %8u %6s %6zu %10llu", node->node, states[node->state],
               parts_of(snapshot, node->node), number(node->pages));
    put_open(node, line);
    buf_printf(line, " %14s", words_duration(silent_ms).text);
    terminal_line(out, "%s  %.*s%s", buf_cstr(line), STR_ARGS(node->name),
                  node->pages_lost ? " (its pages are lost)" : "");
    buf_clear(line);
}

static void say_machines(FILE *out, const struct fleet_snapshot *snapshot,
                         struct buf *line)
{
    terminal_line(out, " %8s %6s %6s %10s %7s %14s  name", "machine", "state",
                  "parts", "pages", "depth", "silent for");
    for (size_t i = 0; i < snapshot->nodes; i++)
        if (snapshot->node[i].node != FLEET_SEEDS)
            say_machine(out, snapshot, &snapshot->node[i], line);
}

void fleet_status_print(FILE *out, const struct fleet_snapshot *snapshot,
                        const char *name, const char *engine)
{
    struct buf line;

    buf_init(&line, LINE_MAX_LEN);
    terminal_line(out, "The crawl '%s' at %s is %s", name, engine,
                  state_text(&snapshot->crawl));
    say_crawl(out, snapshot, &line);
    say_machines(out, snapshot, &line);
    buf_release(&line);
}
