/* What the files behind SQLite share; nobody else includes this.
 *
 * A record is the file `.crawler` in a page directory: a table for each kind
 * of row, keyed by nothing but the order of writing, so that a commit only
 * appends; a table `batch` with the digests; tables with the names of codes;
 * and views for people. */
#ifndef STORE_SQLITE_H
#define STORE_SQLITE_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "store/engine.h"

/* How far a kind has come: its last row, and the digest of all its rows. */
struct seal {
    uint64_t last;
    uint64_t digest;
};

/* Where a file was when it was opened. SQLite's SQLITE_FCNTL_HAS_MOVED asks for
 * the path, but a directory may be moved with all that is in it. */
struct sqlite_place {
    int dir_fd; /* -1: nobody asks */
    char *dir;  /* its path then */
    char *name; /* in there */
    struct stat file;
};

struct sqlite_store {
    struct store base;
    sqlite3 *db;
    enum store_mode mode;
    int version; /* of the file */
    char *where; /* the page directory */
    bool aside;  /* not in its place yet */
    struct sqlite_place place;
    uint64_t batches; /* committed so far */
    struct seal seal[ROW_KINDS];
    sqlite3_stmt *insert[ROW_KINDS]; /* NULL: not asked for yet */
    sqlite3_stmt *find_url;
};

static inline struct sqlite_store *sqlite_of(struct store *store)
{
    return (struct sqlite_store *)(void *)store;
}

/* --- sqlite.c ----------------------------------------------------------- */

void sqlite_fail(struct store_error *error, sqlite3 *db);
bool sqlite_run(struct sqlite_store *store, const char *sql,
                struct store_error *error);

/* False with `error` if another file is in its place, or none. */
bool sqlite_is_in_place(const struct sqlite_store *store,
                        struct store_error *error);

/* Forget prepared statements. */
void sqlite_finalize(struct sqlite_store *store);

/* --- sqlite_tables.c ---------------------------------------------------- */

/* "crwl": what file(1) and other programs tell it by. */
enum { SQLITE_FILE_ID = 0x6372776c };

/* Everything that a new file has, or what one of an earlier version lacks. In
 * a transaction of the caller's. */
bool sqlite_create_tables(struct sqlite_store *store,
                          struct store_error *error);
bool sqlite_migrate(struct sqlite_store *store, struct store_error *error);

/* What codes are called and how a URL ends with them, as this program has it.
 */
bool sqlite_add_codes(struct sqlite_store *store, struct store_error *error);
bool sqlite_has_codes(struct sqlite_store *store);

/* "number, url, host_at, host_len, ..." of the file's version. */
void sqlite_put_columns(struct buf *sql, enum row_kind kind, int version);

/* The column that rows of the kind are ordered by. */
const char *sqlite_key_of(enum row_kind kind);

/* Are the views as this program makes them? Calls `found` if not. */
bool sqlite_check_views(struct sqlite_store *store,
                        void (*found)(void *user, const char *text), void *user,
                        struct store_error *error);

/* --- sqlite_write.c ----------------------------------------------------- */

bool sqlite_commit(struct store *store, const struct store_batch *const *batch,
                   size_t count, struct store_error *error);

/* --- sqlite_read.c ------------------------------------------------------ */

bool sqlite_load(struct store *store, unsigned slice,
                 const struct store_reader *reader, struct store_error *error);
bool sqlite_find_url(struct store *store, uint64_t number,
                     struct store_url *url);

/* --- sqlite_seal.c: digests --------------------------------------------- */

/* The last seals of the file. */
bool sqlite_read_seals(struct sqlite_store *store, struct seal seal[ROW_KINDS],
                       struct store_error *error);

/* Those that differ from the store's go into the file. */
bool sqlite_write_seals(struct sqlite_store *store,
                        const struct seal seal[ROW_KINDS],
                        struct store_error *error);

/* Of all settings and names of codes, which are not only appended. It is a
 * setting itself, which no reader is shown. */
#define SQLITE_DIGEST_NAME "digest"
bool sqlite_write_settings_digest(struct sqlite_store *store,
                                  struct store_error *error);
bool sqlite_check_settings(struct sqlite_store *store,
                           struct store_error *error);

/* The seals of rows that were written without any. */
bool sqlite_seal_all(struct sqlite_store *store, struct store_error *error);

bool sqlite_check(struct store *store,
                  void (*found)(void *user, const char *text), void *user,
                  struct store_error *error);

/* --- sqlite_wal.c ------------------------------------------------------- */

/* Does the journal of that path hold no commit that SQLite passes over because
 * something before it is damaged? */
bool sqlite_wal_is_whole(const char *path);

/* --- cursors ------------------------------------------------------------ */

/* The rows of a kind, one after the other. */
struct sqlite_cursor {
    sqlite3_stmt *stmt;
    enum row_kind kind;
    uint64_t key; /* of the row */
    bool ended;
    union row_any row;
};

bool sqlite_begin(struct sqlite_store *store, struct sqlite_cursor *cursor,
                  enum row_kind kind, struct store_error *error);

/* False at the end, or with `error` other than STORE_OK. */
bool sqlite_next(struct sqlite_store *store, struct sqlite_cursor *cursor,
                 struct store_error *error);
void sqlite_end(struct sqlite_cursor *cursor);

#endif
