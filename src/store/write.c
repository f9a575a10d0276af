#include "store/internal.h"

/* A commit: every row of the batch through its statement, all in one
 * transaction. */

static const char *const insert_sql[] = {
    [INSERT_SETTING] = "INSERT OR REPLACE INTO setting VALUES(?, ?)",
    [INSERT_SEED] = "INSERT INTO seed VALUES(NULL, ?, ?)",
    [INSERT_URL] = "INSERT INTO url VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                   "?, ?, ?)",
    [INSERT_CHANGE] = "INSERT INTO change VALUES(NULL, ?, ?, ?, ?)",
    [INSERT_FETCH] = "INSERT INTO fetch VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?, "
                     "?, ?, ?, ?)",
    [INSERT_REFUSAL] = "INSERT INTO refusal VALUES(NULL, ?, ?, ?, ?, ?)",
    [INSERT_ROBOTS] = "INSERT INTO robots VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, "
                      "?, ?, ?, ?)",
    [INSERT_HOST] = "INSERT INTO host VALUES(NULL, ?, ?, ?, ?, ?, ?)",
    [INSERT_DOMAIN] = "INSERT INTO domain VALUES(NULL, ?, ?)",
    [INSERT_LINK] = "INSERT INTO link VALUES(NULL, ?, ?, ?, ?, ?)",
};

bool store_prepare(struct store *store, struct store_error *error)
{
    for (size_t i = 0; i < INSERTS; i++) {
        if (sqlite3_prepare_v3(store->db, insert_sql[i], -1,
                               SQLITE_PREPARE_PERSISTENT, &store->insert[i],
                               NULL) != SQLITE_OK) {
            store_fail_sqlite(error, store->db);
            return false;
        }
    }
    return true;
}

/* Values go into a statement one after the other; what fails shows when the
 * row is written. */
struct row {
    sqlite3_stmt *stmt;
    int at;
};

static struct row row_of(struct store *store, enum insert insert)
{
    return (struct row){store->insert[insert], 1};
}

static void put_int(struct row *row, uint64_t value)
{
    sqlite3_bind_int64(row->stmt, row->at++, (int64_t)value);
}

static void put_text(struct row *row, struct str text)
{
    sqlite3_bind_text(row->stmt, row->at++, text.ptr, (int)text.len,
                      SQLITE_STATIC);
}

static bool write_row(struct row *row)
{
    int code = sqlite3_step(row->stmt);

    sqlite3_reset(row->stmt);
    return code == SQLITE_DONE;
}

static bool put_setting(struct store *store, const void *item)
{
    const struct store_setting *setting = item;
    struct row row = row_of(store, INSERT_SETTING);

    put_text(&row, setting->name);
    put_text(&row, setting->value);
    return write_row(&row);
}

static bool put_seed(struct store *store, const void *item)
{
    const struct store_seed *seed = item;
    struct row row = row_of(store, INSERT_SEED);

    put_text(&row, seed->url);
    put_int(&row, seed->named);
    return write_row(&row);
}

static void put_part(struct row *row, struct str whole, struct str part)
{
    put_int(row, (uint64_t)(part.ptr - whole.ptr));
    put_int(row, part.len);
}

static bool put_url(struct store *store, const void *item)
{
    const struct store_url *url = item;
    struct row row = row_of(store, INSERT_URL);

    put_int(&row, url->number);
    put_text(&row, url->url);
    put_part(&row, url->url, url->host);
    put_part(&row, url->url, url->domain);
    put_int(&row, url->depth);
    put_int(&row, url->referrer);
    put_int(&row, url->found);
    put_int(&row, url->kind);
    put_int(&row, url->verdict);
    put_int(&row, url->redirects);
    put_int(&row, url->line);
    put_int(&row, url->via);
    return write_row(&row);
}

static bool put_change(struct store *store, const void *item)
{
    const struct store_change *change = item;
    struct row row = row_of(store, INSERT_CHANGE);

    put_int(&row, change->number);
    put_int(&row, change->depth);
    put_int(&row, change->referrer);
    put_int(&row, change->found);
    return write_row(&row);
}

