#include "store/sqlite.h"

/* A commit: every row of the batches through its statement, and the digests,
 * all in one transaction. */

enum { SQL_MAX = 4096 };

static sqlite3_stmt *prepare(struct sqlite_store *store, enum row_kind kind)
{
    const struct row_description *description = &row_description[kind];
    bool has_place = str_eq(str_of(sqlite_key_of(kind)), STR("place"));
    size_t values = description->columns + has_place;
    struct buf sql;

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
    sqlite3_prepare_v3(store->db, buf_cstr(&sql), -1, SQLITE_PREPARE_PERSISTENT,
                       &store->insert[kind], NULL);
    buf_release(&sql);
    return store->insert[kind];
}

/* Values go into a statement one after the other; a failure shows when the row
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

/* The key of the next row of the kind, in the order of writing. 0: it cannot
 * be the next. */
static uint64_t next_key(const struct seal *seal, enum row_kind kind,
                         const void *row)
{
    if (kind != ROW_url)
        return seal->last + 1;
    uint64_t number = ((const struct store_url *)row)->number;
    return number > seal->last ? number : 0;
}

static bool put_row(struct sqlite_store *store, struct seal *seal,
                    enum row_kind kind, const void *row,
                    struct store_error *error)
{
    sqlite3_stmt *stmt = store->insert[kind];
    int at = 1;

    if (kind != ROW_setting) {
        seal->last = next_key(seal, kind, row);
        seal->digest = row_digest(seal->digest, kind, row);
        if (!seal->last) {
            store_fail(error, STORE_FAILED,
                       "a URL has a number that was given before");
            return false;
        }
        if (kind != ROW_url)
            sqlite3_bind_int64(stmt, at++, (int64_t)seal->last);
    }
    bind_row(stmt, at, kind, row);
    int code = sqlite3_step(stmt);
    if (code != SQLITE_DONE)
        sqlite_fail(error, store->db);
    sqlite3_reset(stmt);
    return code == SQLITE_DONE;
}

static bool put_rows(struct sqlite_store *store, struct seal *seal,
                     enum row_kind kind, const struct store_rows *rows,
                     struct store_error *error)
{
    const char *row = rows->item;

    if (!rows->count)
        return true;
    if (!store->insert[kind] && !prepare(store, kind)) {
        sqlite_fail(error, store->db);
        return false;
    }
    for (size_t i = 0; i < rows->count; i++)
        if (!put_row(store, seal, kind, row + i * row_description[kind].size,
                     error))
            return false;
    return true;
}

static bool put_batches(struct sqlite_store *store, struct seal seal[ROW_KINDS],
                        const struct store_batch *const *batch, size_t count,
                        struct store_error *error)
{
    for (size_t i = 0; i < count; i++) {
        for (int kind = 0; kind < ROW_KINDS; kind++)
            if (!put_rows(store, &seal[kind], (enum row_kind)kind,
                          &batch[i]->rows[kind], error))
                return false;
    }
    return true;
}

bool sqlite_commit(struct store *base, const struct store_batch *const *batch,
                   size_t count, struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);
    struct seal seal[ROW_KINDS];

    /* SQLite would go on to write into a file that nobody can find again. */
    if (!sqlite_is_in_place(store, error) ||
        !sqlite_run(store, "BEGIN IMMEDIATE", error))
        return false;
    memcpy(seal, store->seal, sizeof(seal));
    if (put_batches(store, seal, batch, count, error) &&
        sqlite_write_seals(store, seal, error) &&
        sqlite_write_settings_digest(store, error) &&
        sqlite_run(store, "COMMIT", error)) {
        memcpy(store->seal, seal, sizeof(seal));
        return true;
    }
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
