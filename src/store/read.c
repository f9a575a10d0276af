#include "store/internal.h"

/* Everything back, row by row. The file may be anybody's work by now: a value
 * that cannot be is as good as a broken file. */

struct cursor {
    sqlite3_stmt *stmt;
    int at;
    bool bad;
};

static uint64_t get_number(struct cursor *row, uint64_t max)
{
    int64_t value = sqlite3_column_int64(row->stmt, row->at++);

    if (value < 0 || (uint64_t)value > max) {
        row->bad = true;
        return 0;
    }
    return (uint64_t)value;
}

static uint64_t get_u63(struct cursor *row)
{
    return get_number(row, INT64_MAX);
}

static uint32_t get_u32(struct cursor *row)
{
    return (uint32_t)get_number(row, UINT32_MAX);
}

static uint8_t get_u8(struct cursor *row)
{
    return (uint8_t)get_number(row, UINT8_MAX);
}

static bool get_bool(struct cursor *row)
{
    return get_number(row, 1) != 0;
}

static uint64_t get_bits(struct cursor *row)
{
    return (uint64_t)sqlite3_column_int64(row->stmt, row->at++);
}

static struct str get_text(struct cursor *row)
{
    const char *text = (const char *)sqlite3_column_text(row->stmt, row->at);
    int len = sqlite3_column_bytes(row->stmt, row->at);

    row->at++;
    return (struct str){text, text ? (size_t)len : 0};
}

static struct str get_part(struct cursor *row, struct str whole)
{
    uint64_t at = get_number(row, whole.len);
    uint64_t len = get_number(row, whole.len - at);

    return (struct str){whole.ptr + at, len};
}

typedef bool read_fn(const struct store_reader *reader, struct cursor *row);

static bool read_begin(const struct store_reader *reader, struct cursor *row)
{
    uint64_t urls = get_u63(row);
    uint64_t last_number = get_u63(row);

    return !row->bad && reader->begin(reader->user, urls, last_number);
}

static bool read_setting(const struct store_reader *reader, struct cursor *row)
{
    struct store_setting setting = {.name = get_text(row),
                                    .value = get_text(row)};

    return !row->bad && reader->setting(reader->user, &setting);
}

static bool read_seed(const struct store_reader *reader, struct cursor *row)
{
    struct store_seed seed;

    seed.url = get_text(row);
    seed.named = get_bool(row);
    return !row->bad && reader->seed(reader->user, &seed);
}

#define URL_COLUMNS                                                            \
    "number, url, host_at, host_len, domain_at, domain_len, depth, referrer, " \
    "found, kind, verdict, redirects, line, via"

static bool get_url(struct cursor *row, struct store_url *url)
{
    url->number = get_u63(row);
    url->url = get_text(row);
    if (!url->number || !url->url.ptr)
        return false;
    url->host = get_part(row, url->url);
    url->domain = get_part(row, url->url);
    url->depth = get_u32(row);
    url->referrer = get_u32(row);
    url->found = get_u32(row);
    url->kind = get_u8(row);
    url->verdict = get_u8(row);
    url->redirects = get_u8(row);
    url->line = get_u32(row);
    url->via = get_u63(row);
    return !row->bad;
}

static bool read_url(const struct store_reader *reader, struct cursor *row)
{
    struct store_url url;

    return get_url(row, &url) && reader->url(reader->user, &url);
}

static bool read_change(const struct store_reader *reader, struct cursor *row)
{
    struct store_change change;

    change.number = get_u63(row);
    change.depth = get_u32(row);
    change.referrer = get_u32(row);
    change.found = get_u32(row);
    return !row->bad && reader->change(reader->user, &change);
}

static bool read_fetch(const struct store_reader *reader, struct cursor *row)
{
    struct store_fetch fetch;

    fetch.number = get_u63(row);
    fetch.page = get_u32(row);
    fetch.status = get_u32(row);
    fetch.outcome = get_u8(row);
    fetch.mime = get_text(row);
    fetch.size = get_u63(row);
    fetch.digest = get_bits(row);
    fetch.start_ms = get_u63(row);
    fetch.end_ms = get_u63(row);
    fetch.pause_ms = get_u63(row);
    fetch.due_ms = get_u63(row);
    fetch.target = get_text(row);
    return !row->bad && reader->fetch(reader->user, &fetch);
}

static bool read_refusal(const struct store_reader *reader, struct cursor *row)
{
    struct store_refusal refusal;

    refusal.number = get_u63(row);
    refusal.verdict = get_u8(row);
    refusal.outcome = get_u8(row);
    refusal.line = get_u32(row);
    refusal.at_ms = get_u63(row);
    return !row->bad && reader->refusal(reader->user, &refusal);
}

static bool read_robots(const struct store_reader *reader, struct cursor *row)
{
    struct store_robots robots;

    robots.host = get_text(row);
    robots.url = get_text(row);
    robots.https = get_bool(row);
    robots.known = get_bool(row);
    robots.outcome = get_u8(row);
    robots.status = get_u32(row);
    robots.start_ms = get_u63(row);
    robots.end_ms = get_u63(row);
    robots.pause_ms = get_u63(row);
    robots.until_ms = get_u63(row);
    robots.text = get_text(row);
    return !row->bad && robots.host.ptr &&
           reader->robots(reader->user, &robots);
}

