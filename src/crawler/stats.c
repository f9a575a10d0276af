#include "crawler/stats.h"

#include <stdio.h>

#include "base/json.h"

static void count_mime(struct stats *stats, const char *mime)
{
    size_t i = 0;

    while (i + 1 < STATS_MIMES && stats->mime[i].count &&
           !str_eq_nocase(str_of(stats->mime[i].mime), str_of(mime)))
        i++;
    if (!stats->mime[i].count && i + 1 < STATS_MIMES)
        snprintf(stats->mime[i].mime, sizeof(stats->mime[i].mime), "%s", mime);
    stats->mime[i].count++;
}

void stats_add_page(struct stats *stats, const struct webpage *page)
{
    int status = page->exchange.status;
    uint32_t depth =
        page->depth < STATS_DEPTHS ? page->depth : STATS_DEPTHS - 1;

    stats->outcome[page->outcome]++;
    stats->status[status > 0 && status < STATS_STATUS_MAX ? status : 0]++;
    if (status)
        count_mime(stats, page->exchange.mime);
    if (page->outcome == FETCHED)
        stats->depth[depth]++;
}

void stats_add_tally(struct stats *stats, const struct tally *tally)
{
    for (int i = 0; i < VERDICTS; i++)
        stats->links.verdict[i] += tally->verdict[i];
}

uint64_t stats_failed(const struct stats *stats)
{
    uint64_t failed = 0;

    for (int i = 0; i < OUTCOMES; i++)
        if (i != FETCHED && i != REDIRECTED)
            failed += stats->outcome[i];
    return failed;
}

enum outcome stats_main_failure(const struct stats *stats)
{
    enum outcome main = OUTCOMES;

    for (int i = 0; i < OUTCOMES; i++)
        if (i != FETCHED && stats->outcome[i] &&
            (main == OUTCOMES || stats->outcome[i] > stats->outcome[main]))
            main = (enum outcome)i;
    return main;
}

static double rate(const struct stats *stats)
{
    return stats->elapsed_ms
               ? (double)stats->saved * 1000 / (double)stats->elapsed_ms
               : 0;
}

/* --- JSON --------------------------------------------------------------- */

