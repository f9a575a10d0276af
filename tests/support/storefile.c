#include "support/storefile.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "crawler/record_codes.h"

int storefile_setup(void **state)
{
    struct storefile *file = calloc(1, sizeof(*file));

    tempdir_make(&file->temp);
    snprintf(file->path, sizeof(file->path), "%s/.crawler", file->temp.path);
    snprintf(file->name, sizeof(file->name), "sqlite:%s", file->temp.path);
    store_batch_init(&file->batch);
    *state = file;
    return 0;
}

int storefile_teardown(void **state)
{
    struct storefile *file = *state;

    store_batch_release(&file->batch);
    tempdir_remove(&file->temp);
    free(file);
    return 0;
}

void storefile_create(struct storefile *file)
{
    struct store *store = store_create(
        file->name, crawler_codes(), &file->batch, STORE_AT_ONCE, &file->error);

    if (!store)
        fail_msg("%s", file->error.text);
    store_close(store);
    store_batch_clear(&file->batch);
}

struct store *storefile_open(struct storefile *file, enum store_mode mode)
{
    struct store *store =
        store_open(file->name, mode, crawler_codes(), &file->error);

    if (!store)
        fail_msg("%s", file->error.text);
    return store;
}

void storefile_commit(struct storefile *file, struct store *store)
{
    const struct store_batch *batch = &file->batch;

    if (!store_commit(store, &batch, 1, &file->error))
        fail_msg("%s", file->error.text);
    store_batch_clear(&file->batch);
}

static int put_row(void *user, int columns, char **value, char **name)
{
    struct buf *out = user;

    (void)name;
    for (int i = 0; out && i < columns; i++)
        buf_printf(out, "%s%s", i ? "|" : "", value[i] ? value[i] : "-");
    if (out)
        buf_put_char(out, '\n');
    return 0;
}

void storefile_sql(const struct storefile *file, const char *sql,
                   struct buf *out)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, put_row, out, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* --- rows as text ------------------------------------------------------- */

static void put_str(struct buf *out, struct str text)
{
    if (!text.ptr) {
        buf_put(out, STR(" -"));
        return;
    }
    buf_put(out, STR(" '"));
    buf_put(out, text);
    buf_put(out, STR("'"));
}

static bool show_begin(void *user, uint64_t urls, uint64_t last_number)
{
    buf_printf(user, "begin %llu %llu\n", (unsigned long long)urls,
               (unsigned long long)last_number);
    return true;
}

static bool show_row(struct buf *out, enum row_kind kind, const void *row)
{
    const struct row_description *description = &row_description[kind];

    buf_put(out, str_of(description->name));
    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        if (row_is_text(column) || column->type == ROW_PART)
            put_str(out, *row_text(row, column));
        else
            buf_printf(out, " %llu",
                       (unsigned long long)row_get_number(row, column));
    }
    buf_put_char(out, '\n');
    return true;
}

#define KIND(kind)                                                             \
    static bool show_##kind(void *user, const struct store_##kind *row)        \
    {                                                                          \
        return show_row(user, ROW_##kind, row);                                \
    }
#include "store/rows.def"

struct store_reader storefile_show(struct buf *out)
{
    return (struct store_reader){
        .user = out,
        .begin = show_begin,
#define KIND(kind) .kind = show_##kind,
#include "store/rows.def"
    };
}

void storefile_holds(struct storefile *file, struct store *store,
                     struct str expected)
{
    struct buf got;

    buf_init(&got, 1 << 20);
    const struct store_reader reader = storefile_show(&got);
    if (!store_load(store, 0, &reader, &file->error))
        fail_msg("%s", file->error.text);
    if (!str_eq(buf_str(&got), expected))
        fail_msg("expected:\n%.*s\ngot:\n%s", (int)expected.len, expected.ptr,
                 buf_cstr(&got));
    buf_release(&got);
}

void storefile_is(struct storefile *file, struct str expected)
{
    struct store *store = storefile_open(file, STORE_READ);

    storefile_holds(file, store, expected);
    store_close(store);
}
