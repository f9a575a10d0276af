#include <stdio.h>

#include "store/sqlite.h"

/* Reads rows back, one after the other. Anybody may have changed the file: a
 * value that is not valid counts as damage. */

/* Readers use the numbers of URLs as indices, so numbers have few gaps: at most
 * this many are missing. */
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

/* NULL and most texts would pass as 0; anything else is found by its digest. */
static bool get_number(sqlite3_stmt *stmt, int at,
                       const struct row_column *column, void *row)
{
    int64_t value = sqlite3_column_int64(stmt, at);

    return (value || sqlite3_column_type(stmt, at) == SQLITE_INTEGER) &&
           row_set_number(row, column, (uint64_t)value);
}

/* The columns of a row; its key stands before them. */
static bool get_row(sqlite3_stmt *stmt, enum row_kind kind, void *row)
{
    const struct row_description *description = &row_description[kind];
    struct str whole = {0};
    int at = 1;

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        struct str *text = row_text_to_set(row, column);
        bool good;
        if (column->type == ROW_PART) {
            good = get_part(stmt, &at, whole, text);
        } else if (row_is_text(column)) {
            *text = whole = sqlite_text(stmt, at++);
            good = text->ptr || column->type != ROW_NAME;
        } else {
            good = get_number(stmt, at++, column, row);
        }
        if (!good)
            return false;
    }
    return true;
}

/* --- all rows of a kind ------------------------------------------------- */

/* The rows of a kind, and the commits that wrote them, if they are checked. */
struct walk {
    struct sqlite_store *store;
    enum row_kind kind;
    bool checked;
    sqlite3_stmt *rows;
    sqlite3_stmt *commits; /* NULL: only the last, which is `sealed` */
    struct seal sealed;    /* at the end of the commit; 0: there is no more */
    struct seal seal;      /* of the rows so far */
    uint64_t batch;        /* number of the commit; 0: not known */
};

/* The key and the columns of rows, by the rest of the SQL. */
static sqlite3_stmt *select_rows(struct sqlite_store *store, enum row_kind kind,
                                 const char *rest, struct store_error *error)
{
    struct buf columns;

    buf_init(&columns, SQL_MAX);
    sqlite_put_columns(&columns, kind, store->version);
    sqlite3_stmt *stmt =
        sqlite_prepare(store, error, "SELECT %s, %s FROM %s NOT INDEXED %s",
                       sqlite_key_of(kind), buf_cstr(&columns),
                       row_description[kind].name, rest);
    buf_release(&columns);
    return stmt;
}

static bool fail_written(const struct walk *walk, struct store_error *error)
{
    char commit[48] = "";

    if (walk->batch)
        snprintf(commit, sizeof(commit), " of commit %llu",
                 (unsigned long long)walk->batch);
    return store_fail(error, STORE_DAMAGED,
                      "rows of %s%s are not as they were written",
                      row_description[walk->kind].name, commit);
}

static bool next_commit(struct walk *walk, struct store_error *error)
{
    walk->sealed = (struct seal){0};
    if (!walk->commits)
        return true;
    if (!sqlite_step(walk->store, walk->commits, error))
        return error->status == STORE_OK;
    walk->batch = (uint64_t)sqlite3_column_int64(walk->commits, 0);
    walk->sealed.last = (uint64_t)sqlite3_column_int64(walk->commits, 1);
    walk->sealed.digest = (uint64_t)sqlite3_column_int64(walk->commits, 2);
    return true;
}

/* A row belongs to a commit, and the last of a commit makes its digest. */
static bool check_row(struct walk *walk, const void *row,
                      struct store_error *error)
{
    struct seal *seal = &walk->seal;

    seal->last = (uint64_t)sqlite3_column_int64(walk->rows, 0);
    seal->digest = row_digest(seal->digest, walk->kind, row);
    if (seal->last < walk->sealed.last)
        return true;
    if (seal->last > walk->sealed.last || seal->digest != walk->sealed.digest)
        return fail_written(walk, error);
    return next_commit(walk, error);
}

static bool walk_rows(struct walk *walk, const struct store_reader *reader,
                      struct store_error *error)
{
    union row_any row;

    while (sqlite_step(walk->store, walk->rows, error)) {
        bool good = get_row(walk->rows, walk->kind, &row);
        if (good && walk->checked && !check_row(walk, &row, error))
            return false;
        if (!good || !store_give(reader, walk->kind, &row))
            return store_fail(error, STORE_DAMAGED,
                              "a row of %s that cannot be",
                              row_description[walk->kind].name);
    }
    return error->status == STORE_OK;
}

