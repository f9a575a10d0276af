#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    BUSY_MS = 10000,
    PATH_ROOM = PATH_MAX + 32,
    NOTE_MAX = 512, /* larger, it may be a damaged record */
    LENGTH_MAX = 64 * 1024 * 1024,
};

/* The file that marks a page directory: the record, or empty. */
#define FILE_NAME ".crawler"
/* A new record that has not replaced the old one yet. The name begins like
 * those of all temporary files, so that the next crawl removes it if this one
 * is killed. */
#define ASIDE_NAME ".crawler-tmp-state"

static void put_path(char path[PATH_ROOM], const char *where, const char *name)
{
    snprintf(path, PATH_ROOM, "%s/%s", where, name);
}

/* --- SQL ---------------------------------------------------------------- */

/* Where SQLite says "I/O error", the system's own text says more. */
static bool fail(struct store_error *error, sqlite3 *db)
{
    int code = sqlite3_errcode(db);
    int why = code == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(db);
    bool damaged =
        code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
    bool system = (code == SQLITE_FULL || code == SQLITE_IOERR ||
                   code == SQLITE_CANTOPEN) &&
                  why;

    return store_fail(error, damaged ? STORE_DAMAGED : STORE_FAILED, "%s",
                      system                    ? strerror(why)
                      : code == SQLITE_READONLY ? "it cannot be written"
                                                : sqlite3_errmsg(db));
}

static char *format_sql(const char *format, va_list args)
{
    char *sql = NULL;

    return mem_checked(vasprintf(&sql, format, args) < 0 ? NULL : sql);
}

bool sqlite_run(struct sqlite_store *store, struct store_error *error,
                const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *sql = format_sql(format, args);
    va_end(args);
    bool good = sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    free(sql);
    return good || fail(error, store->db);
}

sqlite3_stmt *sqlite_prepare(struct sqlite_store *store,
                             struct store_error *error, const char *format, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list args;

    va_start(args, format);
    char *sql = format_sql(format, args);
    va_end(args);
    if (sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail(error, store->db);
    free(sql);
    return stmt;
}

bool sqlite_step(struct sqlite_store *store, sqlite3_stmt *stmt,
                 struct store_error *error)
{
    int code = sqlite3_step(stmt);

    error->status = STORE_OK;
    return code == SQLITE_ROW ||
           (code != SQLITE_DONE && fail(error, store->db));
}

bool sqlite_ask_number(struct sqlite_store *store, int64_t *out,
                       struct store_error *error, const char *sql)
{
    sqlite3_stmt *stmt = sqlite_prepare(store, error, "%s", sql);
    bool good = stmt && sqlite_step(store, stmt, error);

    if (good)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return good;
}

/* A text that damage has turned into a BLOB has the same bytes, but SQL, and so
 * the views, take it for something else: it counts as missing. */
struct str sqlite_text(sqlite3_stmt *stmt, int column)
{
    if (sqlite3_column_type(stmt, column) == SQLITE_BLOB)
        return (struct str){0};
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    return (struct str){text, (size_t)sqlite3_column_bytes(stmt, column)};
}

/* --- what is there ------------------------------------------------------ */

static bool fail_by_errno(struct store_error *error, enum store_status status)
{
    return store_fail(error, status, "%s", strerror(errno));
}

/* A link or a pipe of that name is not ours, and opening it may do harm. */
static bool is_database(const char *path, struct store_error *error)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof(magic)];
    struct stat st;

    if (lstat(path, &st))
        return fail_by_errno(error,
                             errno == ENOENT ? STORE_NONE : STORE_FAILED);
    if (!S_ISREG(st.st_mode))
        return store_fail(error, STORE_FOREIGN, "not a file");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t len = fd < 0 ? -1 : read(fd, head, sizeof(head));
    if (len < 0)
        fail_by_errno(error, STORE_FAILED);
    else if (!len)
        store_fail(error, STORE_EMPTY, "empty");
    else if (len == sizeof(head) && !memcmp(head, magic, sizeof(head)))
        error->status = STORE_OK;
    else
        /* A few bytes that begin otherwise are not a damaged record. */
        store_fail(error,
                   st.st_size <= NOTE_MAX &&
                           memcmp(head, magic, len < 10 ? (size_t)len : 10) != 0
                       ? STORE_NOTE
                       : STORE_FOREIGN,
                   "not the state of a crawl");
    if (fd >= 0)
        close(fd);
    return error->status == STORE_OK;
}