static void put_number(struct buf *out, const char *name, uint64_t value)
{
    buf_printf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_count(struct buf *out, const char **comma, struct str name,
                      uint64_t count)
{
    if (!count)
        return;
    buf_printf(out, "%s", *comma);
    json_put_str(out, name);
    buf_printf(out, ":%llu", (unsigned long long)count);
    *comma = ",";
}

static void put_verdicts(struct buf *out, const char *name,
                         const struct tally *tally)
{
    const char *comma = "";

    buf_printf(out, ",\"%s\":{", name);
    for (int i = 0; i < VERDICTS; i++)
        put_count(out, &comma, str_of(verdict_name((enum verdict)i)),
                  tally->verdict[i]);
    buf_put_char(out, '}');
}

static void put_tables(const struct stats *stats, struct buf *out)
{
    const char *comma = "";
    char text[16];

    buf_put(out, STR(",\"by_status\":{"));
    for (int i = 0; i < STATS_STATUS_MAX; i++) {
        int len = snprintf(text, sizeof(text), "%d", i);
        put_count(out, &comma,
                  i ? (struct str){text, (size_t)len} : STR("none"),
                  stats->status[i]);
    }
    comma = "";
    buf_put(out, STR("},\"by_mime\":{"));
    for (int i = 0; i < STATS_MIMES; i++)
        put_count(out, &comma,
                  i == STATS_MIMES - 1 ? STR("others")
                                       : str_of(stats->mime[i].mime),
                  stats->mime[i].count);
    comma = "";
    buf_put(out, STR("},\"by_depth\":{"));
    for (int i = 0; i < STATS_DEPTHS; i++) {
        int len = snprintf(text, sizeof(text), "%d", i);
        put_count(out, &comma, (struct str){text, (size_t)len},
                  stats->depth[i]);
    }
    comma = "";
    buf_put(out, STR("},\"by_outcome\":{"));
    for (int i = 0; i < OUTCOMES; i++)
        put_count(out, &comma, str_of(outcome_name((enum outcome)i)),
                  stats->outcome[i]);
    buf_put_char(out, '}');
}

void stats_put_json(const struct stats *stats, struct buf *out)
{
    const struct frontier_counts *counts = &stats->counts;

    buf_printf(out, "{\"pages\":%llu", (unsigned long long)stats->saved);
    put_number(out, "bytes", stats->bytes);
    buf_printf(out, ",\"pages_per_second\":%.3f", rate(stats));
    put_number(out, "elapsed_ms", stats->elapsed_ms);
    put_number(out, "retries", stats->retries);
    put_number(out, "robots_fetched", stats->robots);
    put_number(out, "robots_refused",
               stats->links.verdict[ROBOTS_REFUSED] +
                   stats->late.verdict[ROBOTS_REFUSED]);
    put_number(out, "names_resolved", stats->resolved);
    put_number(out, "sitemap_urls", stats->sitemap_urls);
    put_number(out, "queued", counts->queued);
    put_number(out, "queued_max", counts->queued_max);
    put_number(out, "queued_in_file_max", counts->shelved_max);
    put_number(out, "hosts_seen", counts->hosts);
    put_number(out, "hosts_dead", counts->hosts_dead);
    put_number(out, "domains_seen", counts->domains);
    put_number(out, "domains_crawled", counts->domains_crawled);
    put_number(out, "domains_capped", counts->domains_capped);
    put_number(out, "fetch_ms", stats->fetch_ms);
    put_number(out, "busy_ms", stats->busy_ms);
    put_number(out, "politeness_ms", stats->pause_ms);
    put_number(out, "idle_ms", stats->idle_ms);
    put_tables(stats, out);
    put_verdicts(out, "by_verdict", &stats->links);
    put_verdicts(out, "refused_late", &stats->late);
    buf_put(out, STR("}\n"));
}

/* --- for people --------------------------------------------------------- */

static void put_line(struct buf *out, const char *name, uint64_t value)
{
    if (value)
        buf_printf(out, "  %-20s %llu\n", name, (unsigned long long)value);
}

void stats_put_summary(const struct stats *stats, struct buf *out)
{
    buf_printf(out,
               "crawler: %llu pages saved, %llu bytes, %llu failed, "
               "%llu retries\n",
               (unsigned long long)stats->saved,
               (unsigned long long)stats->bytes,
               (unsigned long long)stats_failed(stats),
               (unsigned long long)stats->retries);
}

void stats_put_details(const struct stats *stats, struct buf *out)
{
    const struct frontier_counts *counts = &stats->counts;

    buf_printf(out,
               "%.1f s (%.1f pages/s), "
               "%zu hosts of %zu domains, %zu queued (at most %zu",
               (double)stats->elapsed_ms / 1000, rate(stats), counts->hosts,
               counts->domains, counts->queued, counts->queued_max);
    if (counts->shelved_max)
        buf_printf(out, ", %zu of them in a file", counts->shelved_max);
    buf_put(out, STR(")\n"));
    buf_printf(out,
               "time: %.1f s with fetches in flight, %.1f s of pauses, "
               "%.1f s idle; %llu robots.txt\n",
               (double)stats->busy_ms / 1000, (double)stats->pause_ms / 1000,
               (double)stats->idle_ms / 1000,
               (unsigned long long)stats->robots);
    buf_put(out, STR("fetches by outcome:\n"));
    for (int i = 0; i < OUTCOMES; i++)
        put_line(out, outcome_name((enum outcome)i), stats->outcome[i]);
    buf_put(out, STR("links by verdict:\n"));
    for (int i = 0; i < VERDICTS; i++)
        put_line(out, verdict_name((enum verdict)i),
                 stats->links.verdict[i] + stats->late.verdict[i]);
}
