#include "store/sqlite.h"

/* Everything back, row by row. The file may be anybody's work by now: a value
 * that cannot be is as good as a broken file. */

/* Numbers of URLs are given almost without gaps, so that readers may use them
 * as indices: at most so many are missing. */
enum { NUMBERS_MISSING_MAX = 1000, SQL_MAX = 4096 };

/* --- a row -------------------------------------------------------------- */

static bool get_part(sqlite3_stmt *stmt, int *at, struct str whole,
                     struct str *part)
{
    int64_t start = sqlite3_column_int64(stmt, (*at)++);
    int64_t len = sqlite3_column_int64(stmt, (*at)++);

    if (start < 0 || len < 0 || (uint64_t)start > whole.len ||
        (uint64_t)len > whole.len - (uint64_t)start)
        return false;
    *part = (struct str){whole.ptr + start, (size_t)len};
    return true;
}

static bool get_text(sqlite3_stmt *stmt, int at, enum row_type type,
                     struct str *out)
{
    const char *text = (const char *)sqlite3_column_text(stmt, at);
    int len = sqlite3_column_bytes(stmt, at);

    *out = (struct str){text, text ? (size_t)len : 0};
    return text || type != ROW_NAME;
}

/* NULL and most texts would pass as 0; anything else is found by its digest. */
static bool get_number(sqlite3_stmt *stmt, int at,
                       const struct row_column *column, void *row)
{
    int64_t value = sqlite3_column_int64(stmt, at);

    return (value || sqlite3_column_type(stmt, at) == SQLITE_INTEGER) &&
           row_set_number(row, column, (uint64_t)value);
}

static bool get_row(sqlite3_stmt *stmt, int at, enum row_kind kind, void *row)
{
    const struct row_description *description = &row_description[kind];
    struct str whole = {0};

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        struct str *text = row_text_to_set(row, column);
        bool good;
        if (column->type == ROW_PART) {
            good = get_part(stmt, &at, whole, text);
        } else if (row_is_text(column)) {
            good = get_text(stmt, at++, column->type, text);
            whole = *text;
        } else {
            good = get_number(stmt, at++, column, row);
        }
        if (!good)
            return false;
    }
    return true;
}

/* --- all rows of a kind ------------------------------------------------- */

bool sqlite_begin(struct sqlite_store *store, struct sqlite_cursor *cursor,
                  enum row_kind kind, struct store_error *error)
{
    const char *key = sqlite_key_of(kind);
    struct buf sql;

    *cursor = (struct sqlite_cursor){.kind = kind};
    buf_init(&sql, SQL_MAX);
    buf_printf(&sql, "SELECT %s, ", key);
    sqlite_put_columns(&sql, kind, store->version);
    buf_printf(&sql, " FROM %s%s ORDER BY %s", row_description[kind].name,
               kind == ROW_setting ? " WHERE name <> '" SQLITE_DIGEST_NAME "'"
                                   : "",
               key);
    bool good = sqlite3_prepare_v2(store->db, buf_cstr(&sql), -1, &cursor->stmt,
                                   NULL) == SQLITE_OK;
    buf_release(&sql);
    if (!good)
        sqlite_fail(error, store->db);
    return good;
}

bool sqlite_next(struct sqlite_store *store, struct sqlite_cursor *cursor,
                 struct store_error *error)
{
    error->status = STORE_OK;
    if (cursor->ended)
        return false; /* another step would begin anew */
    int code = sqlite3_step(cursor->stmt);
    cursor->ended = code != SQLITE_ROW;
    if (code == SQLITE_DONE)
        return false;
    if (code != SQLITE_ROW) {
        sqlite_fail(error, store->db);
        return false;
    }
    cursor->key = (uint64_t)sqlite3_column_int64(cursor->stmt, 0);
    if (get_row(cursor->stmt, 1, cursor->kind, &cursor->row))
        return true;
    store_fail(error, STORE_DAMAGED, "a row of %s that cannot be",
               row_description[cursor->kind].name);
    cursor->ended = true;
    return false;
}

void sqlite_end(struct sqlite_cursor *cursor)
{
    sqlite3_finalize(cursor->stmt);
}

/* --- a load ------------------------------------------------------------- */