static bool is_ours(struct sqlite_store *store, struct store_error *error)
{
    int64_t id, version, tables;

    if (!sqlite_ask_number(store, &id, error, "PRAGMA application_id") ||
        !sqlite_ask_number(store, &version, error, "PRAGMA user_version") ||
        !sqlite_ask_number(store, &tables, error,
                           "SELECT count(*) FROM sqlite_master"))
        return false;
    store->version = (int)version;
    if (!tables)
        return store_fail(error, STORE_EMPTY, "empty");
    if (id != SQLITE_FILE_ID)
        return store_fail(error, STORE_FOREIGN, "not the state of a crawl");
    if (version > STORE_VERSION)
        return store_fail(error, STORE_NEWER,
                          "written by a newer version of this program (format "
                          "%lld, not %d)",
                          (long long)version, STORE_VERSION);
    if (version < 1)
        return store_fail(error, STORE_DAMAGED,
                          "format %lld, which there never was",
                          (long long)version);
    return sqlite_check_schema(store, error);
}

/* --- is the file still there? ------------------------------------------- */

const char *sqlite_file_name(const struct sqlite_store *store)
{
    return store->aside ? ASIDE_NAME : FILE_NAME;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static bool note_file(struct sqlite_store *store, struct store_error *error)
{
    store->dir_fd = open(store->where, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return (store->dir_fd >= 0 &&
            !fstatat(store->dir_fd, sqlite_file_name(store), &store->file,
                     AT_SYMLINK_NOFOLLOW)) ||
           fail_by_errno(error, STORE_FAILED);
}

static void forget_file(struct sqlite_store *store)
{
    if (store->dir_fd >= 0)
        close(store->dir_fd);
    store->dir_fd = -1;
}

bool sqlite_is_still_there(const struct sqlite_store *store,
                           struct store_error *error)
{
    struct stat st;

    return store->dir_fd < 0 ||
           (!fstatat(store->dir_fd, sqlite_file_name(store), &st,
                     AT_SYMLINK_NOFOLLOW) &&
            is_same(&st, &store->file)) ||
           store_fail(error, STORE_FAILED,
                      "it was removed or replaced while the crawl was running");
}

static bool has_moved(const struct sqlite_store *store)
{
    struct stat then, now;

    return store->dir_fd >= 0 && !fstat(store->dir_fd, &then) &&
           (stat(store->where, &now) || !is_same(&then, &now));
}

/* --- opening ------------------------------------------------------------ */

static struct sqlite_store *new_store(const char *where, enum store_mode mode,
                                      const struct store_codes *codes)
{
    struct sqlite_store *store = NEW(struct sqlite_store);

    store->base.type = &store_sqlite;
    store->base.codes = codes;
    store->mode = mode;
    store->where = mem_checked(strdup(where));
    store->dir_fd = -1;
    store->version = STORE_VERSION;
    return store;
}

static bool open_file(struct sqlite_store *store, const char *path, int flags,
                      struct store_error *error)
{
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return fail(error, store->db);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    /* Nothing in the file may act (sqlite_schema.c), nor choose how much memory
     * a row takes. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    return true;
}

static bool set_up_to_write(struct sqlite_store *store,
                            struct store_error *error)
{
    return sqlite_set_up_syncs(store, error) &&
           sqlite_run(store, error, "BEGIN IMMEDIATE") &&
           sqlite_end(store, sqlite_bring_up_to_date(store, error), error) &&
           sqlite_read_seals(store, store->seal, error) &&
           note_file(store, error);
}

static bool open_for(struct sqlite_store *store, struct store_error *error)
{
    bool writes = store->mode == STORE_WRITE;
    char path[PATH_ROOM];

    put_path(path, store->where, sqlite_file_name(store));
    return is_database(path, error) &&
           open_file(store, path,
                     writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY,
                     error) &&
           is_ours(store, error) && (!writes || set_up_to_write(store, error));
}

/* Files that SQLite keeps beside its own: the first two hold rows that are not
 * in the file itself yet, or half of a change to it. */
static const char *const journals[] = {"-wal", "-journal", "-shm"};

/* Is one of the first `count` there, with at least that many bytes? */
static bool has_beside(const char *path, size_t count, off_t size)
{
    char name[PATH_ROOM + 16];
    struct stat st;
    bool has = false;

    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%s%s", path, journals[i]);
        has |= !stat(name, &st) && st.st_size >= size;
    }
    return has;
}

static bool has_journal(const char *path)
{
    return has_beside(path, 2, 1);
}

static void remove_journals(const char *path)
{
    char name[PATH_ROOM + 16];

    for (size_t i = 0; i < ARRAY_LEN(journals); i++) {
        snprintf(name, sizeof(name), "%s%s", path, journals[i]);
        unlink(name);
    }
}

/* Open a record in a directory that cannot be written. No crawl can run there,
 * which SQLite must be told (`immutable`); it ignores the journal then. */
static bool open_still(struct sqlite_store *store, struct store_error *error)
{
    char path[PATH_ROOM];
    struct buf name;

    put_path(path, store->where, FILE_NAME);
    if (has_journal(path))
        return store_fail(error, STORE_FAILED,
                          "its crawl was killed, and what it wrote last can be "
                          "read only where the directory can be written, or in "
                          "a copy");
    buf_init(&name, 4 * sizeof(path));
    buf_put(&name, STR("file:"));
    for (const char *at = path; *at; at++)
        buf_printf(&name, strchr("%?#", *at) ? "%%%02x" : "%c", *at);
    buf_put(&name, STR("?immutable=1"));
    sqlite3_close(store->db);
    store->db = NULL;
    bool good = open_file(store, buf_cstr(&name),
                          SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error) &&
                is_ours(store, error);
    buf_release(&name);
    return good;
}

static void tidy(const char *where);

/* A crawl that was killed while SQLite wrote the file itself left a journal to
 * undo that. Somebody who only reads cannot do so. */
static bool open_again(struct sqlite_store *store, struct store_error *error)
{
    sqlite3_close(store->db);
    store->db = NULL;
    tidy(store->where);
    return open_for(store, error) || (error->status == STORE_FAILED &&
                                      store->db && open_still(store, error));
}

static struct store *open_store(const char *where, enum store_mode mode,
                                const struct store_codes *codes,
                                struct store_error *error)
{
    struct sqlite_store *store = new_store(where, mode, codes);

    if (open_for(store, error) ||
        (mode == STORE_READ && error->status == STORE_FAILED && store->db &&
         open_again(store, error)))
        return &store->base;
    store_close(&store->base);
    return NULL;
}

/* --- closing ------------------------------------------------------------ */

/* If the directory was moved, leave everything: another crawl may be at its
 * path. */
static void close_file(struct sqlite_store *store)
{
    for (size_t i = 0; i < ARRAY_LEN(store->insert); i++) {
        sqlite3_finalize(store->insert[i]);
        store->insert[i] = NULL;
    }
    sqlite3_finalize(store->find_url);
    store->find_url = NULL;
    if (store->keeps_journal)
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    else if (store->db && store->mode == STORE_WRITE && !has_moved(store))
        sqlite_leave_one_file(store);
    sqlite3_close(store->db);
    store->db = NULL;
}

static void remove_file(const char *where, const char *name)
{
    char path[PATH_ROOM];

    put_path(path, where, name);
    remove_journals(path);
    unlink(path);
}

static void close_store(struct store *base)
{
    struct sqlite_store *store = sqlite_of(base);
    bool moved = has_moved(store);

    close_file(store);
    if (store->aside && !moved)
        remove_file(store->where, ASIDE_NAME);
    forget_file(store);
    free(store->where);
    free(store);
}

/* Only the rows of the journal are written to the file. */
static void tidy(const char *where)
{
    struct sqlite_store *store;
    struct store_error error;
    char path[PATH_ROOM];

    put_path(path, where, FILE_NAME);
    if (!has_beside(path, ARRAY_LEN(journals), 0) || !is_database(path, &error))
        return;
    store = new_store(where, STORE_READ, NULL);
    if (open_file(store, path, SQLITE_OPEN_READWRITE, &error) &&
        is_ours(store, &error))
        store->mode = STORE_WRITE;
    store_close(&store->base);
}

/* --- a new one ---------------------------------------------------------- */

/* Nobody knows of the file yet, so it need not be on the disk before it is
 * complete. */
static bool fill(struct sqlite_store *store, const struct store_batch *first,
                 struct store_error *error)
{
    return sqlite_run(store, error,
                      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
                      "BEGIN") &&
           sqlite_end(store, sqlite_create_tables(store, error), error) &&
           sqlite_put(store, &first, 1, error) &&
           sqlite_run(store, error, "PRAGMA journal_mode = WAL");
}

static bool sync_file(const char *path, struct store_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && !fsync(fd);

    if (!good)
        fail_by_errno(error, STORE_FAILED);
    if (fd >= 0)
        close(fd);
    return good;
}

/* No link is followed, no file is overwritten. */
static bool create_file(const char *path, struct store_error *error)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd < 0)
        return fail_by_errno(error, STORE_FAILED);
    close(fd);
    return true;
}

