#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "archive/cdxj.h"
#include "archive/surt.h"
#include "base/mem.h"

enum { KEY_MAX = 256 << 10, LINE_MAX_LEN = 1 << 20 };

struct cdxj_sorter {
    sqlite3 *db;
    sqlite3_stmt *insert;
    struct buf ia, warcio; /* the two keys */
    struct buf line;
    uint64_t lines, bytes;
};

/* The database has no name: SQLite makes a file that nobody else can open, and
 * removes it. Nothing in it must survive, so nothing is synced. */
static bool open_database(struct cdxj_sorter *sorter)
{
    static const char setup[] = "PRAGMA journal_mode=OFF;"
                                "PRAGMA synchronous=OFF;"
                                "PRAGMA locking_mode=EXCLUSIVE;"
                                "PRAGMA temp_store=FILE;"
                                "PRAGMA page_size=32768;"
                                "PRAGMA cache_size=-16384;"
                                "CREATE TABLE line(bytes BLOB);"
                                "BEGIN";

    return sqlite3_open_v2("", &sorter->db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                               SQLITE_OPEN_NOMUTEX,
                           NULL) == SQLITE_OK &&
           sqlite3_exec(sorter->db, setup, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(sorter->db, "INSERT INTO line VALUES(?)", -1,
                              &sorter->insert, NULL) == SQLITE_OK;
}

struct cdxj_sorter *cdxj_sorter_new(void)
{
    struct cdxj_sorter *sorter = NEW(struct cdxj_sorter);

    buf_init(&sorter->ia, KEY_MAX);
    buf_init(&sorter->warcio, KEY_MAX);
    buf_init(&sorter->line, LINE_MAX_LEN);
    if (open_database(sorter))
        return sorter;
    cdxj_sorter_free(sorter);
    return NULL;
}

void cdxj_sorter_free(struct cdxj_sorter *sorter)
{
    if (!sorter)
        return;
    sqlite3_finalize(sorter->insert);
    sqlite3_close(sorter->db);
    buf_release(&sorter->ia);
    buf_release(&sorter->warcio);
    buf_release(&sorter->line);
    free(sorter);
}

static bool insert(struct cdxj_sorter *sorter, struct str key,
                   const struct cdxj_entry *entry)
{
    buf_clear(&sorter->line);
    errno = EFBIG;
    if (!cdxj_put(&sorter->line, key, entry))
        return false;
    sqlite3_bind_blob64(sorter->insert, 1, sorter->line.ptr, sorter->line.len,
                        SQLITE_STATIC);
    bool good = sqlite3_step(sorter->insert) == SQLITE_DONE;
    sqlite3_reset(sorter->insert);
    sorter->lines++;
    sorter->bytes += sorter->line.len;
    errno = ENOSPC;
    return good;
}

uint64_t cdxj_sorter_lines(const struct cdxj_sorter *sorter)
{
    return sorter->lines;
}

uint64_t cdxj_sorter_bytes(const struct cdxj_sorter *sorter)
{
    return sorter->bytes;
}

bool cdxj_sorter_add(struct cdxj_sorter *sorter, const struct cdxj_entry *entry)
{
    buf_clear(&sorter->ia);
    buf_clear(&sorter->warcio);
    errno = EFBIG;
    if (!surt_put_ia(&sorter->ia, entry->url) ||
        !surt_put_warcio(&sorter->warcio, entry->url) ||
        !insert(sorter, buf_str(&sorter->ia), entry))
        return false;
    return str_eq(buf_str(&sorter->ia), buf_str(&sorter->warcio)) ||
           insert(sorter, buf_str(&sorter->warcio), entry);
}

static struct str column(sqlite3_stmt *select)
{
    return (struct str){sqlite3_column_blob(select, 0),
                        (size_t)sqlite3_column_bytes(select, 0)};
}

bool cdxj_sorter_each(struct cdxj_sorter *sorter,
                      bool (*each)(void *user, struct str line), void *user)
{
    struct buf *last = &sorter->line;
    sqlite3_stmt *select;
    int got;
    bool good = true;

    if (sqlite3_prepare_v2(sorter->db, "SELECT bytes FROM line ORDER BY bytes",
                           -1, &select, NULL) != SQLITE_OK)
        return false;
    buf_clear(last);
    while (good && (got = sqlite3_step(select)) == SQLITE_ROW) {
        struct str line = column(select);
        if (str_eq(line, buf_str(last)))
            continue;
        buf_clear(last);
        good = buf_put(last, line) && each(user, line);
    }
    sqlite3_finalize(select);
    return good && got == SQLITE_DONE;
}
