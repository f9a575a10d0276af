#include "view/metrics.h"

struct output {
    struct buf *buf;
    bool open; /* OpenMetrics */
};

/* --- which form -------------------------------------------------------------
 */

/* The weight of a range in thousandths: "q=0.5" is 500. */
static unsigned weight_of(struct str parameters)
{
    unsigned weight = 1000;

    while (parameters.len) {
        struct str_pair cut = str_cut(parameters, ';');
        struct str value = str_trim(cut.head);
        parameters = cut.tail;
        if (!str_starts_nocase(value, STR("q=")))
            continue;
        value = str_skip(value, 2);
        weight = value.len && value.ptr[0] == '1' ? 1000 : 0;
        unsigned unit = 100;
        for (size_t i = 2; i < value.len && i < 5 && weight < 1000; i++) {
            if (ascii_is_digit(value.ptr[i]))
                weight += (unsigned)(value.ptr[i] - '0') * unit;
            unit /= 10;
        }
    }
    return weight;
}

enum metrics_form metrics_preferred(struct str accept)
{
    unsigned open = 0, text = 0;

    while (accept.len) {
        struct str_pair cut = str_cut(accept, ',');
        struct str_pair range = str_cut(cut.head, ';');
        struct str type = str_trim(range.head);
        unsigned weight = weight_of(range.tail);
        unsigned *best = &text;
        accept = cut.tail;
        if (str_eq_nocase(type, STR("application/openmetrics-text")))
            best = &open;
        else if (!str_eq_nocase(type, STR("text/plain")) &&
                 !str_eq(type, STR("text/*")) && !str_eq(type, STR("*/*")))
            continue;
        *best = weight > *best ? weight : *best;
    }
    return open > text ? METRICS_OPENMETRICS : METRICS_TEXT;
}

struct str metrics_type(enum metrics_form form)
{
    return form == METRICS_TEXT
               ? STR("text/plain; version=0.0.4; charset=utf-8")
               : STR("application/openmetrics-text; version=1.0.0; "
                     "charset=utf-8");
}

/* --- the lines --------------------------------------------------------------
 */

/* In OpenMetrics a counter is named without its suffix here. */
static void put_family(const struct output *out, const char *name,
                       const char *type, const char *help)
{
    const char *suffix = !out->open && !strcmp(type, "counter") ? "_total" : "";

    buf_printf(out->buf, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help,
               name, suffix, type);
}

/* `label` and `value_of_label` are literals and need no escaping; `label` NULL:
 * no label. */
static void put_name(const struct output *out, const char *name,
                     const char *suffix, const char *label,
                     const char *value_of_label)
{
    buf_printf(out->buf, "%s%s", name, suffix);
    if (label)
        buf_printf(out->buf, "{%s=\"%s\"}", label, value_of_label);
}

static void put_sample(const struct output *out, const char *name,
                       const char *suffix, const char *label,
                       const char *value_of_label, uint64_t value)
{
    put_name(out, name, suffix, label, value_of_label);
    buf_printf(out->buf, " %llu\n", (unsigned long long)value);
}

static void put_seconds(const struct output *out, const char *name,
                        const char *suffix, const char *label,
                        const char *value_of_label, uint64_t ms)
{
    put_name(out, name, suffix, label, value_of_label);
    buf_printf(out->buf, " %llu.%03u\n", (unsigned long long)(ms / 1000),
               (unsigned)(ms % 1000));
}

static void put_counter(const struct output *out, const char *name,
                        const char *help, uint64_t value)
{
    put_family(out, name, "counter", help);
    put_sample(out, name, "_total", NULL, NULL, value);
}

static void put_gauge(const struct output *out, const char *name,
                      const char *help, uint64_t value)
{
    put_family(out, name, "gauge", help);
    put_sample(out, name, "", NULL, NULL, value);
}

static void put_counts(const struct output *out, const char *name,
                       const char *type, const char *label,
                       const struct view_counts *counts)
{
    const char *suffix = !strcmp(type, "counter") ? "_total" : "";

    for (size_t i = 0; i < counts->count; i++)
        put_sample(out, name, suffix, label, counts->of[i].name,
                   counts->of[i].count);
}

static void put_histogram(const struct output *out, const char *name,
                          const char *help,
                          const struct view_histogram *histogram)
{
    unsigned long long sum = 0;

    put_family(out, name, "histogram", help);
    for (size_t i = 0; i < SNAPSHOT_BUCKETS; i++) {
        uint64_t ms = view_bucket_ms[i];
        sum += histogram->count[i];
        buf_printf(out->buf, "%s_bucket{le=\"%llu.%03u\"} %llu\n", name,
                   (unsigned long long)(ms / 1000), (unsigned)(ms % 1000), sum);
    }
    sum += histogram->count[SNAPSHOT_BUCKETS];
    buf_printf(out->buf, "%s_bucket{le=\"+Inf\"} %llu\n", name, sum);
    put_seconds(out, name, "_sum", NULL, NULL, histogram->sum_ms);
    put_sample(out, name, "_count", NULL, NULL, sum);
}

/* --- the metrics ------------------------------------------------------------
 */

static void put_info(const struct output *out, const struct figures *figures)
{
    put_family(out, out->open ? "crawler" : "crawler_info",
               out->open ? "info" : "gauge", "The program.");
    put_sample(out, "crawler_info", "", "version", figures->facts->version, 1);
}