static bool create_aside(const char *where, const struct store_codes *codes,
                         const struct store_batch *first,
                         struct store_error *error)
{
    /* STORE_READ, so that closing leaves the journal mode alone. */
    struct sqlite_store *store = new_store(where, STORE_READ, codes);
    char path[PATH_ROOM];

    remove_file(where, ASIDE_NAME);
    put_path(path, where, ASIDE_NAME);
    bool good = create_file(path, error) &&
                open_file(store, path, SQLITE_OPEN_READWRITE, error) &&
                fill(store, first, error);
    store_close(&store->base);
    if (!good)
        remove_file(where, ASIDE_NAME);
    return good;
}

/* A record is one file before it is renamed or replaced: rows in its journal
 * would be lost, and another's journal must never lie beside it. */
static bool is_one_file(const char *path, struct store_error *error)
{
    return !has_journal(path) ||
           store_fail(
               error, STORE_FAILED,
               "its journal cannot be emptied; is another program reading it?");
}

/* A record is on the disk before it replaces another. Where there is none, the
 * first commit is soon enough: a power cut before it leaves no record, as there
 * was none. */
static bool rename_aside(const char *where, bool is_on_disk,
                         struct store_error *error)
{
    char from[PATH_ROOM], to[PATH_ROOM];

    put_path(from, where, ASIDE_NAME);
    put_path(to, where, FILE_NAME);
    tidy(where);
    if (!is_one_file(from, error) ||
        (is_database(to, error) &&
         (!is_one_file(to, error) || (!is_on_disk && !sync_file(from, error)))))
        return false;
    remove_journals(to);
    return !rename(from, to) || fail_by_errno(error, STORE_FAILED);
}