struct loading {
    struct sqlite_store *store;
    const struct store_reader *reader;
    struct seal seal[ROW_KINDS]; /* as the file has them */
    bool checked;
};

static bool give_all(struct loading *loading, struct sqlite_cursor *cursor,
                     struct seal *seal, struct store_error *error)
{
    while (sqlite_next(loading->store, cursor, error)) {
        seal->last = cursor->key;
        if (loading->checked)
            seal->digest = row_digest(seal->digest, cursor->kind, &cursor->row);
        if (store_give(loading->reader, cursor->kind, &cursor->row))
            continue;
        store_fail(error, STORE_DAMAGED, "a row of %s that cannot be",
                   row_description[cursor->kind].name);
        return false;
    }
    return error->status == STORE_OK;
}

static bool load_kind(struct loading *loading, enum row_kind kind,
                      struct store_error *error)
{
    const struct seal *expected = &loading->seal[kind];
    struct sqlite_cursor cursor;
    struct seal seal = {0};

    bool good = sqlite_begin(loading->store, &cursor, kind, error) &&
                give_all(loading, &cursor, &seal, error);
    sqlite_end(&cursor);
    if (!good || !loading->checked)
        return good;
    if (kind == ROW_setting)
        return sqlite_check_settings(loading->store, error);
    if (seal.last == expected->last && seal.digest == expected->digest)
        return true;
    store_fail(error, STORE_DAMAGED, "rows of %s are not as they were written",
               row_description[kind].name);
    return false;
}

static bool give_begin(struct loading *loading, struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good =
        sqlite3_prepare_v2(loading->store->db,
                           "SELECT count(*), coalesce(max(number), 0) FROM url",
                           -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW;

    if (!good) {
        sqlite_fail(error, loading->store->db);
        sqlite3_finalize(stmt);
        return false;
    }
    int64_t urls = sqlite3_column_int64(stmt, 0);
    int64_t last = sqlite3_column_int64(stmt, 1);
    sqlite3_finalize(stmt);
    good = last >= 0 && last <= urls + NUMBERS_MISSING_MAX &&
           loading->reader->begin(loading->reader->user, (uint64_t)urls,
                                  (uint64_t)last);
    if (!good)
        store_fail(error, STORE_DAMAGED, "numbers of URLs that cannot be");
    return good;
}

static bool load_all(struct loading *loading, struct store_error *error)
{
    const struct store_reader *reader = loading->reader;

    if (loading->checked &&
        !sqlite_read_seals(loading->store, loading->seal, error))
        return false;
    if (reader->begin && !give_begin(loading, error))
        return false;
    for (int kind = 0; kind < ROW_KINDS; kind++)
        if (store_wants(reader, (enum row_kind)kind) &&
            !load_kind(loading, (enum row_kind)kind, error))
            return false;
    return true;
}

/* One transaction: all of it is of the same moment. */
bool sqlite_load(struct store *base, unsigned slice,
                 const struct store_reader *reader, struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);
    struct loading loading = {
        .store = store,
        .reader = reader,
        .checked = !reader->unchecked && store->version > 1,
    };

    (void)slice;
    sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
    bool good = load_all(&loading, error);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}

bool sqlite_find_url(struct store *base, uint64_t number, struct store_url *url)
{
    struct sqlite_store *store = sqlite_of(base);
    struct buf sql;

    if (number > INT64_MAX)
        return false;
    if (!store->find_url) {
        buf_init(&sql, SQL_MAX);
        buf_put(&sql, STR("SELECT "));
        sqlite_put_columns(&sql, ROW_url, store->version);
        buf_put(&sql, STR(" FROM url WHERE number = ?"));
        sqlite3_prepare_v3(store->db, buf_cstr(&sql), -1,
                           SQLITE_PREPARE_PERSISTENT, &store->find_url, NULL);
        buf_release(&sql);
    }
    if (!store->find_url)
        return false;
    sqlite3_reset(store->find_url);
    sqlite3_bind_int64(store->find_url, 1, (int64_t)number);
    return sqlite3_step(store->find_url) == SQLITE_ROW &&
           get_row(store->find_url, 0, ROW_url, url);
}
