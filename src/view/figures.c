#include "view/figures.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"

enum { SAYS_MAX = 1024, SEEDS_SHOWN = 10 };

/* --- small parts -----------------------------------------------------------
 */

static void add_counts(struct buf *out, const char *name,
                       const struct view_counts *counts)
{
    json_open(out, name);
    for (size_t i = 0; i < counts->count; i++)
        json_add_number(out, counts->of[i].name, counts->of[i].count);
    json_close(out);
}

static void add_says(struct buf *out, const struct view_snapshot *now,
                     const struct view_host *host)
{
    struct buf says;

    buf_init(&says, SAYS_MAX);
    if (host)
        figures_put_host_says(&says, host, now->at_ms);
    else
        figures_put_says(&says, now);
    json_add_str(out, "says", buf_str(&says));
    buf_release(&says);
}

/* --- status ----------------------------------------------------------------
 */

static void add_facts(struct buf *out, const struct figures *figures)
{
    const struct view_facts *facts = figures->facts;
    char program[64];

    snprintf(program, sizeof(program), "crawler %s", facts->version);
    json_add_str(out, "program", str_of(program));
    json_open_array(out, "seeds");
    for (size_t i = 0; i < facts->seed_count && i < SEEDS_SHOWN; i++)
        json_add_str(out, NULL, facts->seeds[i]);
    json_close_array(out);
    json_add_number(out, "seed_count", facts->seed_count);
    json_add_number(out, "max_depth", facts->max_depth);
    json_add_number(out, "started_at_ms", facts->started_ms);
    json_add_number(out, "elapsed_ms", figures->now->elapsed_ms);
}

static void add_end(struct buf *out, const struct figures *figures)
{
    const struct view_snapshot *now = figures->now;
    uint64_t left_ms = 0, queued = now->queued_memory + now->queued_disk;
    enum history_end end = HISTORY_UNKNOWN;

    if (now->state == VIEW_RUNNING)
        end = history_expected(figures->history, queued + now->in_flight,
                               now->pages_left, now->slowest_ms, &left_ms);
    json_add_str(out, "ends",
                 end == HISTORY_EXPECTED ? STR("expected")
                 : end == HISTORY_GROWS  ? STR("grows")
                                         : STR("unknown"));
    json_add_number_or_null(out, "end_at_ms",
                            end == HISTORY_EXPECTED ? now->at_ms + left_ms : 0);
}

static void add_figures(struct buf *out, const struct figures *figures)
{
    const struct view_snapshot *now = figures->now;
    struct history_rates ten = history_rates(figures->history, 10000);
    struct history_rates minute = history_rates(figures->history, 60000);

    json_add_number(out, "pages", now->pages);
    json_add_number(out, "bytes", now->bytes);
    json_add_number(out, "not_kept", now->not_kept);
    json_add_number(out, "failures", now->failures);
    json_add_number(out, "found", now->found);
    json_add_number(out, "fetched", now->fetched);
    json_add_decimal(out, "rate_10s", ten.pages);
    json_add_decimal(out, "rate_60s", minute.pages);
    json_add_decimal(out, "failures_60s", minute.failures);
    json_open(out, "queued");
    json_add_number(out, "memory", now->queued_memory);
    json_add_number(out, "disk", now->queued_disk);
    json_close(out);
    json_add_number(out, "in_flight", now->in_flight);
    json_add_number(out, "retries", now->retries);
    json_open(out, "time");
    json_add_number(out, "busy_ms", now->busy_ms);
    json_add_number(out, "pause_ms", now->pause_ms);
    json_add_number(out, "idle_ms", now->idle_ms);
    json_close(out);
}

static void add_statuses(struct buf *out, const struct view_snapshot *now)
{
    char name[16];

    json_open(out, "statuses");
    for (size_t i = 0; i < now->status_count; i++) {
        snprintf(name, sizeof(name), "%u", now->statuses[i].status);
        json_add_number(out, name, now->statuses[i].count);
    }
    json_close(out);
}