static struct store *create(const char *where, const struct store_codes *codes,
                            const struct store_batch *first,
                            enum store_start start, struct store_error *error)
{
    if (!create_aside(where, codes, first, error))
        return NULL;
    struct sqlite_store *store = new_store(where, STORE_WRITE, codes);
    store->aside = start == STORE_ASIDE;
    if ((store->aside || rename_aside(where, false, error)) &&
        open_for(store, error))
        return &store->base;
    store_close(&store->base);
    return NULL;
}

static bool replace_old(struct store *base, struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);

    if (!store->aside)
        return true;
    if (has_moved(store))
        return store_fail(error, STORE_FAILED, "its directory was moved");
    if (!sqlite_is_still_there(store, error))
        return false;
    close_file(store);
    forget_file(store);
    if (!rename_aside(store->where, store->is_on_disk, error))
        return false;
    store->is_on_disk = false; /* its new name is not */
    store->aside = false;
    return open_for(store, error);
}

static bool leave_empty(const char *where, struct store_error *error)
{
    char path[PATH_ROOM];

    put_path(path, where, FILE_NAME);
    remove_file(where, FILE_NAME);
    return create_file(path, error);
}

static const char *label(const char *where, struct arena *arena)
{
    size_t size = strlen(where) + sizeof("/" FILE_NAME);
    char *text = arena_new(arena, size);

    snprintf(text, size, "%s/%s", where, FILE_NAME);
    return text;
}

/* A record in a file is one slice. */
static unsigned slices(const struct store *store)
{
    (void)store;
    return 1;
}

/* --- a read that is given up --------------------------------------------- */

enum { WATCH_EVERY = 10000 }; /* steps of SQLite's machine: some 300 rows */

static int look(void *user)
{
    struct sqlite_store *store = user;

    return store->is_told(store->told_user);
}

static void watch(struct store *base, bool (*is_told)(void *user), void *user)
{
    struct sqlite_store *store = sqlite_of(base);

    store->is_told = is_told;
    store->told_user = user;
    sqlite3_progress_handler(store->db, is_told ? WATCH_EVERY : 0,
                             is_told ? look : NULL, store);
}

const struct store_type store_sqlite = {
    .kind = "sqlite",
    .create = create,
    .replace_old = replace_old,
    .leave_empty = leave_empty,
    .open = open_store,
    .close = close_store,
    .tidy = tidy,
    .label = label,
    .commit = sqlite_commit,
    .commit_last = sqlite_commit_last,
    .slices = slices,
    .load = sqlite_load,
    .check = sqlite_check,
    .find_url = sqlite_find_url,
    .watch = watch,
};
