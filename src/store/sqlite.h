/* The functions that the files of the SQLite store share. Only those files
 * include this header.
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
#include "store/store_type.h"

/* Records of earlier versions have no seals. */
enum { SQLITE_SEALED_SINCE = 2 };

/* How far a kind has come: its last row, and the digest of all its rows. */
struct seal {
    uint64_t last;
    uint64_t digest;
};

struct sqlite_store {
    struct store base;
    sqlite3 *db;
    enum store_mode mode;
    int version;        /* of the file */
    char *where;        /* the page directory */
    bool aside;         /* it has not replaced the old record yet */
    bool is_on_disk;    /* with its name: a commit was synced */
    bool keeps_journal; /* the rows may be nowhere else */
    /* The directory and the file as they were when it was opened to be
     * written. SQLite's SQLITE_FCNTL_HAS_MOVED asks for the path, but a
     * directory may be moved with all that is in it. */
    int dir_fd; /* -1: only read, so it does not matter */
    struct stat file;
    uint64_t batches; /* committed so far */
    struct seal seal[ROW_KINDS];
    sqlite3_stmt *insert[ROW_KINDS]; /* NULL: not asked for yet */
    sqlite3_stmt *find_url;
    bool (*is_told)(void *user); /* see store_watch */
    void *told_user;
};

static inline struct sqlite_store *sqlite_of(struct store *store)
{
    return (struct sqlite_store *)(void *)store;
}

/* --- sqlite.c ----------------------------------------------------------- */

/* `format` is SQL. After a failure `error` says why. */
bool sqlite_run(struct sqlite_store *store, struct store_error *error,
                const char *format, ...) __attribute__((format(printf, 3, 4)));
sqlite3_stmt *sqlite_prepare(struct sqlite_store *store,
                             struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool sqlite_ask_number(struct sqlite_store *store, int64_t *out,
                       struct store_error *error, const char *sql);

/* True if there is a row. False at the end, or with `error` other than
 * STORE_OK. */
bool sqlite_step(struct sqlite_store *store, sqlite3_stmt *stmt,
                 struct store_error *error);

/* NULL stays NULL. */
struct str sqlite_text(sqlite3_stmt *stmt, int column);

/* Commit if all is good so far, or roll back. */
bool sqlite_end(struct sqlite_store *store, bool good,
                struct store_error *error);

/* False with `error` if another file is in its place, or none. */
bool sqlite_is_still_there(const struct sqlite_store *store,
                           struct store_error *error);

/* `.crawler`, or its name while it is aside. */
const char *sqlite_file_name(const struct sqlite_store *store);

/* --- sqlite_tables.c ---------------------------------------------------- */

/* "crwl": file(1) and other programs recognise a record by it. */
enum { SQLITE_FILE_ID = 0x6372776c };

/* Make all tables and views of a new file; or add what a file of an earlier
 * version lacks, or of a program with other codes. The caller has begun a
 * transaction. */
bool sqlite_create_tables(struct sqlite_store *store,
                          struct store_error *error);
bool sqlite_bring_up_to_date(struct sqlite_store *store,
                             struct store_error *error);

/* "CREATE TABLE url(...)" with the columns of this version. */
void sqlite_put_table(struct buf *sql, enum row_kind kind, int version);

/* "nesting INTEGER DEFAULT 0": a column that is added to an older table. */
void sqlite_put_new_column(struct buf *sql, const struct row_column *column);

/* The tables that hold no rows of a batch, by number from 0: the name, and the
 * text that makes it in a file of this version; "": it has none. */
const char *sqlite_other_table(size_t index);
const char *sqlite_other_table_text(size_t index, int version);

bool sqlite_is_own_view(const char *name);

/* "number, url, host_at, host_len, ..." of the file's version. */
void sqlite_put_columns(struct buf *sql, enum row_kind kind, int version);

/* The column that rows of the kind are ordered by. */
const char *sqlite_key_of(enum row_kind kind);

/* --- sqlite_schema.c ---------------------------------------------------- */

/* Every table of ours is as this program, or an earlier one, makes it, and
 * nothing else acts on it. To be called before anything is read. */
bool sqlite_check_schema(struct sqlite_store *store, struct store_error *error);

/* --- sqlite_write.c ----------------------------------------------------- */

/* All rows in one transaction, which is not on the disk yet. */
bool sqlite_put(struct sqlite_store *store,
                const struct store_batch *const *batch, size_t count,
                struct store_error *error);

/* The last seals of the file. */
bool sqlite_read_seals(struct sqlite_store *store, struct seal seal[ROW_KINDS],
                       struct store_error *error);

/* Seal the rows of version 1, which had no seals. */
bool sqlite_seal_all(struct sqlite_store *store, struct store_error *error);

/* The digest of all settings and names of codes, which are not only appended.
 * It is a setting itself, which no reader is shown. */
#define SQLITE_DIGEST_NAME "digest"
bool sqlite_write_settings_digest(struct sqlite_store *store,
                                  struct store_error *error);

/* --- sqlite_sync.c ------------------------------------------------------ */

/* How SQLite writes a record that is open. */
bool sqlite_set_up_syncs(struct sqlite_store *store, struct store_error *error);

bool sqlite_commit(struct store *store, const struct store_batch *const *batch,
                   size_t count, struct store_error *error);
/* Leave one file that can be copied and read anywhere. If another program reads
 * it just now, its journal stays, which is as good. */
void sqlite_leave_one_file(struct sqlite_store *store);

bool sqlite_commit_last(struct store *store,
                        const struct store_batch *const *batch, size_t count,
                        struct store_error *error);

/* --- sqlite_read.c ------------------------------------------------------ */

bool sqlite_load(struct store *store, unsigned slice,
                 const struct store_reader *reader, struct store_error *error);
bool sqlite_find_url(struct store *store, uint64_t number,
                     struct store_url *url);

/* Compute the seal of all rows of the kind. */
bool sqlite_seal_kind(struct sqlite_store *store, enum row_kind kind,
                      struct seal *seal, struct store_error *error);

/* --- checks: false with STORE_DAMAGED if something is not as written ----- */

bool sqlite_check_kind(struct sqlite_store *store, enum row_kind kind,
                       struct store_error *error);
bool sqlite_check_settings(struct sqlite_store *store,
                           struct store_error *error);
bool sqlite_check_views(struct sqlite_store *store, struct store_error *error);

/* All of the above, and the file (sqlite_check.c). */
bool sqlite_check(struct store *store,
                  void (*found)(void *user, const char *text), void *user,
                  struct store_error *error);

#endif