static void add_process(struct buf *out, const struct view_process *process)
{
    json_open(out, "process");
    json_add_number(out, "memory_bytes", process->memory_bytes);
    json_add_number(out, "cpu_ms", process->cpu_ms);
    json_add_number(out, "descriptors", process->descriptors);
    json_add_number(out, "descriptors_max", process->descriptors_max);
    json_add_number(out, "disk_free_bytes", process->disk_free_bytes);
    json_close(out);
}

static void add_object_of_order(struct buf *out, const struct view_rule *rule,
                                const char *order, bool undo)
{
    json_add_str(out, "order", str_of(order));
    if (rule->host.len)
        json_add_str(out, "host", rule->host);
    if (rule->pattern.len)
        json_add_str(out, "pattern", rule->pattern);
    if (strcmp(order, "delay") != 0)
        return;
    if (undo)
        json_add_null(out, "delay_ms");
    else
        json_add_number(out, "delay_ms", rule->delay_ms);
}

static const char *undo_of(const char *order)
{
    if (!strcmp(order, "drop"))
        return "retry";
    if (!strcmp(order, "exclude"))
        return "allow";
    return strcmp(order, "allow") != 0 ? order : "exclude";
}

static void add_rules(struct buf *out, const struct view_snapshot *now)
{
    json_open_array(out, "rules");
    for (size_t i = 0; i < now->rule_count; i++) {
        const struct view_rule *rule = &now->rule[i];
        json_open(out, NULL);
        json_add_number(out, "number", rule->number);
        json_add_number(out, "at_ms", rule->at_ms);
        add_object_of_order(out, rule, rule->order, false);
        json_open(out, "undo");
        add_object_of_order(out, rule, undo_of(rule->order), true);
        json_close(out);
        json_close(out);
    }
    json_close_array(out);
}

void figures_put_status(struct buf *out, const struct figures *figures)
{
    const struct view_snapshot *now = figures->now;

    json_open(out, NULL);
    json_add_number(out, "at_ms", now->at_ms);
    json_add_str(out, "directory", str_of(figures->facts->directory));
    json_add_cstr_or_null(out, "fleet", figures->facts->fleet);
    json_add_str(out, "state", str_of(view_state_name(now->state)));
    add_says(out, now, NULL);
    add_facts(out, figures);
    add_end(out, figures);
    add_figures(out, figures);
    add_counts(out, "urls", &now->urls);
    add_counts(out, "outcomes", &now->outcomes);
    add_statuses(out, now);
    add_counts(out, "links", &now->links);
    add_counts(out, "hosts", &now->hosts);
    add_counts(out, "domains", &now->domains);
    add_process(out, &figures->process);
    add_rules(out, now);
    json_add_number(out, "last_page", now->last_page);
    json_close(out);
}

/* --- hosts, errors ---------------------------------------------------------
 */

static void put_host(struct buf *out, const struct view_snapshot *now,
                     const struct view_host *host)
{
    json_open(out, NULL);
    json_add_str(out, "host", host->name);
    json_add_str(out, "domain", host->domain);
    json_add_str(out, "waits", str_of(host->waits));
    add_says(out, now, host);
    json_add_number_or_null(out, "until_ms", host->until_ms);
    json_add_number(out, "queued", host->queued);
    json_add_number(out, "in_flight", host->in_flight);
    json_add_number(out, "delay_ms", host->delay_ms);
    json_add_cstr_or_null(out, "delay_by", host->delay_by);
    json_add_number(out, "shared_with", host->shared_with);
    json_add_cstr_or_null(out, "outcome", host->outcome);
    json_close(out);
}

void figures_put_hosts(struct buf *out, const struct figures *figures)
{
    const struct view_snapshot *now = figures->now;

    json_open(out, NULL);
    json_add_number(out, "at_ms", now->at_ms);
    json_add_number(out, "known", view_counted(&now->hosts, "known"));
    json_open_array(out, "hosts");
    for (size_t i = 0; i < now->host_count; i++)
        put_host(out, now, &now->host[i]);
    json_close_array(out);
    json_close(out);
}

