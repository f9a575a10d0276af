#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/internal.h"
#include "store/schema.h"

enum { BUSY_MS = 10000 };

void store_fail(struct store_error *error, enum store_status status,
                const char *format, ...)
{
    va_list args;

    error->status = status;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
}

/* What SQLite calls "I/O error" the system has a better word for. */
void store_fail_sqlite(struct store_error *error, sqlite3 *db)
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

static bool run(struct store *store, const char *sql, struct store_error *error)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    store_fail_sqlite(error, store->db);
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, head, sizeof(head));
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (len < 0)
        store_fail(error, STORE_FAILED, "%s", strerror(why));
    else if (!len)
        store_fail(error, STORE_NONE, "empty");
    else if (len < (ssize_t)sizeof(head) ||
             memcmp(head, magic, sizeof(head)) != 0)
        store_fail(error, STORE_FOREIGN, "not the state of a crawl");
    else
        error->status = STORE_OK;
    return error->status;
}

static bool ask_number(struct store *store, const char *sql, int64_t *out,
                       struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good =
        sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW;

    if (good)
        *out = sqlite3_column_int64(stmt, 0);
    else
        store_fail_sqlite(error, store->db);
    sqlite3_finalize(stmt);
    return good;
}

static bool is_ours(struct store *store, struct store_error *error)
{
    int64_t id, version, tables;

    if (!ask_number(store, "PRAGMA application_id", &id, error) ||
        !ask_number(store, "PRAGMA user_version", &version, error) ||
        !ask_number(store, "SELECT count(*) FROM sqlite_master", &tables,
                    error))
        return false;
    if (!tables)
        store_fail(error, STORE_NONE, "empty");
    else if (id != SCHEMA_APPLICATION_ID)
        store_fail(error, STORE_FOREIGN, "not the state of a crawl");
    else if (version > STORE_VERSION)
        store_fail(error, STORE_NEWER,
                   "written by a newer version of this program (format %lld, "
                   "not %d)",
                   (long long)version, STORE_VERSION);
    else
        return true;
    return false;
}

/* --- is it still there? ------------------------------------------------- */

static bool look_again(const struct store_place *place, struct stat *st)
{
    return !fstatat(place->dir_fd, place->name, st, AT_SYMLINK_NOFOLLOW);
}

static bool note_place(struct store *store, const char *path,
                       struct store_error *error)
{
    struct store_place *place = &store->place;
    const char *slash = strrchr(path, '/');
    size_t dir_len = slash ? (size_t)(slash - path) + 1 : 0;

    place->dir = mem_checked(strndup(slash ? path : ".", slash ? dir_len : 1));
    place->name = mem_checked(strdup(path + dir_len));
    place->dir_fd = open(place->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (place->dir_fd >= 0 && look_again(place, &place->file))
        return true;
    store_fail(error, STORE_FAILED, "%s", strerror(errno));
    return false;
}

bool store_is_in_place(const struct store *store, struct store_error *error)
{
    const struct store_place *place = &store->place;
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

static struct store *new_store(enum store_mode mode)
{
    struct store *store = NEW(struct store);

    store->mode = mode;
    store->place.dir_fd = -1;
    return store;
}

static bool open_file(struct store *store, const char *path, int flags,
                      struct store_error *error)
{
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK) {
        sqlite3_busy_timeout(store->db, BUSY_MS);
        return true;
    }
    store_fail_sqlite(error, store->db);
    return false;
}

/* A commit is on the disk when it returns; the file proper is written when the
 * journal has grown, a few megabytes at a time. */
static bool set_up(struct store *store, struct store_error *error)
{
    return run(store, "PRAGMA journal_mode = WAL", error) &&
           run(store, "PRAGMA synchronous = FULL", error) &&
           run(store, "PRAGMA wal_autocheckpoint = 4000", error) &&
           store_prepare(store, error);
}

static bool open_for(struct store *store, const char *path,
                     struct store_error *error)
{
    bool writes = store->mode == STORE_WRITE;

    return look_at(path, error) == STORE_OK &&
           open_file(store, path,
                     writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY,
                     error) &&
           is_ours(store, error) &&
           (!writes ||
            (set_up(store, error) && note_place(store, path, error)));
}

/* Rows that are not in the file proper yet. */
static bool has_journal(const char *path)
{
    struct buf name;
    struct stat st;

    buf_init(&name, 64 * 1024);
    buf_printf(&name, "%s-wal", path);
    bool has = !stat(buf_cstr(&name), &st) && st.st_size;
    buf_release(&name);
    return has;
}

/* In a directory that cannot be written there is nobody else at work, but
 * SQLite cannot know. It would not look at the journal then. */
static bool open_still(struct store *store, const char *path,
                       struct store_error *error)
{
    struct buf name;

