#include "crawler/counters.h"

#include <stddef.h>
#include <stdio.h>

#include "base/json.h"

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
    {"requisite_bytes", offsetof(struct stats, requisite_bytes)},
    {"requisites_beyond", offsetof(struct stats, requisites_beyond)},
    {"captures", offsetof(struct stats, captures)},
    {"revisits", offsetof(struct stats, revisits)},
    {"captures_cut", offsetof(struct stats, captures_cut)},
    {"noarchive", offsetof(struct stats, noarchive)},
    {"noindex", offsetof(struct stats, noindex)},
    {"scanned_again", offsetof(struct stats, scanned_again)},
    {"fetched_again", offsetof(struct stats, fetched_again)},
    {"fetch_ms", offsetof(struct stats, fetch_ms)},
    {"busy_ms", offsetof(struct stats, busy_ms)},
    {"pause_ms", offsetof(struct stats, pause_ms)},
    {"idle_ms", offsetof(struct stats, idle_ms)},
    {"elapsed_ms", offsetof(struct stats, elapsed_ms)},
};

/* How an element of an array of counters is called. */
enum key { BY_INDEX, BY_OUTCOME, BY_VERDICT, BY_MIME };

static const struct table {
    const char *prefix, *json_name;
    size_t at, stride; /* of the first count, and to the next */
    unsigned count;
    enum key key;
    bool may_fall; /* counts may go back to 0 */
    /* The element that has another name in JSON. */
    unsigned renamed;
    const char *json_key;
} tables[] = {
    {"status.", "by_status", offsetof(struct stats, status), sizeof(uint64_t),
     STATS_STATUS_MAX, BY_INDEX, false, 0, "none"},
    {"mime.", "by_mime", offsetof(struct stats, mime[0].count),
     sizeof(struct mime_count), STATS_MIMES, BY_MIME, false, STATS_MIMES - 1,
     "others"},
    {"depth.", "by_depth", offsetof(struct stats, depth), sizeof(uint64_t),
     STATS_DEPTHS, BY_INDEX, true, 0, NULL},
    {"outcome.", "by_outcome", offsetof(struct stats, outcome),
     sizeof(uint64_t), OUTCOMES, BY_OUTCOME, true, 0, NULL},
    {"links.", "by_verdict", offsetof(struct stats, links), sizeof(uint64_t),
     VERDICTS, BY_VERDICT, false, 0, NULL},
    {"late.", "refused_late", offsetof(struct stats, late), sizeof(uint64_t),
     VERDICTS, BY_VERDICT, false, 0, NULL},
};

enum { NAME_MAX_LEN = 200, INDEX_MAX_LEN = 16 };
#define COUNT      "count."
#define ALL_OTHERS "*" /* the last of the MIME types */

static uint64_t *at(struct stats *stats, size_t offset)
{
    return (uint64_t *)(void *)((char *)stats + offset);
}

static uint64_t get(const struct stats *stats, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)stats + offset);
}

static struct str name_of(const char *prefix, const char *key,
                          char text[NAME_MAX_LEN])
{
    int len = snprintf(text, NAME_MAX_LEN, "%s%s", prefix, key);

    return (struct str){text, (size_t)len};
}

static const char *key_of(const struct stats *stats, const struct table *table,
                          unsigned i, char text[INDEX_MAX_LEN])
{
    switch (table->key) {
    case BY_OUTCOME:
        return outcome_name((enum outcome)i);
    case BY_VERDICT:
        return verdict_name((enum verdict)i);
    case BY_MIME:
        return i == STATS_MIMES - 1 ? ALL_OTHERS : stats->mime[i].mime;
    case BY_INDEX:
        break;
    }
    snprintf(text, INDEX_MAX_LEN, "%u", i);
    return text;
}

void stats_each(const struct stats *stats,
                void (*visit)(void *user, struct str name, uint64_t value),
                void *user)
{
    char text[NAME_MAX_LEN], index[INDEX_MAX_LEN];

    for (size_t i = 0; i < ARRAY_LEN(counters); i++)
        if (get(stats, counters[i].at))
            visit(user, name_of(COUNT, counters[i].name, text),
                  get(stats, counters[i].at));
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        for (unsigned i = 0; i < tables[t].count; i++) {
            uint64_t value = get(stats, tables[t].at + i * tables[t].stride);
            if (value || (stats->has_withdrawn && tables[t].may_fall))
                visit(user,
                      name_of(tables[t].prefix,
                              key_of(stats, &tables[t], i, index), text),
                      value);
        }
}

void stats_put_tables(const struct stats *stats, struct buf *out)
{
    char index[INDEX_MAX_LEN];

    for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
        const struct table *table = &tables[t];
        json_open(out, table->json_name);
        for (unsigned i = 0; i < table->count; i++) {
            uint64_t value = get(stats, table->at + i * table->stride);
            bool renamed = table->json_key && i == table->renamed;
            if (value)
                json_add_number(out,
                                renamed ? table->json_key
                                        : key_of(stats, table, i, index),
                                value);
        }
        json_close(out);
    }
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

static bool set_in_table(struct stats *stats, const struct table *table,
                         struct str key, uint64_t value)
{
    char text[INDEX_MAX_LEN];

    if (table->key == BY_MIME)
        return set_mime(stats, key, value);
    for (unsigned i = 0; i < table->count; i++)
        if (str_eq(key, str_of(key_of(stats, table, i, text)))) {
            *at(stats, table->at + i * table->stride) = value;
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
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        struct str prefix = str_of(tables[i].prefix);
        if (str_starts(name, prefix))
            return set_in_table(stats, &tables[i], str_skip(name, prefix.len),
                                value);
    }
    return false;
}
