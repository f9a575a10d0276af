#include <string.h>

#include "store/sqlite.h"

enum { SQL_MAX = 1 << 16 };

/* --- tables ------------------------------------------------------------- */

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
        buf_printf(sql, "%s %s%s", column->name,
                   row_is_text(column) ? "TEXT" : "INTEGER",
                   is_key(kind, column->name) ? " PRIMARY KEY" : "");
}

void sqlite_put_table(struct buf *sql, enum row_kind kind, int version)
{
    const struct row_description *description = &row_description[kind];

    buf_printf(sql, "CREATE TABLE %s(", description->name);
    if (is_key(kind, "place"))
        buf_put(sql, STR("place INTEGER PRIMARY KEY, "));
    for (size_t i = 0; i < description->columns; i++) {
        if (description->column[i].since > version)
            continue;
        buf_put(sql, i ? STR(", ") : STR(""));
        put_column(sql, kind, &description->column[i]);
    }
    buf_put(sql, kind == ROW_setting ? STR(") WITHOUT ROWID") : STR(")"));
}

void sqlite_put_new_column(struct buf *sql, const struct row_column *column)
{
    buf_printf(sql, "%s %s", column->name,
               row_is_text(column) ? "TEXT" : "INTEGER DEFAULT 0");
}

void sqlite_put_columns(struct buf *sql, enum row_kind kind, int version)
{
    const struct row_description *description = &row_description[kind];

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        buf_put(sql, i ? STR(", ") : STR(""));
        if (column->since > version)
            buf_put(sql, row_is_text(column) ? STR("NULL") : STR("0"));
        else if (column->type == ROW_PART)
            buf_printf(sql, "%s_at, %s_len", column->name, column->name);
        else
            buf_put(sql, str_of(column->name));
    }
}

/* --- views -------------------------------------------------------------- */

/* The end of a URL, by the rules of store/fold.h. */
#define URL_END                                                                \
    " CASE WHEN r.number THEN"                                                 \
    "   CASE WHEN r.verdict THEN rv.ends ELSE 'none' END"                      \
    "  WHEN uv.ends <> 'queued' THEN uv.ends"                                  \
    "  WHEN f.done THEN o.ends ELSE 'queued' END"

#define URL_OUTCOME                                                            \
    "  CASE WHEN r.number THEN rv.name WHEN u.verdict THEN uv.name"            \
    "   ELSE o.name END AS outcome"

/* `r`, `uv`, `rv` and `o` of the two above, for a URL `u` and its fetch `f`. */
#define NAMES_OF_END                                                           \
    " LEFT JOIN (SELECT number, verdict, max(place) FROM refusal"              \
    "   GROUP BY number) r ON r.number = u.number"                             \
    " LEFT JOIN verdict uv ON uv.code = u.verdict"                             \
    " LEFT JOIN verdict rv ON rv.code = r.verdict"                             \
    " LEFT JOIN outcome o ON o.code = f.outcome"

#define LATEST_CHANGE                                                          \
    " LEFT JOIN (SELECT number, depth, referrer, found, max(place)"            \
    "   FROM change GROUP BY number) c ON c.number = u.number"

