#include "base/sorter.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/mem.h"

struct sorter {
    sqlite3 *db;
    sqlite3_stmt *insert, *select;
    bool failed;
    bool is_at_end; /* SQLite would begin again */
};

/* The database has no name: SQLite makes a file that nobody else can open, and
 * removes it. Nothing in it must survive, so nothing is synced. */
static const char setup[] = "PRAGMA journal_mode=OFF;"
                            "PRAGMA synchronous=OFF;"
                            "PRAGMA locking_mode=EXCLUSIVE;"
                            "PRAGMA temp_store=FILE;"
                            "PRAGMA page_size=32768;"
                            "PRAGMA cache_size=-16384;"
                            "CREATE TABLE added(bytes BLOB);"
                            "CREATE TABLE sorted(bytes BLOB);"
                            "BEGIN";

static bool prepare(struct sorter *sorter, sqlite3_stmt **stmt, const char *sql)
{
    return sqlite3_prepare_v2(sorter->db, sql, -1, stmt, NULL) == SQLITE_OK;
}

static bool run(struct sorter *sorter, const char *sql)
{
    return sqlite3_exec(sorter->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

struct sorter *sorter_new(void)
{
    struct sorter *sorter = NEW(struct sorter);

    if (sqlite3_open_v2("", &sorter->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                            SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK &&
        run(sorter, setup) &&
        prepare(sorter, &sorter->insert, "INSERT INTO added VALUES(?)"))
        return sorter;
    sorter_free(sorter);
    return NULL;
}

void sorter_free(struct sorter *sorter)
{
    if (!sorter)
        return;
    sqlite3_finalize(sorter->insert);
    sqlite3_finalize(sorter->select);
    sqlite3_close(sorter->db);
    free(sorter);
}

void sorter_add(struct sorter *sorter, struct str text)
{
    if (sorter->failed)
        return;
    sqlite3_bind_blob64(sorter->insert, 1, text.len ? text.ptr : "", text.len,
                        SQLITE_STATIC);
    sorter->failed = sqlite3_step(sorter->insert) != SQLITE_DONE;
    sqlite3_reset(sorter->insert);
}

bool sorter_failed(const struct sorter *sorter)
{
    return sorter->failed;
}

void sorter_read_once(struct sorter *sorter)
{
    if (!sorter->failed)
        sorter->failed = !prepare(sorter, &sorter->select,
                                  "SELECT bytes FROM added ORDER BY bytes");
}

/* They are sorted once, however often they are read. */
static bool sort(struct sorter *sorter)
{
    return run(sorter, "INSERT INTO sorted SELECT bytes FROM added"
                       " ORDER BY bytes") &&
           run(sorter, "DELETE FROM added") &&
           prepare(sorter, &sorter->select,
                   "SELECT bytes FROM sorted ORDER BY rowid");
}

void sorter_rewind(struct sorter *sorter)
{
    if (sorter->failed)
        return;
    sorter->is_at_end = false;
    if (sorter->select)
        sqlite3_reset(sorter->select);
    else
        sorter->failed = !sort(sorter);
}

bool sorter_next(struct sorter *sorter, struct str *text)
{
    if (sorter->failed || !sorter->select || sorter->is_at_end)
        return false;
    int got = sqlite3_step(sorter->select);
    if (got != SQLITE_ROW) {
        sorter->failed = got != SQLITE_DONE;
        sorter->is_at_end = true;
        return false;
    }
    *text = (struct str){sqlite3_column_blob(sorter->select, 0),
                         (size_t)sqlite3_column_bytes(sorter->select, 0)};
    return true;
}
