#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    BUSY_MS = 10000,
    PATH_ROOM = PATH_MAX + 32,
    NOTE_MAX = 512, /* larger, it may be a damaged record */
};

/* The file that marks a page directory: the record, or empty. */
#define FILE_NAME ".crawler"
/* A new record until it takes its place. A crawl that begins removes what a
 * killed one left of it: it begins as the names of all temporary files do. */
#define ASIDE_NAME ".crawler-tmp-state"

static void put_path(char path[PATH_ROOM], const char *where, const char *name)
{
    snprintf(path, PATH_ROOM, "%s/%s", where, name);
}

/* --- errors ------------------------------------------------------------- */

/* What SQLite calls "I/O error" the system has a better word for. */
void sqlite_fail(struct store_error *error, sqlite3 *db)
{
    int code = sqlite3_errcode(db);
    int why = sqlite3_system_errno(db);
    bool damaged =
        code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;

    if (code == SQLITE_FULL)
        why = ENOSPC;
    bool system = (code == SQLITE_FULL || code == SQLITE_IOERR ||
                   code == SQLITE_CANTOPEN) &&
                  why;
    store_fail(error, damaged ? STORE_DAMAGED : STORE_FAILED, "%s",
               system                    ? strerror(why)
               : code == SQLITE_READONLY ? "it cannot be written"
                                         : sqlite3_errmsg(db));
}

bool sqlite_run(struct sqlite_store *store, const char *sql,
                struct store_error *error)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    sqlite_fail(error, store->db);
    return false;
}

/* --- what is there ------------------------------------------------------ */

/* A link or a pipe of that name is not ours, and opening it may do harm. */
static enum store_status look_at(const char *path, struct store_error *error)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof(magic)];
    struct stat st;

    if (lstat(path, &st)) {
        store_fail(error, errno == ENOENT ? STORE_NONE : STORE_FAILED, "%s",
                   strerror(errno));
        return error->status;
    }
    if (!S_ISREG(st.st_mode)) {
        store_fail(error, STORE_FOREIGN, "not a file");
        return error->status;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t len = fd < 0 ? -1 : read(fd, head, sizeof(head));
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (len < 0)
        store_fail(error, STORE_FAILED, "%s", strerror(why));
    else if (!len)
        store_fail(error, STORE_EMPTY, "empty");
    else if (memcmp(head, magic, len < 10 ? (size_t)len : 10) != 0 &&
             st.st_size <= NOTE_MAX)
        store_fail(error, STORE_NOTE, "not the state of a crawl");
    else if (len < (ssize_t)sizeof(head) ||
             memcmp(head, magic, sizeof(head)) != 0)
        store_fail(error, STORE_FOREIGN, "not the state of a crawl");
    else
        error->status = STORE_OK;
    return error->status;
}

static bool ask_number(struct sqlite_store *store, const char *sql,
                       int64_t *out, struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good =
        sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW;

    if (good)
        *out = sqlite3_column_int64(stmt, 0);
    else
        sqlite_fail(error, store->db);
    sqlite3_finalize(stmt);
    return good;
}

static bool is_ours(struct sqlite_store *store, struct store_error *error)
{
    int64_t id, version, tables;

    if (!ask_number(store, "PRAGMA application_id", &id, error) ||
        !ask_number(store, "PRAGMA user_version", &version, error) ||
        !ask_number(store, "SELECT count(*) FROM sqlite_master", &tables,
                    error))
        return false;
    store->version = (int)version;
    if (!tables)
        store_fail(error, STORE_EMPTY, "empty");
    else if (id != SQLITE_FILE_ID)
        store_fail(error, STORE_FOREIGN, "not the state of a crawl");
    else if (version > STORE_VERSION)
        store_fail(error, STORE_NEWER,
                   "written by a newer version of this program (format %lld, "
                   "not %d)",
                   (long long)version, STORE_VERSION);
    else if (version < 1)
        store_fail(error, STORE_DAMAGED, "format %lld, which there never was",
                   (long long)version);
    else
        return true;
    return false;
}

/* --- is it still there? ------------------------------------------------- */

static bool look_again(const struct sqlite_place *place, struct stat *st)
{
    return !fstatat(place->dir_fd, place->name, st, AT_SYMLINK_NOFOLLOW);
}

static bool note_place(struct sqlite_store *store, const char *name,
                       struct store_error *error)
{
    struct sqlite_place *place = &store->place;

    place->dir = mem_checked(strdup(store->where));
    place->name = mem_checked(strdup(name));
    place->dir_fd = open(place->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (place->dir_fd >= 0 && look_again(place, &place->file))
        return true;
    store_fail(error, STORE_FAILED, "%s", strerror(errno));
    return false;
}

static void forget_place(struct sqlite_place *place)
{
    if (place->dir_fd >= 0)
        close(place->dir_fd);
    free(place->dir);
    free(place->name);
    *place = (struct sqlite_place){.dir_fd = -1};
}

bool sqlite_is_in_place(const struct sqlite_store *store,
                        struct store_error *error)
{
    const struct sqlite_place *place = &store->place;
    struct stat st;