/* Was there a row for every commit? */
static bool is_at_end(const struct walk *walk, struct store_error *error)
{
    return !walk->sealed.last || fail_written(walk, error);
}

/* A file of an earlier version has no rows of a later kind. */
static bool walk_kind(struct walk *walk, const struct store_reader *reader,
                      struct store_error *error)
{
    if (walk->store->version < row_kind_since(walk->kind))
        return true;
    walk->rows =
        select_rows(walk->store, walk->kind,
                    walk->kind == ROW_setting
                        ? "WHERE name <> '" SQLITE_DIGEST_NAME "' ORDER BY 1"
                        : "ORDER BY 1",
                    error);
    bool good = walk->rows && walk_rows(walk, reader, error);
    sqlite3_finalize(walk->rows);
    return good;
}

/* Check the digest of every commit on the way. */
static bool walk_commits(struct walk *walk, const struct store_reader *reader,
                         struct store_error *error)
{
    walk->commits =
        sqlite_prepare(walk->store, error,
                       "SELECT batch, last, digest FROM batch NOT INDEXED "
                       "WHERE kind = '%s' ORDER BY place",
                       row_description[walk->kind].name);
    bool good = walk->commits && next_commit(walk, error) &&
                walk_kind(walk, reader, error) && is_at_end(walk, error);
    sqlite3_finalize(walk->commits);
    return good;
}

bool sqlite_check_kind(struct sqlite_store *store, enum row_kind kind,
                       struct store_error *error)
{
    const struct store_reader nobody = {0};
    struct walk walk = {.store = store, .kind = kind, .checked = true};

    return walk_commits(&walk, &nobody, error);
}

bool sqlite_seal_kind(struct sqlite_store *store, enum row_kind kind,
                      struct seal *seal, struct store_error *error)
{
    const struct store_reader nobody = {0};
    struct walk walk = {
        .store = store,
        .kind = kind,
        .checked = true,
        .sealed = {.last = UINT64_MAX}, /* which is never met */
    };
    bool good = walk_kind(&walk, &nobody, error);

    *seal = walk.seal;
    return good;
}

/* --- a load ------------------------------------------------------------- */

static bool give_begin(struct sqlite_store *store,
                       const struct store_reader *reader,
                       struct store_error *error)
{
    int64_t urls, last;

    if (!sqlite_ask_number(store, &urls, error,
                           "SELECT count(*) FROM url NOT INDEXED") ||
        !sqlite_ask_number(store, &last, error,
                           "SELECT max(number) FROM url NOT INDEXED"))
        return false;
    if (last >= 0 && last <= urls + NUMBERS_MISSING_MAX &&
        reader->begin(reader->user, (uint64_t)urls, (uint64_t)last))
        return true;
    return store_fail(error, STORE_DAMAGED, "numbers of URLs that cannot be");
}

static bool load_all(struct sqlite_store *store,
                     const struct store_reader *reader,
                     struct store_error *error)
{
    struct seal seal[ROW_KINDS] = {0};
    bool checked = !reader->unchecked;

    if ((checked && !sqlite_read_seals(store, seal, error)) ||
        (reader->begin && !give_begin(store, reader, error)))
        return false;
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++) {
        struct walk walk = {
            .store = store,
            .kind = kind,
            .checked = checked && kind != ROW_setting,
        };
        if (!store_wants(reader, kind))
            continue;
        if (!(walk.checked ? walk_commits : walk_kind)(&walk, reader, error))
            return false;
        if (checked && kind == ROW_setting &&
            !sqlite_check_settings(store, error))
            return false;
    }
    return true;
}

/* One transaction: all of it is of the same moment. */
bool sqlite_load(struct store *base, unsigned slice,
                 const struct store_reader *reader, struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);
    struct store_reader own = *reader;

    (void)slice;
    own.unchecked |= store->version < SQLITE_SEALED_SINCE;
    sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
    bool good = load_all(store, &own, error);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}

bool sqlite_find_url(struct store *base, uint64_t number, struct store_url *url)
{
    struct sqlite_store *store = sqlite_of(base);
    struct store_error error;

    if (!store->find_url)
        store->find_url =
            select_rows(store, ROW_url, "WHERE number = ?", &error);
    sqlite3_reset(store->find_url);
    sqlite3_bind_int64(store->find_url, 1, (int64_t)number);
    return sqlite_step(store, store->find_url, &error) &&
           get_row(store->find_url, ROW_url, url);
}
