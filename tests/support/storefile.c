#include "support/storefile.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/verdict.h"
#include "page/outcome.h"

int storefile_setup(void **state)
{
    struct storefile *file = calloc(1, sizeof(*file));

    tempdir_make(&file->temp);
    snprintf(file->path, sizeof(file->path), "%s/.crawler", file->temp.path);
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

static const char *verdict_of(unsigned code)
{
    return verdict_name((enum verdict)code);
}

static const char *outcome_of(unsigned code)
{
    return outcome_name((enum outcome)code);
}

void storefile_create(struct storefile *file)
{
    static const struct store_names names = {verdict_of, outcome_of, VERDICTS,
                                             OUTCOMES};

    if (!store_create(file->path, &names, &file->batch, &file->error))
        fail_msg("%s", file->error.text);
    store_batch_clear(&file->batch);
}

struct store *storefile_open(struct storefile *file, enum store_mode mode)
{
    struct store *store = store_open(file->path, mode, &file->error);

    if (!store)
        fail_msg("%s", file->error.text);
    return store;
}

void storefile_commit(struct storefile *file, struct store *store)
{
    if (!store_commit(store, &file->batch, &file->error))
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

static void put_u64(struct buf *out, uint64_t value)
{
    buf_printf(out, " %llu", (unsigned long long)value);
}

static void end_line(struct buf *out)
{
    buf_put_char(out, '\n');
}

static bool show_begin(void *user, uint64_t urls, uint64_t last_number)
{
    buf_printf(user, "begin");
    put_u64(user, urls);
    put_u64(user, last_number);
    end_line(user);
    return true;
}

static bool show_setting(void *user, const struct store_setting *row)
{
    buf_printf(user, "setting");
    put_str(user, row->name);
    put_str(user, row->value);
    end_line(user);
    return true;
}

static bool show_seed(void *user, const struct store_seed *row)
{
    buf_printf(user, "seed");
    put_str(user, row->url);
    put_u64(user, row->named);
    end_line(user);
    return true;
}

static bool show_domain(void *user, const struct store_domain *row)
{
    buf_printf(user, "domain");
    put_str(user, row->name);
    put_u64(user, row->found);
    end_line(user);
    return true;
}

static bool show_robots(void *user, const struct store_robots *row)
{
    buf_printf(user, "robots");
    put_str(user, row->host);
    put_str(user, row->url);
    put_u64(user, row->https);
    put_u64(user, row->known);
    put_u64(user, row->outcome);
    put_u64(user, row->status);
    put_u64(user, row->start_ms);
    put_u64(user, row->end_ms);
    put_u64(user, row->pause_ms);
    put_u64(user, row->until_ms);
    put_str(user, row->text);
    end_line(user);
    return true;
}

static bool show_host(void *user, const struct store_host *row)
{
    buf_printf(user, "host");
    put_str(user, row->name);
    put_u64(user, row->failures);
    put_u64(user, row->mute);
    put_u64(user, row->given_up);
    put_u64(user, row->outcome);
    put_u64(user, row->until_ms);
    end_line(user);
    return true;
}

static bool show_change(void *user, const struct store_change *row)
{
    buf_printf(user, "change");
    put_u64(user, row->number);
    put_u64(user, row->depth);
    put_u64(user, row->referrer);
    put_u64(user, row->found);
    end_line(user);
    return true;
}

static bool show_fetch(void *user, const struct store_fetch *row)
{
    buf_printf(user, "fetch");
    put_u64(user, row->number);
    put_u64(user, row->page);
    put_u64(user, row->status);
    put_u64(user, row->outcome);
    put_str(user, row->mime);
    put_u64(user, row->size);
    put_u64(user, row->digest);
    put_u64(user, row->start_ms);
    put_u64(user, row->end_ms);
    put_u64(user, row->pause_ms);
    put_u64(user, row->due_ms);
    put_str(user, row->target);
    end_line(user);
    return true;
}

static bool show_refusal(void *user, const struct store_refusal *row)
{
    buf_printf(user, "refusal");
    put_u64(user, row->number);
    put_u64(user, row->verdict);
    put_u64(user, row->outcome);
    put_u64(user, row->line);
    put_u64(user, row->at_ms);
    end_line(user);
    return true;
}

static bool show_url(void *user, const struct store_url *row)
{
    buf_printf(user, "url");
    put_u64(user, row->number);
    put_str(user, row->url);
    put_str(user, row->host);
    put_str(user, row->domain);
    put_u64(user, row->depth);
    put_u64(user, row->referrer);
    put_u64(user, row->found);
    put_u64(user, row->kind);
    put_u64(user, row->verdict);
    put_u64(user, row->redirects);
    put_u64(user, row->line);
    put_u64(user, row->via);
    end_line(user);
    return true;
}

static bool show_link(void *user, const struct store_link *row)
{
    buf_printf(user, "link");
    put_u64(user, row->page);
    put_u64(user, row->verdict);
    put_str(user, row->url);
    put_str(user, row->text);
    put_str(user, row->rel);
    end_line(user);
    return true;
}

struct store_reader storefile_show(struct buf *out)
{
    return (struct store_reader){
        .user = out,
        .begin = show_begin,
        .setting = show_setting,
        .seed = show_seed,
        .domain = show_domain,
        .robots = show_robots,
        .host = show_host,
        .change = show_change,
        .fetch = show_fetch,
        .refusal = show_refusal,
        .url = show_url,
        .link = show_link,
    };
}

void storefile_holds(struct storefile *file, struct store *store,
                     struct str expected)
{
    struct buf got;

    buf_init(&got, 1 << 20);
    const struct store_reader reader = storefile_show(&got);
    if (!store_load(store, &reader, &file->error))
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