    if (place->dir_fd < 0 ||
        (look_again(place, &st) && st.st_ino == place->file.st_ino &&
         st.st_dev == place->file.st_dev))
        return true;
    store_fail(error, STORE_FAILED,
               "it was removed or replaced while the crawl was running");
    return false;
}

/* --- opening ------------------------------------------------------------ */

static struct sqlite_store *new_store(const char *where, enum store_mode mode,
                                      const struct store_codes *codes)
{
    struct sqlite_store *store = NEW(struct sqlite_store);

    store->base.engine = &store_sqlite;
    store->base.codes = codes;
    store->mode = mode;
    store->where = mem_checked(strdup(where));
    store->place.dir_fd = -1;
    store->version = STORE_VERSION;
    return store;
}

static bool open_file(struct sqlite_store *store, const char *path, int flags,
                      struct store_error *error)
{
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK) {
        sqlite3_busy_timeout(store->db, BUSY_MS);
        return true;
    }
    sqlite_fail(error, store->db);
    return false;
}

/* What an earlier program began, this one goes on with. */
static bool bring_up_to_date(struct sqlite_store *store,
                             struct store_error *error)
{
    bool old = store->version < STORE_VERSION;

    if (!old && sqlite_has_codes(store))
        return sqlite_check_settings(store, error);
    if (!sqlite_run(store, "BEGIN IMMEDIATE", error))
        return false;
    if ((old ? sqlite_migrate(store, error) : sqlite_add_codes(store, error)) &&
        sqlite_run(store, "COMMIT", error))
        return true;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* A commit is on the disk when it returns; the file proper is written when the
 * journal has grown, a few megabytes at a time. */
static bool set_up_to_write(struct sqlite_store *store, const char *name,
                            struct store_error *error)
{
    return sqlite_run(store, "PRAGMA journal_mode = WAL", error) &&
           sqlite_run(store, "PRAGMA synchronous = FULL", error) &&
           sqlite_run(store, "PRAGMA wal_autocheckpoint = 4000", error) &&
           bring_up_to_date(store, error) &&
           sqlite_read_seals(store, store->seal, error) &&
           note_place(store, name, error);
}

static bool open_for(struct sqlite_store *store, const char *name,
                     struct store_error *error)
{
    bool writes = store->mode == STORE_WRITE;
    char path[PATH_ROOM];

