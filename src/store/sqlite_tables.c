#include <stdio.h>
#include <string.h>

#include "store/sqlite.h"

/* --- tables ------------------------------------------------------------- */

static const char *sql_type(enum row_type type)
{
    return type == ROW_NAME || type == ROW_TEXT ? "TEXT" : "INTEGER";
}

/* Settings are replaced; URLs have a number of their own; all other rows are
 * numbered as they come. */
const char *sqlite_key_of(enum row_kind kind)
{
    switch (kind) {
    case ROW_setting:
        return "name";
    case ROW_url:
        return "number";
    default:
        return "place";
    }
}

static bool is_key(enum row_kind kind, const char *column)
{
    return !strcmp(column, sqlite_key_of(kind));
}

static void put_column(struct buf *sql, enum row_kind kind,
                       const struct row_column *column)
{
    if (column->type == ROW_PART)
        buf_printf(sql, "%s_at INTEGER, %s_len INTEGER", column->name,
                   column->name);
    else
        buf_printf(sql, "%s %s%s", column->name, sql_type(column->type),
                   is_key(kind, column->name) ? " PRIMARY KEY" : "");
}

static void put_table(struct buf *sql, enum row_kind kind)
{
    const struct row_description *description = &row_description[kind];

    buf_printf(sql, "CREATE TABLE %s(", description->name);
    if (is_key(kind, "place"))
        buf_put(sql, STR("place INTEGER PRIMARY KEY, "));
    for (size_t i = 0; i < description->columns; i++) {
        buf_put(sql, i ? STR(", ") : STR(""));
        put_column(sql, kind, &description->column[i]);
    }
    buf_put(sql, kind == ROW_setting ? STR(") WITHOUT ROWID") : STR(")"));
}

void sqlite_put_columns(struct buf *sql, enum row_kind kind, int version)
{
    const struct row_description *description = &row_description[kind];

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        bool part = column->type == ROW_PART;
        buf_put(sql, i ? STR(", ") : STR(""));
        if (column->since > version)
            buf_put(sql, part                  ? STR("0, 0")
                         : row_is_text(column) ? STR("NULL")
                                               : STR("0"));
        else if (part)
            buf_printf(sql, "%s_at, %s_len", column->name, column->name);
        else
            buf_put(sql, str_of(column->name));
    }
}

/* --- views -------------------------------------------------------------- */

/* What became of a URL, by the rules of store/fold.h. */
#define URL_END                                                                \
    " CASE WHEN r.number THEN"                                                 \
    "   CASE WHEN r.verdict THEN rv.ends ELSE 'none' END"                      \
    "  WHEN uv.ends <> 'queued' THEN uv.ends"                                  \
    "  WHEN f.done THEN o.ends ELSE 'queued' END"

#define LATEST_CHANGE                                                          \
    " LEFT JOIN (SELECT number, depth, referrer, found, max(place)"            \
    "   FROM change GROUP BY number) c ON c.number = u.number"

static const struct view {
    const char *name, *sql;
} views[] = {
    {"urls", " SELECT * FROM (SELECT u.number, u.url,"
             "  substr(u.url, u.host_at + 1, u.host_len) AS host,"
             "  substr(u.url, u.domain_at + 1, u.domain_len) AS domain,"
             "  coalesce(c.depth, u.depth) AS depth,"
             "  coalesce(c.referrer, u.referrer) AS referrer,"
             "  coalesce(c.found, u.found) AS found," URL_END " AS state,"
             "  CASE WHEN r.number THEN rv.name WHEN u.verdict THEN uv.name"
             "   ELSE o.name END AS outcome,"
             "  coalesce(f.fetches, 0) AS fetches, f.due_ms"
             " FROM url u" LATEST_CHANGE
             " LEFT JOIN (SELECT number, outcome, count(*) AS fetches, due_ms,"
             "   due_ms = 0 AS done, max(place) FROM fetch GROUP BY number) f"
             "   ON f.number = u.number"
             " LEFT JOIN (SELECT number, verdict, max(place) FROM refusal"
             "   GROUP BY number) r ON r.number = u.number"
             " LEFT JOIN verdict uv ON uv.code = u.verdict"
             " LEFT JOIN verdict rv ON rv.code = r.verdict"
             " LEFT JOIN outcome o ON o.code = f.outcome"
             " WHERE u.kind = 0) WHERE state <> 'none'"},

    {"pages",
     " SELECT f.page AS id, u.url, coalesce(c.depth, u.depth) AS depth,"
     "  nullif(coalesce(c.referrer, u.referrer), 0) AS referrer,"
     "  f.status, f.mime, f.size, printf('%016x', f.digest) AS digest,"
     "  datetime(f.start_ms / 1000, 'unixepoch') AS fetched,"
     "  f.end_ms - f.start_ms AS ms,"
     "  substr(u.url, u.host_at + 1, u.host_len) AS host,"
     "  substr(u.url, u.domain_at + 1, u.domain_len) AS domain"
     " FROM fetch f JOIN url u ON u.number = f.number" LATEST_CHANGE
     " WHERE f.page > 0"},

    {"queue",
     " SELECT url, depth, found, fetches, nullif(referrer, 0) AS referrer,"
     "  CASE WHEN due_ms THEN datetime(due_ms / 1000, 'unixepoch') END AS due,"
     "  host, domain"
     " FROM urls WHERE state = 'queued' ORDER BY number"},

    {"domains",
     " SELECT domain, count(*) AS urls, sum(state = 'saved') AS pages,"
     "  sum(state = 'redirected') AS redirected,"
     "  sum(state = 'failed') AS failed, sum(state = 'refused') AS refused,"
     "  sum(state = 'queued') AS queued, sum(fetches) AS fetches"
     " FROM urls WHERE state <> 'outside'"
     " GROUP BY domain ORDER BY pages DESC, urls DESC"},

    /* Of a sitemap the referrer is no page. */
    {"errors",
     " SELECT u.url, e.outcome, e.status,"
     "  datetime(e.at_ms / 1000, 'unixepoch') AS at,"
     "  CASE u.kind WHEN 0 THEN nullif(coalesce(c.referrer, u.referrer), 0)"
     "   END AS referrer"
     " FROM (SELECT f.number, o.name AS outcome, f.status, f.end_ms AS at_ms"
     "   FROM fetch f JOIN outcome o ON o.code = f.outcome"
     "   WHERE f.due_ms = 0 AND o.ends = 'failed'"
     "  UNION ALL"
     "  SELECT r.number, o.name, 0, r.at_ms FROM refusal r"
     "   JOIN verdict v ON v.code = r.verdict"
     "   JOIN outcome o ON o.code = r.outcome WHERE v.ends = 'failed'"
     "  UNION ALL"
     "  SELECT d.number, v.name, 0, NULL FROM url d"
     "   JOIN verdict v ON v.code = d.verdict WHERE v.ends = 'failed') e"
     " JOIN url u ON u.number = e.number" LATEST_CHANGE},

    {"links", " SELECT l.page, u.url AS source, l.url AS target, l.text, l.rel,"
              "  v.name AS verdict"
              " FROM link l JOIN fetch f ON f.page = l.page"
              " JOIN url u ON u.number = f.number"
              " LEFT JOIN verdict v ON v.code = l.verdict"},
};

