#include "crawler/stats.h"

#include <stdio.h>

#include "base/json.h"
#include "base/words.h"
#include "crawler/counters.h"

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

static uint64_t *of_depth(struct stats *stats, uint32_t depth)
{
    return &stats->depth[depth < STATS_DEPTHS ? depth : STATS_DEPTHS - 1];
}

void stats_move_page(struct stats *stats, uint32_t from, uint32_t to)
{
    if (*of_depth(stats, from))
        --*of_depth(stats, from);
    ++*of_depth(stats, to);
    stats->has_withdrawn = true;
}

void stats_add_page(struct stats *stats, const struct webpage *page)
{
    int status = page->exchange.status;

    stats->outcome[page->outcome]++;
    stats->status[status > 0 && status < STATS_STATUS_MAX ? status : 0]++;
    if (status)
        count_mime(stats, page->exchange.mime);
    if (page->outcome == FETCHED)
        ++*of_depth(stats, page->depth);
}

void stats_add_tally(struct stats *stats, const struct tally *tally)
{
    for (int i = 0; i < VERDICTS; i++)
        stats->links.verdict[i] += tally->verdict[i];
}

void stats_add_time(struct stats *stats, enum stats_time kind, uint64_t ms)
{
    uint64_t *const time_ms[] = {
        [TIME_BUSY] = &stats->busy_ms,
        [TIME_PAUSE] = &stats->pause_ms,
        [TIME_IDLE] = &stats->idle_ms,
    };

    *time_ms[kind] += ms;
    stats->elapsed_ms += ms;
}

void stats_settle_time(struct stats *stats)
{
    uint64_t sum_ms = stats->busy_ms + stats->pause_ms + stats->idle_ms;

    if (stats->elapsed_ms > sum_ms)
        stats->idle_ms += stats->elapsed_ms - sum_ms;
    else
        stats->elapsed_ms = sum_ms;
}

enum outcome stats_main_failure(const struct stats *stats)
{
    enum outcome main = OUTCOMES;

