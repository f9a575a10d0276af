#include <inttypes.h>
#include <stdio.h>

#include "base/hashtable.h"
#include "store/sqlite.h"

/* A commit: every row of the batches through its statement, and the digests,
 * all in one transaction. */

enum { SQL_MAX = 4096 };

/* --- rows --------------------------------------------------------------- */

static bool prepare(struct sqlite_store *store, enum row_kind kind,
                    struct store_error *error)
{
    const struct row_description *description = &row_description[kind];
    bool has_place = kind != ROW_setting && kind != ROW_url;
    size_t values = description->columns + has_place;
    struct buf sql;

    if (store->insert[kind])
        return true;
    for (size_t i = 0; i < description->columns; i++)
        values += description->column[i].type == ROW_PART;
    buf_init(&sql, SQL_MAX);
    buf_printf(&sql, "INSERT %sINTO %s(%s",
               kind == ROW_setting ? "OR REPLACE " : "", description->name,
               has_place ? "place, " : "");
    sqlite_put_columns(&sql, kind, STORE_VERSION);
    buf_put(&sql, STR(") VALUES(?"));
    for (size_t i = 1; i < values; i++)
        buf_put(&sql, STR(", ?"));
    buf_put_char(&sql, ')');
    store->insert[kind] = sqlite_prepare(store, error, "%s", buf_cstr(&sql));
    buf_release(&sql);
    return store->insert[kind];
}

/* Bind the values of a row, one after the other. A failure shows when the row
 * is written. */
static void bind_row(sqlite3_stmt *stmt, int at, enum row_kind kind,
                     const void *row)
{
    const struct row_description *description = &row_description[kind];
    const char *whole = NULL;

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        const struct str *text = row_text(row, column);
        if (row_is_text(column)) {
            sqlite3_bind_text(stmt, at++, text->ptr, (int)text->len,
                              SQLITE_STATIC);
            whole = text->ptr;
        } else if (column->type == ROW_PART) {
            sqlite3_bind_int64(stmt, at++, text->ptr - whole);
            sqlite3_bind_int64(stmt, at++, (int64_t)text->len);
        } else {
            sqlite3_bind_int64(stmt, at++,
                               (int64_t)row_get_number(row, column));
        }
    }
}

/* Rows have a key that grows: URLs their number, the others their place. */
static bool put_row(struct sqlite_store *store, struct seal *seal,
                    enum row_kind kind, const void *row,
                    struct store_error *error)
{
    sqlite3_stmt *stmt = store->insert[kind];
    int at = 1;

    if (kind == ROW_url) {
        uint64_t number = ((const struct store_url *)row)->number;
        if (number <= seal->last)
            return store_fail(error, STORE_FAILED,
                              "a URL has a number that was given before");
        seal->last = number;
    } else if (kind != ROW_setting) {
        sqlite3_bind_int64(stmt, at++, (int64_t)++seal->last);
    }
    if (kind != ROW_setting)
        seal->digest = row_digest(seal->digest, kind, row);
    bind_row(stmt, at, kind, row);
    sqlite_step(store, stmt, error);
    sqlite3_reset(stmt);
    return error->status == STORE_OK;
}

static bool put_batch(struct sqlite_store *store, struct seal seal[ROW_KINDS],
                      const struct store_batch *batch,
                      struct store_error *error)
{
    bool good = true;

    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++) {
        const struct store_rows *rows = &batch->rows[kind];
        const char *row = rows->item;
        good = !rows->count || prepare(store, kind, error);
        for (size_t i = 0; i < rows->count && good; i++)
            good = put_row(store, &seal[kind], kind,
                           row + i * row_description[kind].size, error);
    }
    return good;
}

/* --- seals -------------------------------------------------------------- */

bool sqlite_read_seals(struct sqlite_store *store, struct seal seal[ROW_KINDS],
                       struct store_error *error)
{
    sqlite3_stmt *stmt = sqlite_prepare(
        store, error,
        "SELECT kind, last, digest, batch FROM batch NOT INDEXED "
        "ORDER BY place");
    bool good = stmt;

    while (good && sqlite_step(store, stmt, error)) {
        enum row_kind kind = 0;
        while (kind < ROW_KINDS && !str_eq(sqlite_text(stmt, 0),
                                           str_of(row_description[kind].name)))
            kind++;
        if (kind == ROW_KINDS) {
            good = store_fail(error, STORE_DAMAGED,
                              "a row of batch that cannot be");
            break;
        }
        seal[kind].last = (uint64_t)sqlite3_column_int64(stmt, 1);
        seal[kind].digest = (uint64_t)sqlite3_column_int64(stmt, 2);
        store->batches = (uint64_t)sqlite3_column_int64(stmt, 3);
    }
    sqlite3_finalize(stmt);
    return good && error->status == STORE_OK;
}

