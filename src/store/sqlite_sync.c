#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/sqlite.h"

/* When a commit is on the disk.
 *
 * SQLite keeps the order of writes without which a power cut would damage a
 * record (synchronous = NORMAL), but it does not wait until a commit is on the
 * disk. That is done here, with one sync a commit: SQLite itself
 * (synchronous = FULL) takes three for the first commit, and syncs the journal
 * twice at the end. */

bool sqlite_set_up_syncs(struct sqlite_store *store, struct store_error *error)
{
    /* SQLite writes the file itself when the journal has grown, a few megabytes
     * at a time. Rows are only appended, so a small cache of pages does. */
    return sqlite_run(
        store, error,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -500");
}

/* Sync the file in the record's directory, or the file system if `name` is ".".
 * The directory may have been moved, so its path is not used. */
static bool sync_in(const struct sqlite_store *store, const char *name,
                    int (*sync)(int fd), struct store_error *error)
{
    int fd = openat(store->dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && !sync(fd);
    int why = errno;

    if (fd >= 0)
        close(fd);
    return good || store_fail(error, STORE_FAILED, "%s", strerror(why));
}

struct journal_name {
    char text[32];
};

static struct journal_name journal_of(const struct sqlite_store *store)
{
    struct journal_name name;

    snprintf(name.text, sizeof(name.text), "%s-wal", sqlite_file_name(store));
    return name;
}

/* The first time also the file itself, and the names of the file and of its
 * journal: one sync of the file system covers all. */
static bool sync_commit(struct sqlite_store *store, struct store_error *error)
{
    if (store->is_on_disk)
        return sync_in(store, journal_of(store).text, fdatasync, error);
    return store->is_on_disk = sync_in(store, ".", syncfs, error);
}

static bool has_empty_journal(const struct sqlite_store *store)
{
    struct stat st;

    return fstatat(store->dir_fd, journal_of(store).text, &st,
                   AT_SYMLINK_NOFOLLOW) ||
           !st.st_size;
}

/* SQLite syncs the head of the journal before it writes rows behind it, so that
 * after a power cut no older rows there count again. An empty journal has none,
 * so the first commit is spared that. */
static bool put_first(struct sqlite_store *store,
                      const struct store_batch *const *batch, size_t count,
                      struct store_error *error)
{
    struct store_error ignored;

    /* Without syncs SQLite must not write the file itself. */
    bool good = sqlite_run(store, error,
                           "PRAGMA wal_autocheckpoint = 0;"
                           "PRAGMA synchronous = OFF") &&
                sqlite_put(store, batch, count, error);
    return sqlite_set_up_syncs(store, good ? error : &ignored) && good;
}

bool sqlite_commit(struct store *base, const struct store_batch *const *batch,
                   size_t count, struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);
    bool first = !store->is_on_disk && has_empty_journal(store);

    return (first ? put_first : sqlite_put)(store, batch, count, error) &&
           sync_commit(store, error);
}

/* The journal is on the disk, so SQLite need not sync it again before it copies
 * the rows to the file. A reader may keep it from copying all of them: then the
 * journal stays, which is as good. */
static bool copy_journal(struct sqlite_store *store, struct store_error *error)
{
    sqlite3_file *file = NULL;

    sqlite3_exec(store->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
                              NULL);
    bool good =
        sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER,
                             &file) == SQLITE_OK &&
        file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
    sqlite3_exec(store->db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    if (good)
        return true;
    /* The rows are in the journal still. */
    store->keeps_journal = true;
    return store_fail(error, STORE_FAILED, "its file cannot be synced");
}

bool sqlite_commit_last(struct store *base,
                        const struct store_batch *const *batch, size_t count,
                        struct store_error *error)
{
    return sqlite_commit(base, batch, count, error) &&
           copy_journal(sqlite_of(base), error);
}

/* All rows are in the file itself and on the disk after the checkpoint, so a
 * change of the mode may be lost without harm. A program that was killed in
 * that change left a journal that says nothing; SQLite removes it only when it
 * comes from a mode that keeps one. */
void sqlite_leave_one_file(struct sqlite_store *store)
{
    sqlite3_busy_timeout(store->db, 0);
    if (sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                  NULL, NULL) == SQLITE_OK)
        sqlite3_exec(store->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    sqlite3_exec(store->db,
                 "PRAGMA journal_mode = DELETE;"
                 "PRAGMA journal_mode = PERSIST;"
                 "PRAGMA journal_mode = DELETE",
                 NULL, NULL, NULL);
}