static bool put_fetch(struct store *store, const void *item)
{
    const struct store_fetch *fetch = item;
    struct row row = row_of(store, INSERT_FETCH);

    put_int(&row, fetch->number);
    put_int(&row, fetch->page);
    put_int(&row, fetch->status);
    put_int(&row, fetch->outcome);
    put_text(&row, fetch->mime);
    put_int(&row, fetch->size);
    put_int(&row, fetch->digest);
    put_int(&row, fetch->start_ms);
    put_int(&row, fetch->end_ms);
    put_int(&row, fetch->pause_ms);
    put_int(&row, fetch->due_ms);
    put_text(&row, fetch->target);
    return write_row(&row);
}

static bool put_refusal(struct store *store, const void *item)
{
    const struct store_refusal *refusal = item;
    struct row row = row_of(store, INSERT_REFUSAL);

    put_int(&row, refusal->number);
    put_int(&row, refusal->verdict);
    put_int(&row, refusal->outcome);
    put_int(&row, refusal->line);
    put_int(&row, refusal->at_ms);
    return write_row(&row);
}

static bool put_robots(struct store *store, const void *item)
{
    const struct store_robots *robots = item;
    struct row row = row_of(store, INSERT_ROBOTS);

    put_text(&row, robots->host);
    put_text(&row, robots->url);
    put_int(&row, robots->https);
    put_int(&row, robots->known);
    put_int(&row, robots->outcome);
    put_int(&row, robots->status);
    put_int(&row, robots->start_ms);
    put_int(&row, robots->end_ms);
    put_int(&row, robots->pause_ms);
    put_int(&row, robots->until_ms);
    put_text(&row, robots->text);
    return write_row(&row);
}

static bool put_host(struct store *store, const void *item)
{
    const struct store_host *host = item;
    struct row row = row_of(store, INSERT_HOST);

    put_text(&row, host->name);
    put_int(&row, host->failures);
    put_int(&row, host->mute);
    put_int(&row, host->given_up);
    put_int(&row, host->outcome);
    put_int(&row, host->until_ms);
    return write_row(&row);
}

static bool put_domain(struct store *store, const void *item)
{
    const struct store_domain *domain = item;
    struct row row = row_of(store, INSERT_DOMAIN);

    put_text(&row, domain->name);
    put_int(&row, domain->found);
    return write_row(&row);
}

static bool put_link(struct store *store, const void *item)
{
    const struct store_link *link = item;
    struct row row = row_of(store, INSERT_LINK);

    put_int(&row, link->page);
    put_int(&row, link->verdict);
    put_text(&row, link->url);
    put_text(&row, link->text);
    put_text(&row, link->rel);
    return write_row(&row);
}

static bool put_rows(struct store *store, const struct store_rows *rows,
                     size_t size, bool (*put)(struct store *, const void *))
{
    const char *item = rows->item;

    for (size_t i = 0; i < rows->count; i++)
        if (!put(store, item + i * size))
            return false;
    return true;
}

static bool put_batch(struct store *store, const struct store_batch *batch)
{
    return put_rows(store, &batch->settings, sizeof(struct store_setting),
                    put_setting) &&
           put_rows(store, &batch->seeds, sizeof(struct store_seed),
                    put_seed) &&
           put_rows(store, &batch->urls, sizeof(struct store_url), put_url) &&
           put_rows(store, &batch->changes, sizeof(struct store_change),
                    put_change) &&
           put_rows(store, &batch->fetches, sizeof(struct store_fetch),
                    put_fetch) &&
           put_rows(store, &batch->refusals, sizeof(struct store_refusal),
                    put_refusal) &&
           put_rows(store, &batch->robots, sizeof(struct store_robots),
                    put_robots) &&
           put_rows(store, &batch->hosts, sizeof(struct store_host),
                    put_host) &&
           put_rows(store, &batch->domains, sizeof(struct store_domain),
                    put_domain) &&
           put_rows(store, &batch->links, sizeof(struct store_link), put_link);
}

static bool run(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

bool store_commit(struct store *store, const struct store_batch *batch,
                  struct store_error *error)
{
    /* SQLite would go on to write into a file that nobody can find again. */
    if (!store_is_in_place(store, error))
        return false;
    if (run(store, "BEGIN IMMEDIATE") && put_batch(store, batch) &&
        run(store, "COMMIT"))
        return true;
    store_fail_sqlite(error, store->db);
    if (!sqlite3_get_autocommit(store->db))
        run(store, "ROLLBACK");
    return false;
}