/* For each kind that has new rows. */
static bool write_seals(struct sqlite_store *store,
                        const struct seal seal[ROW_KINDS],
                        struct store_error *error)
{
    bool good = true;

    store->batches++;
    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++)
        if (seal[kind].last != store->seal[kind].last)
            good = sqlite_run(store, error,
                              "INSERT INTO batch VALUES(NULL, %" PRIu64
                              ", '%s', %" PRId64 ", %" PRId64 ")",
                              store->batches, row_description[kind].name,
                              (int64_t)seal[kind].last,
                              (int64_t)seal[kind].digest);
    return good;
}

bool sqlite_seal_all(struct sqlite_store *store, struct store_error *error)
{
    struct seal seal[ROW_KINDS] = {0};

    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        if (kind != ROW_setting &&
            !sqlite_seal_kind(store, kind, &seal[kind], error))
            return false;
    memset(store->seal, 0, sizeof(store->seal));
    return write_seals(store, seal, error);
}

/* --- settings ----------------------------------------------------------- */

/* Settings are replaced, so their digest is of all as they are now. It includes
 * the names of codes, because a later program may add some. */
static bool settings_digest(struct sqlite_store *store, uint64_t *digest,
                            struct store_error *error)
{
    sqlite3_stmt *stmt = sqlite_prepare(
        store, error,
        "SELECT name, value, NULL FROM setting NOT INDEXED WHERE name <> "
        "'" SQLITE_DIGEST_NAME "' UNION ALL SELECT * FROM (SELECT code, name, "
        "ends FROM verdict NOT INDEXED "
        "ORDER BY code) UNION ALL SELECT * FROM (SELECT code, name, ends FROM "
        "outcome NOT INDEXED ORDER BY code)");

    *digest = 0;
    while (stmt && sqlite_step(store, stmt, error))
        for (int i = 0; i < 3; i++) {
            struct str text = sqlite_text(stmt, i);
            *digest = hash64(text, *digest + (text.ptr ? 1 : 0));
        }
    sqlite3_finalize(stmt);
    return stmt && error->status == STORE_OK;
}

bool sqlite_write_settings_digest(struct sqlite_store *store,
                                  struct store_error *error)
{
    uint64_t digest;

    return settings_digest(store, &digest, error) &&
           sqlite_run(store, error,
                      "INSERT OR REPLACE INTO setting VALUES("
                      "'" SQLITE_DIGEST_NAME "', '%016" PRIx64 "')",
                      digest);
}

bool sqlite_check_settings(struct sqlite_store *store,
                           struct store_error *error)
{
    char expected[24];
    uint64_t digest;

    if (!settings_digest(store, &digest, error))
        return false;
    snprintf(expected, sizeof(expected), "%016" PRIx64, digest);
    sqlite3_stmt *stmt =
        sqlite_prepare(store, error,
                       "SELECT value FROM setting NOT INDEXED WHERE name = "
                       "'" SQLITE_DIGEST_NAME "'");
    bool same = stmt && sqlite_step(store, stmt, error) &&
                str_eq(sqlite_text(stmt, 0), str_of(expected));
    sqlite3_finalize(stmt);
    return same || store_fail(error, STORE_DAMAGED,
                              "the settings are not as they were written");
}

/* --- a commit ----------------------------------------------------------- */

bool sqlite_end(struct sqlite_store *store, bool good,
                struct store_error *error)
{
    if (good && sqlite_run(store, error, "COMMIT"))
        return true;
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool sqlite_put(struct sqlite_store *store,
                const struct store_batch *const *batch, size_t count,
                struct store_error *error)
{
    struct seal seal[ROW_KINDS];
    bool good = true;

    /* SQLite would go on to write into a file that nobody can find again. */
    if (!sqlite_is_still_there(store, error) ||
        !sqlite_run(store, error, "BEGIN IMMEDIATE"))
        return false;
    memcpy(seal, store->seal, sizeof(seal));
    for (size_t i = 0; i < count && good; i++)
        good = put_batch(store, seal, batch[i], error);
    good = sqlite_end(store,
                      good && write_seals(store, seal, error) &&
                          sqlite_write_settings_digest(store, error),
                      error);
    if (good)
        memcpy(store->seal, seal, sizeof(seal));
    return good;
}