    put_path(path, store->where, name);
    return look_at(path, error) == STORE_OK &&
           open_file(store, path,
                     writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY,
                     error) &&
           is_ours(store, error) &&
           (!writes || set_up_to_write(store, name, error));
}

/* What SQLite has beside its file: the first two hold rows that are not in the
 * file proper yet, or half of a change to it. */
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

/* In a directory that cannot be written there is nobody else at work, but
 * SQLite cannot know. It would not look at the journal then. */
static bool open_still(struct sqlite_store *store, struct store_error *error)
{
    char path[PATH_ROOM];
    struct buf name;

    put_path(path, store->where, FILE_NAME);
    if (has_journal(path)) {
        store_fail(error, STORE_FAILED,
                   "its crawl was killed, and what it wrote last can be read "
                   "only where the directory can be written, or in a copy");
        return false;
    }
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

/* A crawl that was killed in the middle of a write to the file proper left a
 * journal to undo that, which nobody can do who only reads. */
static bool open_again(struct sqlite_store *store, struct store_error *error)
{
    sqlite3_close(store->db);
    store->db = NULL;
    tidy(store->where);
    return open_for(store, FILE_NAME, error) ||
           (error->status == STORE_FAILED && store->db &&
            open_still(store, error));
}

static struct store *open_store(const char *where, enum store_mode mode,
                                const struct store_codes *codes,
                                struct store_error *error)
{
    struct sqlite_store *store = new_store(where, mode, codes);

    if (open_for(store, FILE_NAME, error) ||
        (mode == STORE_READ && error->status == STORE_FAILED && store->db &&
         open_again(store, error)))
        return &store->base;
    store_close(&store->base);
    return NULL;
}

/* --- closing ------------------------------------------------------------ */

void sqlite_finalize(struct sqlite_store *store)
{
    for (size_t i = 0; i < ARRAY_LEN(store->insert); i++) {
        sqlite3_finalize(store->insert[i]);
        store->insert[i] = NULL;
    }
    sqlite3_finalize(store->find_url);
    store->find_url = NULL;
}

static bool has_moved(const struct sqlite_place *place)
{
    struct stat then, now;

    return place->dir_fd >= 0 && !fstat(place->dir_fd, &then) &&
           (stat(place->dir, &now) || now.st_ino != then.st_ino ||
            now.st_dev != then.st_dev);
}

/* One file that can be copied and read anywhere; if somebody else reads just
 * now it stays as it is, which is as good. Not if the directory was moved:
 * another crawl may be at its path. */
static void close_file(struct sqlite_store *store)
{
    sqlite_finalize(store);
    if (store->db && store->mode == STORE_WRITE && !has_moved(&store->place)) {
        sqlite3_busy_timeout(store->db, 0);
        /* When all rows are in the file proper, and on the disk, a change of
         * the mode may be lost without harm. */
        if (sqlite3_wal_checkpoint_v2(store->db, NULL,
                                      SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                      NULL) == SQLITE_OK)
            sqlite3_exec(store->db, "PRAGMA synchronous = OFF", NULL, NULL,
                         NULL);
        sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL,
                     NULL);
    }
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
    bool moved = has_moved(&store->place);

    close_file(store);
    if (store->aside && !moved)
        remove_file(store->where, ASIDE_NAME);
    forget_place(&store->place);
    free(store->where);
    free(store);
}

/* Nothing is written to it but what it has in its journal. */
static void tidy(const char *where)
{
    struct sqlite_store *store;
    struct store_error error;
    char path[PATH_ROOM];

    put_path(path, where, FILE_NAME);
    if (!has_beside(path, ARRAY_LEN(journals), 0) ||
        look_at(path, &error) != STORE_OK)
        return;
    store = new_store(where, STORE_READ, NULL);
    if (open_file(store, path, SQLITE_OPEN_READWRITE, &error) &&
        is_ours(store, &error))
        store->mode = STORE_WRITE;
    store_close(&store->base);
}

/* --- a new one ---------------------------------------------------------- */

/* Nobody knows of the file yet: it need not be on the disk before it is whole.
 * A slow disk is waited for once. */
static bool fill(struct sqlite_store *store, const struct store_batch *first,
                 struct store_error *error)
{
    return sqlite_run(store, "PRAGMA journal_mode = MEMORY", error) &&
           sqlite_run(store, "PRAGMA synchronous = OFF", error) &&
           sqlite_run(store, "BEGIN", error) &&
           sqlite_create_tables(store, error) &&
           sqlite_run(store, "COMMIT", error) &&
           sqlite_commit(&store->base, &first, 1, error) &&
           sqlite_run(store, "PRAGMA journal_mode = WAL", error);
}

static bool sync_file(const char *path, struct store_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && !fsync(fd);

    if (!good)
        store_fail(error, STORE_FAILED, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

/* No link is followed, no file is overwritten. */
static bool create_file(const char *path, struct store_error *error)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd < 0) {
        store_fail(error, STORE_FAILED, "%s", strerror(errno));
        return false;
    }
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
    good = good && sync_file(path, error);
    if (!good)
        remove_file(where, ASIDE_NAME);
    return good;
}

/* A record is one file before it is renamed or replaced: rows in its journal
 * would be lost, and another's journal must never lie beside it. */
static bool is_one_file(const char *path, struct store_error *error)
{
    if (!has_journal(path))
        return true;
    store_fail(error, STORE_FAILED,
               "its journal cannot be emptied; is another program reading it?");
    return false;
}

static bool rename_aside(const char *where, struct store_error *error)
{
    char from[PATH_ROOM], to[PATH_ROOM];

    put_path(from, where, ASIDE_NAME);
    put_path(to, where, FILE_NAME);
    tidy(where);
    if (!is_one_file(from, error) ||
        (look_at(to, error) == STORE_OK && !is_one_file(to, error)))
        return false;
    remove_journals(to);
    if (!rename(from, to))
        return true;
    store_fail(error, STORE_FAILED, "%s", strerror(errno));
    return false;
}

static struct store *create(const char *where, const struct store_codes *codes,
                            const struct store_batch *first,
                            enum store_start start, struct store_error *error)
{
    if (!create_aside(where, codes, first, error))
        return NULL;
    struct sqlite_store *store = new_store(where, STORE_WRITE, codes);
    store->aside = start == STORE_ASIDE;
    if ((store->aside || rename_aside(where, error)) &&
        open_for(store, store->aside ? ASIDE_NAME : FILE_NAME, error))
        return &store->base;
    store_close(&store->base);
    return NULL;
}

static bool take_place(struct store *base, struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);

    if (!store->aside)
        return true;
    if (has_moved(&store->place)) {
        store_fail(error, STORE_FAILED, "its directory was moved");
        return false;
    }
    if (!sqlite_is_in_place(store, error))
        return false;
    close_file(store);
    forget_place(&store->place);
    if (!rename_aside(store->where, error))
        return false;
    store->aside = false;
    return open_for(store, FILE_NAME, error);
}

/* The marker tells nothing from now on, whatever it was. */
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

const struct store_engine store_sqlite = {
    .kind = "sqlite",
    .create = create,
    .take_place = take_place,
    .leave_empty = leave_empty,
    .open = open_store,
    .close = close_store,
    .tidy = tidy,
    .label = label,
    .commit = sqlite_commit,
    .slices = slices,
    .load = sqlite_load,
    .check = sqlite_check,
    .find_url = sqlite_find_url,
};
