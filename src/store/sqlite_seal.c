#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "store/sqlite.h"

/* Seals: after each commit the table `batch` says, for each kind that has new
 * rows, which is the last of them and what the digest of all of them is. */

/* --- reading ------------------------------------------------------------ */

static int kind_named(const char *name)
{
    for (int kind = 0; kind < ROW_KINDS; kind++)
        if (name && !strcmp(name, row_description[kind].name))
            return kind;
    return -1;
}

/* A row of `batch`. False at the end, or with `error` other than STORE_OK. */
static bool next_seal(struct sqlite_store *store, sqlite3_stmt *stmt, int *kind,
                      struct seal *seal, uint64_t *batch,
                      struct store_error *error)
{
    int code = sqlite3_step(stmt);

    error->status = STORE_OK;
    if (code == SQLITE_DONE)
        return false;
    if (code != SQLITE_ROW) {
        sqlite_fail(error, store->db);
        return false;
    }
    *batch = (uint64_t)sqlite3_column_int64(stmt, 0);
    *kind = kind_named((const char *)sqlite3_column_text(stmt, 1));
    seal->last = (uint64_t)sqlite3_column_int64(stmt, 2);
    seal->digest = (uint64_t)sqlite3_column_int64(stmt, 3);
    if (*kind >= 0)
        return true;
    store_fail(error, STORE_DAMAGED, "a row of batch that cannot be");
    return false;
}

static const char select_seals[] =
    "SELECT batch, kind, last, digest FROM batch ORDER BY place";

bool sqlite_read_seals(struct sqlite_store *store, struct seal seal[ROW_KINDS],
                       struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    struct seal next;
    int kind;

    memset(seal, 0, ROW_KINDS * sizeof(*seal));
    if (sqlite3_prepare_v2(store->db, select_seals, -1, &stmt, NULL) !=
        SQLITE_OK) {
        sqlite_fail(error, store->db);
        return false;
    }
    while (next_seal(store, stmt, &kind, &next, &store->batches, error))
        seal[kind] = next;
    sqlite3_finalize(stmt);
    return error->status == STORE_OK;
}

/* --- writing ------------------------------------------------------------ */

bool sqlite_write_seals(struct sqlite_store *store,
                        const struct seal seal[ROW_KINDS],
                        struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good = sqlite3_prepare_v2(store->db,
                                   "INSERT INTO batch VALUES(NULL, ?, ?, ?, ?)",
                                   -1, &stmt, NULL) == SQLITE_OK;

    store->batches++;
    for (int kind = 0; kind < ROW_KINDS && good; kind++) {
        if (seal[kind].last == store->seal[kind].last)
            continue;
        sqlite3_bind_int64(stmt, 1, (int64_t)store->batches);
        sqlite3_bind_text(stmt, 2, row_description[kind].name, -1,
                          SQLITE_STATIC);
        sqlite3_bind_int64(stmt, 3, (int64_t)seal[kind].last);
        sqlite3_bind_int64(stmt, 4, (int64_t)seal[kind].digest);
        good = sqlite3_step(stmt) == SQLITE_DONE;
        sqlite3_reset(stmt);
    }
    if (!good)
        sqlite_fail(error, store->db);
    sqlite3_finalize(stmt);
    return good;
}

bool sqlite_seal_all(struct sqlite_store *store, struct store_error *error)
{
    struct seal seal[ROW_KINDS] = {0};
    struct sqlite_cursor cursor;
    bool good = true;

    for (int kind = 0; kind < ROW_KINDS && good; kind++) {
        if (kind == ROW_setting)
            continue;
        good = sqlite_begin(store, &cursor, (enum row_kind)kind, error);
        while (good && sqlite_next(store, &cursor, error)) {
            seal[kind].last = cursor.key;
            seal[kind].digest =
                row_digest(seal[kind].digest, (enum row_kind)kind, &cursor.row);
        }
        sqlite_end(&cursor);
        good = good && error->status == STORE_OK;
    }
    memset(store->seal, 0, sizeof(store->seal));
    return good && sqlite_write_seals(store, seal, error);
}

/* --- settings ----------------------------------------------------------- */

/* Settings are replaced, so their digest is of all as they are now; the names
 * of codes, which may be added to, go with them. */
static bool settings_digest(struct sqlite_store *store, uint64_t *digest,
                            struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(
        store->db,
        "SELECT name, value, NULL FROM setting WHERE name <> "
        "'" SQLITE_DIGEST_NAME
        "' UNION ALL SELECT * FROM (SELECT code, name, ends FROM verdict "
        "ORDER BY code) UNION ALL SELECT * FROM (SELECT code, name, ends FROM "
        "outcome ORDER BY code)",
        -1, &stmt, NULL);

    *digest = 0;
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
            for (int i = 0; i < 3; i++) {
                const char *text = (const char *)sqlite3_column_text(stmt, i);
                size_t len = (size_t)sqlite3_column_bytes(stmt, i);
                *digest = hash64((struct str){text, text ? len : 0},
                                 *digest + (text ? 1 : 0));
            }
    if (code != SQLITE_DONE)
        sqlite_fail(error, store->db);
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE;
}

bool sqlite_write_settings_digest(struct sqlite_store *store,
                                  struct store_error *error)
{
    uint64_t digest;
    char sql[128];

    if (!settings_digest(store, &digest, error))
        return false;
    snprintf(sql, sizeof(sql),
             "INSERT OR REPLACE INTO setting VALUES('" SQLITE_DIGEST_NAME
             "', '%016" PRIx64 "')",
             digest);
    return sqlite_run(store, sql, error);
}