static const struct view {
    const char *name, *sql;
} views[] = {
    {"urls",
     "CREATE VIEW urls AS SELECT * FROM (SELECT u.number, u.url,"
     "  substr(u.url, u.host_at + 1, u.host_len) AS host,"
     "  substr(u.url, u.domain_at + 1, u.domain_len) AS domain,"
     "  coalesce(c.depth, u.depth) AS depth,"
     "  coalesce(c.referrer, u.referrer) AS referrer,"
     "  coalesce(c.found, u.found) AS found," URL_END " AS state," URL_OUTCOME
     ",  coalesce(f.fetches, 0) AS fetches, f.due_ms"
     " FROM url u" LATEST_CHANGE
     " LEFT JOIN (SELECT number, outcome, count(*) AS fetches, due_ms,"
     "   due_ms = 0 AS done, max(place) FROM fetch GROUP BY number) f"
     "   ON f.number = u.number" NAMES_OF_END
     " WHERE u.kind = 0) WHERE state <> 'none'"},

    {"pages", "CREATE VIEW pages AS SELECT f.page AS id, u.url, "
              "coalesce(c.depth, u.depth) AS depth,"
              "  nullif(coalesce(c.referrer, u.referrer), 0) AS referrer,"
              "  f.status, f.mime, f.size, printf('%016x', f.digest) AS digest,"
              "  datetime(f.start_ms / 1000, 'unixepoch') AS fetched,"
              "  f.end_ms - f.start_ms AS ms,"
              "  substr(u.url, u.host_at + 1, u.host_len) AS host,"
              "  substr(u.url, u.domain_at + 1, u.domain_len) AS domain,"
              "  f.title"
              " FROM fetch f JOIN url u ON u.number = f.number" LATEST_CHANGE
              " WHERE f.page > 0"},

    {"queue",
     "CREATE VIEW queue AS SELECT url, depth, found, fetches, nullif(referrer, "
     "0) AS referrer,"
     "  CASE WHEN due_ms THEN datetime(due_ms / 1000, 'unixepoch') END AS due,"
     "  host, domain"
     " FROM urls WHERE state = 'queued' ORDER BY number"},

    {"domains",
     "CREATE VIEW domains AS SELECT domain, count(*) AS urls, sum(state = "
     "'saved') AS pages,"
     "  sum(state = 'redirected') AS redirected,"
     "  sum(state = 'not_kept') AS not_kept,"
     "  sum(state = 'failed') AS failed, sum(state = 'refused') AS refused,"
     "  sum(state = 'queued') AS queued, sum(fetches) AS fetches"
     " FROM urls WHERE state <> 'outside'"
     " GROUP BY domain ORDER BY pages DESC, urls DESC"},

    {"requisites",
     "CREATE VIEW requisites AS SELECT * FROM (SELECT u.number, u.url,"
     "  nullif(u.referrer, 0) AS referrer, nullif(u.via, 0) AS via," URL_END
     "   AS state," URL_OUTCOME ",  f.status, f.mime, f.size"
     " FROM url u"
     " LEFT JOIN (SELECT number, outcome, status, mime, size,"
     "   due_ms = 0 AS done, max(place) FROM fetch GROUP BY number) f"
     "   ON f.number = u.number" NAMES_OF_END
     " WHERE u.kind = 2) WHERE state <> 'none'"},

    /* The referrer of a sitemap is no page. Requisites have a view of their
     * own. */
    {"errors",
     "CREATE VIEW errors AS SELECT u.url, e.outcome, e.status,"
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
     " JOIN url u ON u.number = e.number" LATEST_CHANGE " WHERE u.kind < 2"
     "  AND u.number NOT IN (SELECT number FROM refusal WHERE verdict = 0)"},

    {"links", "CREATE VIEW links AS SELECT l.page, u.url AS source, l.url AS "
              "target, l.text, l.rel,"
              "  v.name AS verdict, l.fragment"
              " FROM link l LEFT JOIN fetch f ON f.page = l.page AND l.page > 0"
              " JOIN url u ON u.number = coalesce(f.number, l.source)"
              " LEFT JOIN verdict v ON v.code = l.verdict"
              /* Link elements and forms (enum html_link_kind) are none. */
              " WHERE l.kind NOT IN (6, 7)"},

    {"captures",
     "CREATE VIEW captures AS SELECT c.number, c.url,"
     "  CASE c.kind WHEN 0 THEN 'response' ELSE 'revisit' END AS kind,"
     "  c.status, c.mime, c.digest,"
     "  strftime('%Y-%m-%dT%H:%M:%fZ', c.start_ms / 1000.0, 'unixepoch')"
     "   AS fetched,"
     "  a.name AS file, c.at, c.length, c.request_length,"
     "  nullif(c.refers, 0) AS refers"
     " FROM capture c LEFT JOIN archive a ON a.number = c.archive"
     " ORDER BY c.number"},
};

/* --- all of them -------------------------------------------------------- */

/* Tables that hold no rows of a batch. `batch` has, after each commit, for each
 * kind with new rows in it: the last of them, and the digest of all rows so far
 * (store/rows.h). The others name codes, and how a URL ends with each. Version
 * 1 had neither digests nor ends. */
static const struct other_table {
    const char *name, *first_text, *text;
} other_tables[] = {
    {"batch", "",
     "CREATE TABLE batch(place INTEGER PRIMARY KEY, batch INTEGER, kind TEXT,"
     " last INTEGER, digest INTEGER)"},
    {"verdict", "CREATE TABLE verdict(code INTEGER PRIMARY KEY, name TEXT)",
     "CREATE TABLE verdict(code INTEGER PRIMARY KEY, name TEXT, ends TEXT)"},
    {"outcome", "CREATE TABLE outcome(code INTEGER PRIMARY KEY, name TEXT)",
     "CREATE TABLE outcome(code INTEGER PRIMARY KEY, name TEXT, ends TEXT)"},
};

const char *sqlite_other_table(size_t index)
{
    return other_tables[index].name;
}

const char *sqlite_other_table_text(size_t index, int version)
{
    return version < SQLITE_SEALED_SINCE ? other_tables[index].first_text
                                         : other_tables[index].text;
}

bool sqlite_is_own_view(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(views); i++)
        if (!strcmp(name, views[i].name))
            return true;
    return false;
}

static bool create_views(struct sqlite_store *store, struct store_error *error)
{
    bool good = true;

    for (size_t i = 0; i < ARRAY_LEN(views) && good; i++)
        good = sqlite_run(store, error, "%s", views[i].sql);
    return good;
}

static bool create_other_tables(struct sqlite_store *store,
                                struct store_error *error)
{
    bool good = true;

    for (size_t i = 0; i < ARRAY_LEN(other_tables) && good; i++)
        good = sqlite_run(store, error, "%s", other_tables[i].text);
    return good;
}

/* The names of codes, and how a URL ends with each, as this program knows them.
 */
static bool put_codes(struct sqlite_store *store, const char *table,
                      const struct store_code *code, unsigned count,
                      struct store_error *error)
{
    bool good = true;