static void put_responses(const struct output *out,
                          const struct view_snapshot *now)
{
    static const char *const classes[] = {"none", "1xx", "2xx",
                                          "3xx",  "4xx", "5xx"};
    uint64_t count[ARRAY_LEN(classes)] = {0};
    const char *name = "crawler_responses";

    for (size_t i = 0; i < now->status_count; i++) {
        unsigned class = now->statuses[i].status / 100;
        count[class < ARRAY_LEN(classes) ? class : 0] += now->statuses[i].count;
    }
    put_family(out, name, "counter",
               "Ends of fetches by the class of the response; none: no "
               "answer, or a status beyond 5xx.");
    for (size_t i = 0; i < ARRAY_LEN(classes); i++)
        put_sample(out, name, "_total", "class", classes[i], count[i]);
}

static void put_urls(const struct output *out, const struct view_snapshot *now)
{
    put_counter(out, "crawler_pages", "Pages saved.", now->pages);
    put_counter(out, "crawler_page_bytes", "Bytes of the pages saved.",
                now->bytes);
    put_counter(out, "crawler_retries", "Fetches that were tried again.",
                now->retries);
    put_counter(out, "crawler_robots_fetched", "Fetches of robots.txt files.",
                now->robots_fetched);
    put_family(out, "crawler_fetches", "counter",
               "URLs that ended, by outcome.");
    put_counts(out, "crawler_fetches", "counter", "outcome", &now->outcomes);
    put_responses(out, now);
    put_family(out, "crawler_urls", "gauge",
               "URLs that were found, by how they ended.");
    put_counts(out, "crawler_urls", "gauge", "end", &now->urls);
    put_family(out, "crawler_links", "counter", "Links found, by verdict.");
    put_counts(out, "crawler_links", "counter", "verdict", &now->links);
    put_family(out, "crawler_queue_urls", "gauge", "URLs that wait.");
    put_sample(out, "crawler_queue_urls", "", "where", "memory",
               now->queued_memory);
    put_sample(out, "crawler_queue_urls", "", "where", "disk",
               now->queued_disk);
}

/* "known" and "given_up" are counts of their own. */
static void put_hosts(const struct output *out, const struct view_snapshot *now)
{
    put_family(out, "crawler_hosts", "gauge",
               "Hosts that are remembered, by where they stand.");
    for (size_t i = 0; i < now->hosts.count; i++) {
        const struct view_named *named = &now->hosts.of[i];
        if (strcmp(named->name, "known") != 0 &&
            strcmp(named->name, "given_up") != 0)
            put_sample(out, "crawler_hosts", "", "state", named->name,
                       named->count);
    }
    put_gauge(out, "crawler_hosts_seen", "Hosts seen so far.",
              view_counted(&now->hosts, "known"));
    put_gauge(out, "crawler_hosts_given_up", "Hosts that were given up.",
              view_counted(&now->hosts, "given_up"));
    put_gauge(out, "crawler_fetches_in_flight",
              "Fetches in flight, look-ups and robots.txt included.",
              now->in_flight);
    put_gauge(out, "crawler_paused", "1 while the crawl is paused by order.",
              now->state == VIEW_PAUSED);
}

static void put_times(const struct output *out, const struct view_snapshot *now)
{
    const char *name = "crawler_time_seconds";

    put_histogram(out, "crawler_fetch_duration_seconds",
                  "Time that fetches took, of this run.", &now->fetch_times);
    put_histogram(out, "crawler_commit_duration_seconds",
                  "Time that commits to the record took, of this run.",
                  &now->commit_times);
    put_family(out, name, "counter",
               "Time with fetches in flight (busy), in pauses of hosts "
               "(pause) and in neither (idle).");
    put_seconds(out, name, "_total", "kind", "busy", now->busy_ms);
    put_seconds(out, name, "_total", "kind", "pause", now->pause_ms);
    put_seconds(out, name, "_total", "kind", "idle", now->idle_ms);
}

static void put_process(const struct output *out, const struct figures *figures)
{
    const struct view_process *process = &figures->process;

    put_gauge(out, "process_resident_memory_bytes", "Memory in use.",
              process->memory_bytes);
    put_family(out, "process_cpu_seconds", "counter", "CPU time used.");
    put_seconds(out, "process_cpu_seconds", "_total", NULL, NULL,
                process->cpu_ms);
    put_gauge(out, "process_open_fds", "Open file descriptors.",
              process->descriptors);
    put_gauge(out, "process_max_fds", "Most file descriptors allowed.",
              process->descriptors_max);
    put_family(out, "process_start_time_seconds", "gauge",
               "When the crawl was started.");
    put_seconds(out, "process_start_time_seconds", "", NULL, NULL,
                figures->facts->started_ms);
    put_gauge(out, "crawler_disk_free_bytes",
              "Free space on the disk of the page directory.",
              process->disk_free_bytes);
}

void metrics_put(struct buf *buf, const struct figures *figures,
                 enum metrics_form form)
{
    const struct output out = {buf, form == METRICS_OPENMETRICS};

    put_info(&out, figures);
    put_urls(&out, figures->now);
    put_hosts(&out, figures->now);
    put_times(&out, figures->now);
    put_process(&out, figures);
    if (out.open)
        buf_put(buf, STR("# EOF\n"));
}
