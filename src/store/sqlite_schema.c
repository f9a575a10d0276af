#include <string.h>
#include <strings.h>

#include "store/sqlite.h"

/* A record may come from somebody else, and SQL is a language: a trigger can
 * delete rows or insert without end, a view or a virtual table can stand where
 * a table should be, a default, a generated column or a collation can run code
 * of the file's choice. So nothing is read before every table of ours is the
 * one that this program makes, letter for letter. SQLite keeps the text by
 * which a table was made, and ALTER TABLE adds to its end; there is one text
 * for each version in which a table may have begun.
 *
 * Tables, views and plain indexes that people add for themselves cannot act
 * and stay. Our reads do not use such an index (NOT INDEXED): it may lie. */

enum {
    SQL_MAX = 1 << 14,
    OBJECTS_MAX = 1000, /* in a file; people add a few, not thousands */
    TABLES_MAX = ROW_KINDS + 3,
};

/* --- the texts of our tables --------------------------------------------- */

/* The table as a program of version `begun` makes it, with the columns that
 * later programs added up to `version`. */
static void put_text(struct buf *sql, enum row_kind kind, int begun,
                     int version)
{
    const struct row_description *description = &row_description[kind];

    buf_clear(sql);
    sqlite_put_table(sql, kind, begun);
    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        if (column->since <= begun || column->since > version)
            continue;
        sql->len--; /* the ')' */
        buf_put(sql, STR(", "));
        sqlite_put_new_column(sql, column);
        buf_put_char(sql, ')');
    }
}

/* One text at least fits. */
static bool is_kind(struct str text, enum row_kind kind, int version)
{
    struct buf sql;
    bool fits = false;

    buf_init(&sql, SQL_MAX);
    for (int begun = row_kind_since(kind); begun <= version && !fits; begun++) {
        put_text(&sql, kind, begun, version);
        fits = str_eq(text, str_of(buf_cstr(&sql)));
    }
    buf_release(&sql);
    return fits;
}

/* The number of the table of this name, or TABLES_MAX. SQLite knows no case in
 * names. */
static size_t table_of(const struct sqlite_store *store, const char *name)
{
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        if (store->version >= row_kind_since(kind) &&
            !strcasecmp(name, row_description[kind].name))
            return kind;
    for (size_t i = 0; i < TABLES_MAX - ROW_KINDS; i++)
        if (!strcasecmp(name, sqlite_other_table(i)) &&
            *sqlite_other_table_text(i, store->version))
            return ROW_KINDS + i;
    return TABLES_MAX;
}

static const char *name_of(size_t table)
{
    return table < ROW_KINDS ? row_description[table].name
                             : sqlite_other_table(table - ROW_KINDS);
}

/* --- objects of the file -------------------------------------------------- */

static bool not_ours(struct store_error *error, const char *what,
                     const char *name)
{
    return store_fail(error, STORE_DAMAGED,
                      "%s %.60s is not as this program makes it", what, name);
}

static const char *text_at(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    return text ? text : "";
}

/* An index of a user's own that cannot act: it refuses no row (unique) and
 * computes nothing (partial, expressions, collations). */
static bool is_plain_index(struct sqlite_store *store, const char *table,
                           const char *index, struct store_error *error)
{
    char *quoted = sqlite3_mprintf("%w", index);
    sqlite3_stmt *list =
        sqlite_prepare(store, error, "PRAGMA index_list(%s)", table);
    bool plain = false;

    while (list && sqlite_step(store, list, error))
        if (!strcasecmp(text_at(list, 1), index))
            plain =
                !sqlite3_column_int(list, 2) && !sqlite3_column_int(list, 4);
    sqlite3_finalize(list);
    sqlite3_stmt *columns = sqlite_prepare(
        store, error, "PRAGMA index_xinfo(\"%s\")", quoted ? quoted : "");
    while (columns && sqlite_step(store, columns, error))
        plain = plain && sqlite3_column_int(columns, 1) >= -1 &&
                !strcmp(text_at(columns, 4), "BINARY");
    sqlite3_finalize(columns);
    sqlite3_free(quoted);
    return plain || not_ours(error, "the index", index);
}

/* A row of sqlite_master: type, name, table, root page, text. */
static bool check_object(struct sqlite_store *store, sqlite3_stmt *object,
                         int64_t root[TABLES_MAX], struct store_error *error)
{
    const char *type = text_at(object, 0), *name = text_at(object, 1);
    size_t of = table_of(store, text_at(object, 2));
    size_t table = table_of(store, name);
    struct str text = sqlite_text(object, 4);

    if (table < TABLES_MAX) {
        bool good =
            !strcmp(type, "table") && table == of && !root[table] &&
            (table < ROW_KINDS
                 ? is_kind(text, (enum row_kind)table, store->version)
                 : str_eq(text, str_of(sqlite_other_table_text(
                                    table - ROW_KINDS, store->version))));
        root[table] = sqlite3_column_int64(object, 3);
        for (size_t i = 0; i < TABLES_MAX; i++)
            good = good && (i == table || root[i] != root[table]);
        return (good && root[table] > 1) ||
               not_ours(error, "the table", name_of(table));
    }
    if (of == TABLES_MAX) {
        store->base.additions += !sqlite_is_own_view(name) && *name != '\0' &&
                                 strncasecmp(name, "sqlite_", 7) != 0;
        return true;
    }
    if (!strcmp(type, "index")) {
        store->base.additions++;
        return is_plain_index(store, name_of(of), name, error);
    }
    return not_ours(
        error, strcmp(type, "trigger") ? "the object" : "the trigger", name);
}

bool sqlite_check_schema(struct sqlite_store *store, struct store_error *error)
{
    int64_t root[TABLES_MAX] = {0};
    size_t objects = 0;
    sqlite3_stmt *object = sqlite_prepare(
        store, error,
        "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master");
    bool good = object;

    store->base.additions = 0;
    while (good && sqlite_step(store, object, error))
        good = ++objects <= OBJECTS_MAX
                   ? check_object(store, object, root, error)
                   : store_fail(error, STORE_DAMAGED,
                                "more than %d tables and views", OBJECTS_MAX);
    sqlite3_finalize(object);
    if (!good || error->status != STORE_OK)
        return false;
    for (size_t i = 0; i < TABLES_MAX; i++)
        if (!root[i] && table_of(store, name_of(i)) == i)
            return store_fail(error, STORE_DAMAGED, "the table %s is missing",
                              name_of(i));
    return true;
}