/* --- all of them -------------------------------------------------------- */

/* After each commit, for each kind that has new rows in it: the last of them,
 * and the digest of all rows so far (store/rows.h). */
static const char batch_table[] =
    "CREATE TABLE batch(place INTEGER PRIMARY KEY, batch INTEGER, kind TEXT,"
    " last INTEGER, digest INTEGER)";

static const char verdict_table[] =
    "CREATE TABLE verdict(code INTEGER PRIMARY KEY, name TEXT, ends TEXT)";
static const char outcome_table[] =
    "CREATE TABLE outcome(code INTEGER PRIMARY KEY, name TEXT, ends TEXT)";

enum { SQL_MAX = 1 << 16 };

static const char *view_text(struct buf *sql, const struct view *view)
{
    buf_clear(sql);
    buf_printf(sql, "CREATE VIEW %s AS%s", view->name, view->sql);
    return buf_cstr(sql);
}

static bool create_views(struct sqlite_store *store, struct store_error *error)
{
    struct buf sql;
    bool good = true;

    buf_init(&sql, SQL_MAX);
    for (size_t i = 0; i < ARRAY_LEN(views) && good; i++) {
        good = sqlite_run(store, view_text(&sql, &views[i]), error);
    }
    buf_release(&sql);
    return good;
}

static bool set_version(struct sqlite_store *store, struct store_error *error)
{
    char sql[128];

    snprintf(sql, sizeof(sql),
             "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             SQLITE_FILE_ID, STORE_VERSION);
    return sqlite_run(store, sql, error);
}

bool sqlite_create_tables(struct sqlite_store *store, struct store_error *error)
{
    struct buf sql;
    bool good = true;

    buf_init(&sql, SQL_MAX);
    for (int kind = 0; kind < ROW_KINDS && good; kind++) {
        buf_clear(&sql);
        put_table(&sql, (enum row_kind)kind);
        good = sqlite_run(store, buf_cstr(&sql), error);
    }
    buf_release(&sql);
    return good && sqlite_run(store, batch_table, error) &&
           sqlite_run(store, verdict_table, error) &&
           sqlite_run(store, outcome_table, error) &&
           create_views(store, error) && sqlite_add_codes(store, error) &&
           set_version(store, error);
}

/* --- codes -------------------------------------------------------------- */

static bool put_codes(struct sqlite_store *store, const char *sql,
                      const struct store_code *code, unsigned count,
                      struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good =
        sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) == SQLITE_OK;

    for (unsigned i = 0; i < count && good; i++) {
        good = sqlite3_bind_int64(stmt, 1, i) == SQLITE_OK &&
               sqlite3_bind_text(stmt, 2, code[i].name, -1, SQLITE_STATIC) ==
                   SQLITE_OK &&
               sqlite3_bind_text(stmt, 3, url_end_name(code[i].end), -1,
                                 SQLITE_STATIC) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_DONE;
        sqlite3_reset(stmt);
    }
    if (!good)
        sqlite_fail(error, store->db);
    sqlite3_finalize(stmt);
    return good;
}