    if (has_journal(path)) {
        store_fail(error, STORE_FAILED,
                   "its crawl was killed, and what it wrote last can be read "
                   "only where the directory can be written, or in a copy");
        return false;
    }
    buf_init(&name, 64 * 1024);
    buf_put(&name, STR("file:"));
    for (; *path; path++)
        buf_printf(&name, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
    buf_put(&name, STR("?immutable=1"));
    sqlite3_close(store->db);
    store->db = NULL;
    bool good = open_file(store, buf_cstr(&name),
                          SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error) &&
                is_ours(store, error);
    buf_release(&name);
    return good;
}

struct store *store_open(const char *path, enum store_mode mode,
                         struct store_error *error)
{
    struct store *store = new_store(mode);

    if (open_for(store, path, error) ||
        (mode == STORE_READ && error->status == STORE_FAILED && store->db &&
         open_still(store, path, error)))
        return store;
    store_close(store);
    return NULL;
}

static bool has_moved(const struct store_place *place)
{
    struct stat then, now;

    return place->dir_fd >= 0 && !fstat(place->dir_fd, &then) &&
           (stat(place->dir, &now) || now.st_ino != then.st_ino ||
            now.st_dev != then.st_dev);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < ARRAY_LEN(store->insert); i++)
        sqlite3_finalize(store->insert[i]);
    sqlite3_finalize(store->find_url);
    /* One file that can be copied and read anywhere; where somebody else
     * reads just now it stays as it is, which is as good. Not where the
     * directory was moved: what stands at its path may be another crawl's. */
    if (store->db && store->mode == STORE_WRITE && !has_moved(&store->place)) {
        sqlite3_busy_timeout(store->db, 0);
        sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL,
                     NULL);
    }
    sqlite3_close(store->db);
    if (store->place.dir_fd >= 0)
        close(store->place.dir_fd);
    free(store->place.dir);
    free(store->place.name);
    free(store);
}

/* --- names, and a new one ------------------------------------------------ */

static bool put_names(struct store *store, const char *sql,
                      const char *(*name)(unsigned code), unsigned count,
                      struct store_error *error)
{
    sqlite3_stmt *stmt = NULL;
    bool good =
        sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) == SQLITE_OK;

    for (unsigned i = 0; i < count && good; i++) {
        good = sqlite3_bind_int64(stmt, 1, i) == SQLITE_OK &&
               sqlite3_bind_text(stmt, 2, name(i), -1, SQLITE_STATIC) ==
                   SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_DONE;
        sqlite3_reset(stmt);
    }
    if (!good)
        store_fail_sqlite(error, store->db);
    sqlite3_finalize(stmt);
    return good;
}

static bool put_all_names(struct store *store, const struct store_names *names,
                          struct store_error *error)
{
    return put_names(store, "INSERT OR IGNORE INTO verdict VALUES(?, ?)",
                     names->verdict_name, names->verdicts, error) &&
           put_names(store, "INSERT OR IGNORE INTO outcome VALUES(?, ?)",
                     names->outcome_name, names->outcomes, error);
}

bool store_add_names(struct store *store, const struct store_names *names,
                     struct store_error *error)
{
    if (!run(store, "BEGIN", error))
        return false;
    if (put_all_names(store, names, error) && run(store, "COMMIT", error))
        return true;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool fill(struct store *store, const struct store_names *names,
                 const struct store_batch *first, struct store_error *error)
{
    char sql[128];

    snprintf(sql, sizeof(sql),
             "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             SCHEMA_APPLICATION_ID, STORE_VERSION);
    /* Nobody knows of the file yet; the last commit puts all of it on the
     * disk before it takes the old one's place. */
    return run(store, "PRAGMA journal_mode = MEMORY", error) &&
           run(store, "PRAGMA synchronous = OFF", error) &&
           run(store, sql, error) && run(store, "BEGIN", error) &&
           run(store, schema_tables, error) &&
           run(store, schema_views, error) &&
           put_all_names(store, names, error) && run(store, "COMMIT", error) &&
           run(store, "PRAGMA synchronous = FULL", error) &&
           store_prepare(store, error) && store_commit(store, first, error);
}

static bool take_place(const char *tmp, const char *path,
                       struct store_error *error)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    char name[PATH_MAX + 16];

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
    if (!rename(tmp, path))
        return true;
    store_fail(error, STORE_FAILED, "%s", strerror(errno));
    return false;
}

bool store_create(const char *path, const struct store_names *names,
                  const struct store_batch *first, struct store_error *error)
{
    /* To read, as far as closing goes: its journal is as it should be. */
    struct store *store = new_store(STORE_READ);
    char tmp[PATH_MAX + 16];

    snprintf(tmp, sizeof(tmp), "%s-tmp-state", path);
    unlink(tmp);
    bool good = open_file(store, tmp,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error) &&
                fill(store, names, first, error);
    store_close(store);
    if (good && take_place(tmp, path, error))
        return true;
    unlink(tmp);
    return false;
}