static bool read_host(const struct store_reader *reader, struct cursor *row)
{
    struct store_host host;

    host.name = get_text(row);
    host.failures = get_u8(row);
    host.mute = get_u8(row);
    host.given_up = get_u8(row);
    host.outcome = get_u8(row);
    host.until_ms = get_u63(row);
    return !row->bad && host.name.ptr && reader->host(reader->user, &host);
}

static bool read_domain(const struct store_reader *reader, struct cursor *row)
{
    struct store_domain domain;

    domain.name = get_text(row);
    domain.found = get_u32(row);
    return !row->bad && domain.name.ptr &&
           reader->domain(reader->user, &domain);
}

static bool read_link(const struct store_reader *reader, struct cursor *row)
{
    struct store_link link;

    link.page = get_u32(row);
    link.verdict = get_u8(row);
    link.url = get_text(row);
    link.text = get_text(row);
    link.rel = get_text(row);
    return !row->bad && reader->link(reader->user, &link);
}

static bool load_kind(struct store *store, const struct store_reader *reader,
                      const char *sql, read_fn *read, struct store_error *error)
{
    struct cursor row = {0};
    int code = sqlite3_prepare_v2(store->db, sql, -1, &row.stmt, NULL);
    bool good = code == SQLITE_OK;

    while (good && (code = sqlite3_step(row.stmt)) == SQLITE_ROW) {
        row.at = 0;
        good = read(reader, &row);
    }
    if (!good && code == SQLITE_ROW)
        store_fail(error, STORE_DAMAGED, "a row that cannot be, in: %s", sql);
    else if (code != SQLITE_DONE)
        store_fail_sqlite(error, store->db);
    sqlite3_finalize(row.stmt);
    return good && code == SQLITE_DONE;
}

#define LOAD(kind, columns, table)                                             \
    (!reader->kind ||                                                          \
     load_kind(store, reader, "SELECT " columns " FROM " table, read_##kind,   \
               error))

/* One transaction: all of it is of the same moment. */
bool store_load(struct store *store, const struct store_reader *reader,
                struct store_error *error)
{
    sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
    bool good =
        LOAD(begin, "count(*), coalesce(max(number), 0)", "url") &&
        LOAD(setting, "name, value", "setting") &&
        LOAD(seed, "url, named", "seed ORDER BY place") &&
        LOAD(domain, "name, found", "domain ORDER BY place") &&
        LOAD(robots,
             "host, url, https, known, outcome, status, start_ms, end_ms, "
             "pause_ms, until_ms, text",
             "robots ORDER BY place") &&
        LOAD(host, "name, failures, mute, given_up, outcome, until_ms",
             "host ORDER BY place") &&
        LOAD(change, "number, depth, referrer, found",
             "change ORDER BY place") &&
        LOAD(fetch,
             "number, page, status, outcome, mime, size, digest, start_ms, "
             "end_ms, pause_ms, due_ms, target",
             "fetch ORDER BY place") &&
        LOAD(refusal, "number, verdict, outcome, line, at_ms",
             "refusal ORDER BY place") &&
        LOAD(url, URL_COLUMNS, "url ORDER BY number") &&
        LOAD(link, "page, verdict, url, text, rel", "link ORDER BY place");
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}

bool store_find_url(struct store *store, uint64_t number, struct store_url *url)
{
    if (number > INT64_MAX ||
        (!store->find_url &&
         sqlite3_prepare_v3(
             store->db, "SELECT " URL_COLUMNS " FROM url WHERE number = ?", -1,
             SQLITE_PREPARE_PERSISTENT, &store->find_url, NULL) != SQLITE_OK))
        return false;
    sqlite3_reset(store->find_url);
    sqlite3_bind_int64(store->find_url, 1, (int64_t)number);
    struct cursor row = {.stmt = store->find_url};
    return sqlite3_step(row.stmt) == SQLITE_ROW && get_url(&row, url);
}

/* --- the file itself ---------------------------------------------------- */

/* Of a report such as "*** in database main ***\nPage 5: ..." what says
 * something. */
static struct str first_finding(struct str report)
{
    struct str_pair lines = str_cut(report, '\n');

    while (lines.tail.len && str_starts(lines.head, STR("***")))
        lines = str_cut(lines.tail, '\n');
    return lines.head;
}

bool store_check(struct store *store, struct store_error *error)
{
    struct cursor row = {0};
    int code = sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1,
                                  &row.stmt, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(row.stmt);
    struct str report = code == SQLITE_ROW ? get_text(&row) : (struct str){0};
    bool good = str_eq(report, STR("ok"));
    if (report.len && !good) {
        struct str finding = first_finding(report);
        store_fail(error, STORE_DAMAGED, "%.*s", (int)finding.len, finding.ptr);
    } else if (!good) {
        store_fail_sqlite(error, store->db);
    }
    sqlite3_finalize(row.stmt);
    return good;
}