    for (int i = 0; i < OUTCOMES; i++)
        if (i != FETCHED && i != REDIRECTED && i != CANONICAL &&
            stats->outcome[i] &&
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

static void put_ends(const struct stats *stats, struct buf *out)
{
    json_open(out, "urls");
    for (int end = 0; end < URL_OUTSIDE; end++)
        json_add_number(out, url_end_name((enum url_end)end), stats->ends[end]);
    json_close(out);
}

static void put_requisites(const struct stats *stats, struct buf *out)
{
    const uint64_t *ends = stats->requisite_ends;

    json_open(out, "requisites");
    json_add_number(out, "fetched", ends[URL_SAVED]);
    json_add_number(out, "bytes", stats->requisite_bytes);
    json_add_number(out, "redirected", ends[URL_REDIRECTED]);
    json_add_number(out, "not_kept", ends[URL_NOT_KEPT]);
    json_add_number(out, "failed", ends[URL_FAILED]);
    json_add_number(out, "refused", ends[URL_REFUSED]);
    json_add_number(out, "queued", ends[URL_QUEUED]);
    json_add_number(out, "left_out", stats->requisites_beyond);
    json_close(out);
}

void stats_put_json(const struct stats *stats, struct buf *out)
{
    const struct frontier_counts *counts = &stats->counts;

    json_open(out, NULL);
    json_add_number(out, "pages", stats->saved);
    json_add_number(out, "bytes", stats->bytes);
    json_add_decimal(out, "pages_per_second", rate(stats));
    json_add_number(out, "elapsed_ms", stats->elapsed_ms);
    json_add_number(out, "retries", stats->retries);
    json_add_number(out, "robots_fetched", stats->robots);
    json_add_number(out, "robots_refused",
                    stats->links.verdict[ROBOTS_REFUSED] +
                        stats->late.verdict[ROBOTS_REFUSED]);
    json_add_number(out, "names_resolved", stats->resolved);
    json_add_number(out, "sitemap_urls", stats->sitemap_urls);
    put_requisites(stats, out);
    json_add_number(out, "captures", stats->captures);
    json_add_number(out, "revisits", stats->revisits);
    json_add_number(out, "captures_cut", stats->captures_cut);
    json_add_number(out, "noarchive", stats->noarchive);
    json_add_number(out, "noindex", stats->noindex);
    json_add_number(out, "scanned_again", stats->scanned_again);
    json_add_number(out, "fetched_again", stats->fetched_again);
    json_add_number(out, "queued", stats->ends[URL_QUEUED]);
    json_add_number(out, "queued_max", counts->queued_max);
    json_add_number(out, "queued_in_file_max", counts->on_disk_max);
    json_add_number(out, "hosts_seen", counts->hosts);
    json_add_number(out, "hosts_dead", counts->hosts_dead);
    json_add_number(out, "domains_seen", counts->domains);
    json_add_number(out, "domains_crawled", counts->domains_crawled);
    json_add_number(out, "domains_capped", counts->domains_capped);
    json_add_number(out, "fetch_ms", stats->fetch_ms);
    json_add_number(out, "busy_ms", stats->busy_ms);
    json_add_number(out, "politeness_ms", stats->pause_ms);
    json_add_number(out, "idle_ms", stats->idle_ms);
    put_ends(stats, out);
    stats_put_tables(stats, out);
    json_close(out);
    buf_put_char(out, '\n');
}

/* --- for people --------------------------------------------------------- */

static void put_line(struct buf *out, const char *name, uint64_t value)
{
    if (value)
        buf_printf(out, "  %-20s %llu\n", name, (unsigned long long)value);
}

static bool has_requisites(const struct stats *stats)
{
    for (int i = 0; i < URL_ENDS; i++)
        if (stats->requisite_ends[i])
            return true;
    return false;
}

void stats_put_summary(const struct stats *stats, struct buf *out)
{
    buf_printf(out,
               "crawler: %s saved, %s, %llu not kept, %llu failed, %llu %s\n",
               words_count(stats->saved, "page").text,
               words_count(stats->bytes, "byte").text,
               (unsigned long long)stats->ends[URL_NOT_KEPT],
               (unsigned long long)stats->ends[URL_FAILED],
               (unsigned long long)stats->retries,
               stats->retries == 1 ? "retry" : "retries");
    if (has_requisites(stats))
        buf_printf(
            out,
            "crawler: %s fetched, %s, %llu not kept, %llu failed, %llu "
            "refused\n",
            words_count(stats->requisite_ends[URL_SAVED], "requisite").text,
            words_count(stats->requisite_bytes, "byte").text,
            (unsigned long long)stats->requisite_ends[URL_NOT_KEPT],
            (unsigned long long)stats->requisite_ends[URL_FAILED],
            (unsigned long long)stats->requisite_ends[URL_REFUSED]);
    if (stats->scanned_again || stats->fetched_again)
        buf_printf(out,
                   "crawler: found nearer, or to go deeper: %s read again from "
                   "the disk, %llu fetched once more\n",
                   words_count(stats->scanned_again, "page").text,
                   (unsigned long long)stats->fetched_again);
}

/* Seconds from one time to another, in tenths. Each time is rounded, not the
 * difference, so that parts add up to their sum also as they are shown. */
static void put_seconds(struct buf *out, uint64_t to_ms, uint64_t from_ms)
{
    uint64_t tenths = (to_ms + 50) / 100 - (from_ms + 50) / 100;

    buf_printf(out, "%llu.%llu", (unsigned long long)tenths / 10,
               (unsigned long long)tenths % 10);
}

static void put_times(const struct stats *stats, struct buf *out)
{
    uint64_t not_idle_ms = stats->busy_ms + stats->pause_ms;

    buf_put(out, STR("time: "));
    put_seconds(out, stats->busy_ms, 0);
    buf_put(out, STR(" s with fetches in flight, "));
    put_seconds(out, not_idle_ms, stats->busy_ms);
    buf_put(out, STR(" s of pauses, "));
    put_seconds(out, stats->elapsed_ms, not_idle_ms);
    buf_put(out, STR(" s idle"));
}

/* A heading and the lines below it; nothing if there are no lines. */
static void put_verdicts(struct buf *out, const char *heading,
                         const struct tally *tally)
{
    size_t start = out->len;

    buf_printf(out, "%s:\n", heading);
    size_t end = out->len;
    for (int i = 0; i < VERDICTS; i++)
        put_line(out, verdict_name((enum verdict)i), tally->verdict[i]);
    if (out->len == end)
        out->len = start;
}

static void put_outcomes(struct buf *out, const struct stats *stats)
{
    size_t start = out->len;

    buf_put(out, STR("URLs by outcome:\n"));
    size_t end = out->len;
    for (int i = 0; i < OUTCOMES; i++)
        put_line(out, outcome_name((enum outcome)i), stats->outcome[i]);
    if (out->len == end)
        out->len = start;
}

static void put_archive(const struct stats *stats, struct buf *out)
{
    if (stats->captures || stats->noarchive || stats->noindex)
        buf_printf(out,
                   "archive: %llu exchanges kept, %llu of them known before, "
                   "%llu cut at the limit of size, %llu left out (noarchive), "
                   "%llu (noindex)\n",
                   (unsigned long long)stats->captures,
                   (unsigned long long)stats->revisits,
                   (unsigned long long)stats->captures_cut,
                   (unsigned long long)stats->noarchive,
                   (unsigned long long)stats->noindex);
}

void stats_put_details(const struct stats *stats, struct buf *out)
{
    const struct frontier_counts *counts = &stats->counts;

    put_seconds(out, stats->elapsed_ms, 0);
    buf_printf(out,
               " s (%.1f pages/s), "
               "%s of %s, %llu queued (at most %zu",
               rate(stats), words_count(counts->hosts, "host").text,
               words_count(counts->domains, "domain").text,
               (unsigned long long)stats->ends[URL_QUEUED], counts->queued_max);
    if (counts->on_disk_max)
        buf_printf(out, ", %zu of them in a file", counts->on_disk_max);
    buf_put(out, STR(")\n"));
    buf_printf(out,
               "URLs: %llu saved, %llu redirected, %llu not kept, %llu failed, "
               "%llu refused, %llu queued\n",
               (unsigned long long)stats->ends[URL_SAVED],
               (unsigned long long)stats->ends[URL_REDIRECTED],
               (unsigned long long)stats->ends[URL_NOT_KEPT],
               (unsigned long long)stats->ends[URL_FAILED],
               (unsigned long long)stats->ends[URL_REFUSED],
               (unsigned long long)stats->ends[URL_QUEUED]);
    put_times(stats, out);
    buf_printf(out, "; %llu robots.txt\n", (unsigned long long)stats->robots);
    put_archive(stats, out);
    put_outcomes(out, stats);
    put_verdicts(out, "links by verdict", &stats->links);
    put_verdicts(out, "URLs refused when their turn had come", &stats->late);
}
