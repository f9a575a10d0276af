#include "crawler/counters.h"

#include <stddef.h>
#include <stdio.h>

/* "count.saved", "outcome.fetched", "status.200", "mime.text/html", ... */

static const struct {
    const char *name;
    size_t at;
} counters[] = {
    {"saved", offsetof(struct stats, saved)},
    {"bytes", offsetof(struct stats, bytes)},
    {"retries", offsetof(struct stats, retries)},
    {"robots", offsetof(struct stats, robots)},
    {"resolved", offsetof(struct stats, resolved)},
    {"sitemap_urls", offsetof(struct stats, sitemap_urls)},
    {"fetch_ms", offsetof(struct stats, fetch_ms)},
    {"busy_ms", offsetof(struct stats, busy_ms)},
    {"pause_ms", offsetof(struct stats, pause_ms)},
    {"idle_ms", offsetof(struct stats, idle_ms)},
    {"elapsed_ms", offsetof(struct stats, elapsed_ms)},
};

static const char *outcome_key(unsigned i)
{
    return outcome_name((enum outcome)i);
}

static const char *verdict_key(unsigned i)
{
    return verdict_name((enum verdict)i);
}

/* Arrays of counters; an element is named by `key`, or by its index. */
static const struct {
    const char *prefix;
    size_t at;
    unsigned count;
    const char *(*key)(unsigned i);
} tables[] = {
    {"outcome.", offsetof(struct stats, outcome), OUTCOMES, outcome_key},
    {"status.", offsetof(struct stats, status), STATS_STATUS_MAX, NULL},
    {"depth.", offsetof(struct stats, depth), STATS_DEPTHS, NULL},
    {"links.", offsetof(struct stats, links), VERDICTS, verdict_key},
    {"late.", offsetof(struct stats, late), VERDICTS, verdict_key},
};

enum { NAME_MAX_LEN = 200 };
#define COUNT      "count."
#define MIME       "mime."
#define ALL_OTHERS "*"

static uint64_t *at(struct stats *stats, size_t offset)
{
    return (uint64_t *)(void *)((char *)stats + offset);
}

static uint64_t get(const struct stats *stats, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)stats + offset);
}

static struct str name_in_table(size_t table, unsigned i,
                                char text[NAME_MAX_LEN])
{
    int len =
        tables[table].key
            ? snprintf(text, NAME_MAX_LEN, "%s%s", tables[table].prefix,
                       tables[table].key(i))
            : snprintf(text, NAME_MAX_LEN, "%s%u", tables[table].prefix, i);

    return (struct str){text, (size_t)len};
}

static struct str name_of(const char *prefix, const char *name,
                          char text[NAME_MAX_LEN])
{
    int len = snprintf(text, NAME_MAX_LEN, "%s%s", prefix, name);

    return (struct str){text, (size_t)len};
}

static const char *mime_name(const struct stats *stats, size_t i)
{
    return i == STATS_MIMES - 1 ? ALL_OTHERS : stats->mime[i].mime;
}

void stats_each(const struct stats *stats,
                void (*visit)(void *user, struct str name, uint64_t value),
                void *user)
{
    char text[NAME_MAX_LEN];

    for (size_t i = 0; i < ARRAY_LEN(counters); i++)
        if (get(stats, counters[i].at))
            visit(user, name_of(COUNT, counters[i].name, text),
                  get(stats, counters[i].at));
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        for (unsigned j = 0; j < tables[i].count; j++) {
            uint64_t value = get(stats, tables[i].at + j * sizeof(uint64_t));
            if (value)
                visit(user, name_in_table(i, j, text), value);
        }
    for (size_t i = 0; i < STATS_MIMES; i++)
        if (stats->mime[i].count)
            visit(user, name_of(MIME, mime_name(stats, i), text),
                  stats->mime[i].count);
}

static bool set_mime(struct stats *stats, struct str mime, uint64_t value)
{
    size_t i = 0;

    if (mime.len > MIME_MAX)
        return false;
    if (str_eq(mime, STR(ALL_OTHERS)))
        i = STATS_MIMES - 1;
    while (i + 1 < STATS_MIMES && stats->mime[i].count)
        i++;
    snprintf(stats->mime[i].mime, sizeof(stats->mime[i].mime), "%.*s",
             (int)mime.len, mime.ptr);
    stats->mime[i].count = value;
    return true;
}

static bool set_in_table(struct stats *stats, size_t table, struct str name,
                         uint64_t value)
{
    char text[NAME_MAX_LEN];

    for (unsigned i = 0; i < tables[table].count; i++)
        if (str_eq(name, name_in_table(table, i, text))) {
            *at(stats, tables[table].at + i * sizeof(uint64_t)) = value;
            return true;
        }
    return false;
}

bool stats_set(struct stats *stats, struct str name, uint64_t value)
{
    char text[NAME_MAX_LEN];

    for (size_t i = 0; i < ARRAY_LEN(counters); i++)
        if (str_eq(name, name_of(COUNT, counters[i].name, text))) {
            *at(stats, counters[i].at) = value;
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        if (str_starts(name, str_of(tables[i].prefix)))
            return set_in_table(stats, i, name, value);
    if (str_starts(name, STR(MIME)))
        return set_mime(stats, str_skip(name, STR(MIME).len), value);
    return false;
}