bool sqlite_add_codes(struct sqlite_store *store, struct store_error *error)
{
    const struct store_codes *codes = store->base.codes;

    return put_codes(store, "INSERT OR REPLACE INTO verdict VALUES(?, ?, ?)",
                     codes->verdict, codes->verdicts, error) &&
           put_codes(store, "INSERT OR REPLACE INTO outcome VALUES(?, ?, ?)",
                     codes->outcome, codes->outcomes, error) &&
           sqlite_write_settings_digest(store, error);
}

static bool has_codes(struct sqlite_store *store, const char *sql,
                      const struct store_code *code, unsigned count)
{
    sqlite3_stmt *stmt = NULL;
    bool same =
        sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) == SQLITE_OK;

    for (unsigned i = 0; i < count && same; i++) {
        same = sqlite3_step(stmt) == SQLITE_ROW &&
               sqlite3_column_int64(stmt, 0) == (int64_t)i;
        const char *name =
            same ? (const char *)sqlite3_column_text(stmt, 1) : NULL;
        const char *ends =
            same ? (const char *)sqlite3_column_text(stmt, 2) : NULL;
        same = name && ends && !strcmp(name, code[i].name) &&
               !strcmp(ends, url_end_name(code[i].end));
    }
    sqlite3_finalize(stmt);
    return same;
}

bool sqlite_has_codes(struct sqlite_store *store)
{
    const struct store_codes *codes = store->base.codes;

    return has_codes(store, "SELECT * FROM verdict ORDER BY code",
                     codes->verdict, codes->verdicts) &&
           has_codes(store, "SELECT * FROM outcome ORDER BY code",
                     codes->outcome, codes->outcomes);
}

/* --- from an earlier version -------------------------------------------- */

/* Columns that are new since the file's version. */
static bool add_columns(struct sqlite_store *store, struct store_error *error)
{
    bool good = true;
    char sql[256];

    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const struct row_description *description = &row_description[kind];
        for (size_t i = 0; i < description->columns && good; i++) {
            const struct row_column *column = &description->column[i];
            if (column->since <= store->version)
                continue;
            snprintf(sql, sizeof(sql), "ALTER TABLE %s ADD COLUMN %s %s%s",
                     description->name, column->name, sql_type(column->type),
                     row_is_text(column) ? "" : " DEFAULT 0");
            good = sqlite_run(store, sql, error);
        }
    }
    return good;
}

/* Version 1 had no digests, and did not say how a URL ends with a code. */
static bool from_version_1(struct sqlite_store *store,
                           struct store_error *error)
{
    return sqlite_run(store, "DROP TABLE verdict; DROP TABLE outcome", error) &&
           sqlite_run(store, batch_table, error) &&
           sqlite_run(store, verdict_table, error) &&
           sqlite_run(store, outcome_table, error);
}

/* Step by step; views are made anew. A new version that only brings columns
 * needs no step. */
bool sqlite_migrate(struct sqlite_store *store, struct store_error *error)
{
    char sql[128];

    for (size_t i = 0; i < ARRAY_LEN(views); i++) {
        snprintf(sql, sizeof(sql), "DROP VIEW IF EXISTS %s", views[i].name);
        if (!sqlite_run(store, sql, error))
            return false;
    }
    bool sealed = store->version > 1;
    if (!(sealed || from_version_1(store, error)) ||
        !add_columns(store, error) || !create_views(store, error))
        return false;
    store->version = STORE_VERSION;
    return (sealed || sqlite_seal_all(store, error)) &&
           sqlite_add_codes(store, error) && set_version(store, error);
}

/* --- are they as they should be? ---------------------------------------- */

/* SQLite keeps the text of each object as it was given. */
static bool has_object(struct sqlite_store *store, const char *name,
                       const char *text, struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good = sqlite3_prepare_v2(store->db,
                                   "SELECT count(*) FROM sqlite_master WHERE "
                                   "name = ? AND tbl_name = ?1 AND sql = ?",
                                   -1, &stmt, NULL) == SQLITE_OK;

    if (good) {
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
        good = sqlite3_step(stmt) == SQLITE_ROW;
    }
    bool has = good && sqlite3_column_int64(stmt, 0) == 1;
    error->status = STORE_OK;
    if (!good)
        sqlite_fail(error, store->db);
    sqlite3_finalize(stmt);
    return has;
}

bool sqlite_check_views(struct sqlite_store *store,
                        void (*found)(void *user, const char *text), void *user,
                        struct store_error *error)
{
    char text[128];
    struct buf sql;

    buf_init(&sql, SQL_MAX);
    error->status = STORE_OK;
    for (size_t i = 0; i < ARRAY_LEN(views) && error->status == STORE_OK; i++) {
        if (has_object(store, views[i].name, view_text(&sql, &views[i]),
                       error) ||
            error->status != STORE_OK)
            continue;
        snprintf(text, sizeof(text), "the view %s is not as it was made",
                 views[i].name);
        found(user, text);
    }
    buf_release(&sql);
    return error->status == STORE_OK;
}
