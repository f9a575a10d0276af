
#include "view/figures.h"

#include "base/date.h"

/* Words for what a crawl and its hosts wait for. */

static unsigned long long number(uint64_t value)
{
    return value;
}

/* "12:04:10 UTC" */
static void put_time(struct buf *out, uint64_t wall_ms)
{
    buf_printf(out, "%.8s UTC", date_iso(wall_ms).text + 11);
}

static double seconds_to(uint64_t until_ms, uint64_t now_ms)
{
    return until_ms > now_ms ? (double)(until_ms - now_ms) / 1000 : 0;
}

/* A comma, unless it is the first part. */
static void put_comma(struct buf *out, size_t start)
{
    if (out->len > start)
        buf_put(out, STR(", "));
}

static void put_hosts(struct buf *out, size_t start, uint64_t count,
                      const char *one, const char *many)
{
    if (!count)
        return;
    put_comma(out, start);
    buf_printf(out, "%llu %s", number(count), count == 1 ? one : many);
}

/* The list begins with hosts that the user changed by hand, then those that
 * back off. */
static void put_backoff(struct buf *out, size_t start,
                        const struct view_snapshot *now)
{
    uint64_t count = view_counted(&now->hosts, "backoff");
    const struct view_host *first = now->host_count ? &now->host[0] : NULL;

    if (!count)
        return;
    put_hosts(out, start, count, "backs off", "back off");
    if (count > 1 || !first || strcmp(first->waits, "backoff") != 0)
        return;
    buf_put(out, STR(" until "));
    put_time(out, first->until_ms);
    if (first->trouble)
        buf_printf(out, " (%s)", first->trouble);
}

static void put_next(struct buf *out, size_t start,
                     const struct view_snapshot *now)
{
    if (now->in_flight)
        return;
    if (now->next_fetch_ms) {
        put_comma(out, start);
        buf_printf(out, "next request in %.1f s",
                   seconds_to(now->next_fetch_ms, now->at_ms));
    } else if (out->len == start) {
        buf_put(out, now->queued_memory + now->queued_disk
                         ? STR("about to fetch")
                         : STR("nothing is left to fetch"));
    }
}

static void put_running(struct buf *out, const struct view_snapshot *now)
{
    size_t start = out->len;

    put_hosts(out, start, now->in_flight, "fetch in flight",
              "fetches in flight");
    put_hosts(out, start, view_counted(&now->hosts, "pause"), "host in pause",
              "hosts in pause");
    put_backoff(out, start, now);
    put_next(out, start, now);
}

void figures_put_says(struct buf *out, const struct view_snapshot *now)
{
    switch (now->state) {
    case VIEW_RUNNING:
        put_running(out, now);
        break;
    case VIEW_PAUSED:
        buf_put(out, now->fleet_is_paused ? STR("the whole fleet is paused")
                                          : STR("paused by order"));
        if (now->in_flight)
            buf_printf(out, ", %llu in flight", number(now->in_flight));
        break;
    case VIEW_STOPPING:
        buf_printf(out, "stopping, %llu in flight", number(now->in_flight));
        break;
    case VIEW_ENDED:
        buf_put(out, STR("ended"));
        break;
    }
}

const char *view_state_name(enum view_state state)
{
    static const char *const names[] = {
        [VIEW_RUNNING] = "running",
        [VIEW_PAUSED] = "paused",
        [VIEW_STOPPING] = "stopping",
        [VIEW_ENDED] = "ended",
    };

    return names[state];
}

/* --- hosts ---------------------------------------------------------------- */

static const struct wait_words {
    const char *waits, *text;
} wait_words[] = {
    {"fetching", "fetching"},
    {"ready", "its turn comes"},
    {"pause", "in pause"},
    {"backoff", "backs off"},
    {"retry", "tries again"},
    {"lookup", "its name is looked up"},
    {"robots", "asked for its robots.txt"},
    {"address", "waits for its address"},
    {"domain", "its domain has enough fetches in flight (--per-host)"},
    {"cap", "its domain is at its limit (--max-per-domain)"},
    {"given_up", "given up"},
    {"dropped", "dropped by hand"},
    {"idle", "nothing is left to fetch"},
};

static const char *words_of(const char *waits)
{
    for (size_t i = 0; i < ARRAY_LEN(wait_words); i++)
        if (!strcmp(wait_words[i].waits, waits))
            return wait_words[i].text;
    return waits;
}

static bool is_one_of(const char *waits, const char *a, const char *b)
{
    return !strcmp(waits, a) || !strcmp(waits, b);
}

void figures_put_host_says(struct buf *out, const struct view_host *host,
                           uint64_t now_ms)
{
    const char *waits = host->waits;

    buf_put(out, str_of(words_of(waits)));
    if (!strcmp(waits, "address") && host->shared_with)
        buf_printf(out, ", shared with %llu %s", number(host->shared_with),
                   host->shared_with == 1 ? "host" : "hosts");
    if (!strcmp(waits, "pause") && host->until_ms)
        buf_printf(out, " for another %.1f s",
                   seconds_to(host->until_ms, now_ms));
    if (is_one_of(waits, "backoff", "retry") && host->until_ms) {
        buf_put(out, !strcmp(waits, "retry") ? STR(" at ") : STR(" until "));
        put_time(out, host->until_ms);
    }
    if (host->trouble &&
        (is_one_of(waits, "backoff", "retry") || !strcmp(waits, "given_up")))
        buf_printf(out, ": %s", host->trouble);
}