bool sqlite_check_settings(struct sqlite_store *store,
                           struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    char expected[24];
    uint64_t digest;
    bool same = false;

    if (!settings_digest(store, &digest, error))
        return false;
    snprintf(expected, sizeof(expected), "%016" PRIx64, digest);
    if (sqlite3_prepare_v2(store->db,
                           "SELECT value FROM setting WHERE name = "
                           "'" SQLITE_DIGEST_NAME "'",
                           -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);
        same = text && !strcmp(text, expected);
    }
    sqlite3_finalize(stmt);
    if (!same)
        store_fail(error, STORE_DAMAGED,
                   "the settings are not as they were written");
    return same;
}

/* --- is all as it was written? ------------------------------------------ */

struct checking {
    struct sqlite_store *store;
    void (*found)(void *user, const char *text);
    void *user;
};

static void tell(const struct checking *checking, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(const struct checking *checking, const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    checking->found(checking->user, text);
}

/* Follow the rows of a kind up to the last of a commit. The last commit must
 * be followed by no row. True if the digest fits. */
static bool follow(const struct checking *checking,
                   struct sqlite_cursor *cursor, bool *pending,
                   struct seal *seal, uint64_t last, struct store_error *error)
{
    struct sqlite_store *store = checking->store;

    for (;;) {
        if (!*pending && !sqlite_next(store, cursor, error))
            return seal->last == last;
        *pending = cursor->key > last;
        if (*pending)
            return seal->last == last;
        seal->last = cursor->key;
        seal->digest = row_digest(seal->digest, cursor->kind, &cursor->row);
    }
}

/* Every commit's digest of one kind, until the first that does not fit: those
 * after it depend on it. */
static bool check_kind(const struct checking *checking, enum row_kind kind,
                       struct store_error *error)
{
    struct sqlite_store *store = checking->store;
    const char *name = row_description[kind].name;
    struct sqlite_cursor cursor;
    struct seal seal = {0}, next;
    sqlite3_stmt *stmt = NULL;
    bool pending = false, good = true;
    uint64_t batch = 0;
    int found;

    if (!sqlite_begin(store, &cursor, kind, error) ||
        sqlite3_prepare_v2(store->db, select_seals, -1, &stmt, NULL) !=
            SQLITE_OK) {
        sqlite_fail(error, store->db);
        sqlite_end(&cursor);
        return false;
    }
    while (good && next_seal(store, stmt, &found, &next, &batch, error)) {
        if (found != (int)kind)
            continue;
        good = follow(checking, &cursor, &pending, &seal, next.last, error) &&
               seal.digest == next.digest;
        if (error->status != STORE_OK)
            break;
        if (!good)
            tell(checking,
                 "rows of %s of commit %llu are not as they were written", name,
                 (unsigned long long)batch);
    }
    if (good && error->status == STORE_OK &&
        (pending || sqlite_next(store, &cursor, error)))
        tell(checking, "there are more rows of %s than were committed", name);
    if (error->status == STORE_DAMAGED)
        tell(checking, "%s", error->text);
    sqlite3_finalize(stmt);
    sqlite_end(&cursor);
    return error->status == STORE_OK || error->status == STORE_DAMAGED;
}

/* Of a report such as "*** in database main ***\nPage 5: ..." the first line
 * that says something. */
static struct str first_finding(struct str report)
{
    struct str_pair lines = str_cut(report, '\n');

    while (lines.tail.len && str_starts(lines.head, STR("***")))
        lines = str_cut(lines.tail, '\n');
    return lines.head;
}

static bool check_file(const struct checking *checking,
                       struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(checking->store->db,
                                  "PRAGMA integrity_check(1)", -1, &stmt, NULL);
    struct str report = {0};

    if (code == SQLITE_OK)
        code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        report = str_of((const char *)sqlite3_column_text(stmt, 0));
    bool good = str_eq(report, STR("ok"));
    if (report.len && !good) {
        struct str finding = first_finding(report);
        tell(checking, "the state is damaged: %.*s", (int)finding.len,
             finding.ptr);
    } else if (!good) {
        sqlite_fail(error, checking->store->db);
        if (error->status == STORE_DAMAGED)
            tell(checking, "the state is damaged: %s", error->text);
    }
    sqlite3_finalize(stmt);
    return good || report.len || error->status == STORE_DAMAGED;
}

static void check_wal(const struct checking *checking)
{
    const char *path = sqlite3_db_filename(checking->store->db, "main");
    char name[4200];

    snprintf(name, sizeof(name), "%s-wal", path ? path : "");
    if (!sqlite_wal_is_whole(name))
        tell(checking, "the journal of the state is damaged: commits are lost");
}

static bool check_all(const struct checking *checking,
                      struct store_error *error)
{
    struct sqlite_store *store = checking->store;

    if (store->version < STORE_VERSION)
        return true; /* it will be sealed when a crawl goes on with it */
    if (!sqlite_check_views(store, checking->found, checking->user, error))
        return false;
    if (!sqlite_check_settings(store, error)) {
        if (error->status != STORE_DAMAGED)
            return false;
        tell(checking, "%s", error->text);
    }
    for (int kind = 0; kind < ROW_KINDS; kind++)
        if (kind != ROW_setting &&
            !check_kind(checking, (enum row_kind)kind, error))
            return false;
    return true;
}

bool sqlite_check(struct store *base,
                  void (*found)(void *user, const char *text), void *user,
                  struct store_error *error)
{
    const struct checking checking = {sqlite_of(base), found, user};

    check_wal(&checking);
    if (!check_file(&checking, error))
        return false;
    sqlite3_exec(checking.store->db, "BEGIN", NULL, NULL, NULL);
    bool good = check_all(&checking, error);
    sqlite3_exec(checking.store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}