void figures_put_errors(struct buf *out, const struct figures *figures)
{
    const struct view_snapshot *now = figures->now;

    json_open(out, NULL);
    json_add_number(out, "at_ms", now->at_ms);
    json_open_array(out, "errors");
    for (size_t i = 0; i < now->error_count; i++) {
        const struct view_error *error = &now->error[i];
        json_open(out, NULL);
        json_add_str(out, "outcome", str_of(error->outcome));
        json_add_str(out, "says", str_of(error->says));
        json_add_number(out, "count", error->count);
        if (error->url.len)
            json_add_str(out, "url", error->url);
        else
            json_add_null(out, "url");
        json_add_number(out, "status", error->status);
        json_add_number_or_null(out, "at_ms", error->at_ms);
        json_close(out);
    }
    json_close_array(out);
    json_close(out);
}

/* --- pages -----------------------------------------------------------------
 */

void view_pages_add(struct view_pages *pages, const struct view_page *page)
{
    size_t at = (pages->first + pages->count) % FIGURES_PAGES;
    char *url = mem_new(page->url.len + 1);

    if (pages->count == FIGURES_PAGES) {
        free((void *)pages->page[at].url.ptr);
        pages->first = (pages->first + 1) % FIGURES_PAGES;
    } else {
        pages->count++;
    }
    memcpy(url, page->url.ptr, page->url.len);
    pages->page[at] = *page;
    pages->page[at].url.ptr = url;
}

void view_pages_release(struct view_pages *pages)
{
    for (size_t i = 0; i < pages->count; i++)
        free((void *)pages->page[(pages->first + i) % FIGURES_PAGES].url.ptr);
    *pages = (struct view_pages){0};
}

static const struct view_page *page_at(const struct view_pages *pages, size_t i)
{
    return &pages->page[(pages->first + i) % FIGURES_PAGES];
}

static void put_page(struct buf *out, const struct view_page *page)
{
    json_open(out, NULL);
    json_add_number(out, "page", page->number);
    json_add_str(out, "url", page->url);
    json_add_number(out, "depth", page->depth);
    json_add_number(out, "status", page->status);
    json_add_number(out, "bytes", page->bytes);
    json_add_number(out, "fetch_ms", page->fetch_ms);
    json_add_number(out, "at_ms", page->at_ms);
    json_close(out);
}

void figures_put_page_lines(struct buf *out, const struct figures *figures,
                            uint64_t after)
{
    for (size_t i = 0; i < figures->pages->count; i++) {
        const struct view_page *page = page_at(figures->pages, i);
        if (page->number <= after)
            continue;
        put_page(out, page);
        buf_put_char(out, '\n');
    }
}

bool figures_put_page_array(struct buf *out, const struct figures *figures,
                            uint64_t after, size_t max)
{
    const struct view_pages *pages = figures->pages;
    size_t start = pages->count > max ? pages->count - max : 0, n = 0;

    json_open_array(out, NULL);
    for (size_t i = start; i < pages->count; i++) {
        if (page_at(pages, i)->number <= after)
            continue;
        put_page(out, page_at(pages, i));
        n++;
    }
    json_close_array(out);
    return n;
}

/* --- history ---------------------------------------------------------------
 */

static void put_point(struct buf *out, const struct history_point *point)
{
    const uint64_t value[] = {
        point->at_ms, point->pages,   point->failures,
        point->found, point->fetched, point->queued,
    };

    json_open_array(out, NULL);
    for (size_t i = 0; i < ARRAY_LEN(value); i++)
        json_add_number(out, NULL, value[i]);
    json_close_array(out);
}

void figures_put_history(struct buf *out, const struct figures *figures)
{
    static const char *const columns[] = {
        "at_ms", "pages", "failures", "found", "fetched", "queued",
    };
    const struct history *history = figures->history;

    json_open(out, NULL);
    json_open_array(out, "columns");
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        json_add_str(out, NULL, str_of(columns[i]));
    json_close_array(out);
    json_open_array(out, "recent");
    for (size_t i = 0; i < history->recent_count; i++)
        put_point(out, history_recent(history, i));
    json_close_array(out);
    json_open_array(out, "whole");
    for (size_t i = 0; i < history->whole_count; i++)
        put_point(out, &history->whole[i]);
    json_close_array(out);
    json_close(out);
}