    for (unsigned i = 0; i < count && good; i++)
        good = sqlite_run(store, error,
                          "INSERT INTO %s VALUES(%u, '%s', '%s') ON "
                          "CONFLICT(code) DO UPDATE SET name = excluded.name, "
                          "ends = excluded.ends WHERE name IS NOT "
                          "excluded.name OR ends IS NOT excluded.ends",
                          table, i, code[i].name, url_end_name(code[i].end));
    return good;
}

static bool put_all_codes(struct sqlite_store *store, struct store_error *error)
{
    const struct store_codes *codes = store->base.codes;

    return put_codes(store, "verdict", codes->verdict, codes->verdicts,
                     error) &&
           put_codes(store, "outcome", codes->outcome, codes->outcomes, error);
}

/* The last step for a new file and for one of an earlier version. */
static bool complete(struct sqlite_store *store, struct store_error *error)
{
    return create_views(store, error) && put_all_codes(store, error) &&
           sqlite_write_settings_digest(store, error) &&
           sqlite_run(store, error,
                      "PRAGMA application_id = %d; PRAGMA user_version = %d",
                      SQLITE_FILE_ID, STORE_VERSION);
}

static bool create_table(struct sqlite_store *store, enum row_kind kind,
                         struct store_error *error)
{
    struct buf sql;

    buf_init(&sql, SQL_MAX);
    sqlite_put_table(&sql, kind, STORE_VERSION);
    bool good = sqlite_run(store, error, "%s", buf_cstr(&sql));
    buf_release(&sql);
    return good;
}

bool sqlite_create_tables(struct sqlite_store *store, struct store_error *error)
{
    bool good = true;

    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++)
        good = create_table(store, kind, error);
    return good && create_other_tables(store, error) && complete(store, error);
}

/* --- from an earlier version -------------------------------------------- */

/* Columns that are new since the file's version. */
static bool add_columns(struct sqlite_store *store, enum row_kind kind,
                        struct store_error *error)
{
    const struct row_description *description = &row_description[kind];
    struct buf sql;
    bool good = true;

    buf_init(&sql, SQL_MAX);
    for (size_t i = 0; i < description->columns && good; i++) {
        const struct row_column *column = &description->column[i];
        if (column->since <= store->version)
            continue;
        buf_clear(&sql);
        buf_printf(&sql, "ALTER TABLE %s ADD COLUMN ", description->name);
        sqlite_put_new_column(&sql, column);
        good = sqlite_run(store, error, "%s", buf_cstr(&sql));
    }
    buf_release(&sql);
    return good;
}

/* Kinds and columns that are new since the file's version. */
static bool add_what_is_new(struct sqlite_store *store,
                            struct store_error *error)
{
    bool good = true;

    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++)
        good = store->version < row_kind_since(kind)
                   ? create_table(store, kind, error)
                   : add_columns(store, kind, error);
    return good;
}

/* Step by step; views are made anew. A new version that only brings kinds of
 * rows and columns needs no step. */
static bool migrate(struct sqlite_store *store, struct store_error *error)
{
    bool sealed = store->version >= SQLITE_SEALED_SINCE;
    bool good = true;

    for (size_t i = 0; i < ARRAY_LEN(views) && good; i++)
        good =
            sqlite_run(store, error, "DROP VIEW IF EXISTS %s", views[i].name);
    /* Version 1 had no digests, and did not say how a URL ends with a code. */
    if (good && !sealed)
        good = sqlite_run(store, error,
                          "DROP TABLE verdict; DROP TABLE outcome") &&
               create_other_tables(store, error);
    if (!good || !add_what_is_new(store, error))
        return false;
    store->version = STORE_VERSION;
    return (sealed || sqlite_seal_all(store, error)) && complete(store, error);
}

bool sqlite_bring_up_to_date(struct sqlite_store *store,
                             struct store_error *error)
{
    int changes = sqlite3_total_changes(store->db);

    if (store->version < STORE_VERSION)
        return migrate(store, error);
    if (!put_all_codes(store, error))
        return false;
    return sqlite3_total_changes(store->db) == changes
               ? sqlite_check_settings(store, error)
               : sqlite_write_settings_digest(store, error);
}

/* --- are they as they should be? ---------------------------------------- */

/* SQLite keeps the text of each object as it was given. An earlier version may
 * have had other views. */
bool sqlite_check_views(struct sqlite_store *store, struct store_error *error)
{
    bool good = true;

    if (store->version < STORE_VERSION)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(views) && good; i++) {
        const char *name = views[i].name;
        sqlite3_stmt *stmt = sqlite_prepare(
            store, error,
            "SELECT sql FROM sqlite_master WHERE name = '%s' AND tbl_name = "
            "name",
            name);
        good = stmt &&
               (sqlite_step(store, stmt, error) || error->status == STORE_OK);
        if (good && !str_eq(sqlite_text(stmt, 0), str_of(views[i].sql)))
            good = store_fail(error, STORE_DAMAGED,
                              "the view %s is not as it was made", name);
        sqlite3_finalize(stmt);
    }
    return good;
}
