/* What the files behind SQLite share; nobody else includes this. */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "store/store.h"

enum insert {
    INSERT_SETTING,
    INSERT_SEED,
    INSERT_URL,
    INSERT_CHANGE,
    INSERT_FETCH,
    INSERT_REFUSAL,
    INSERT_ROBOTS,
    INSERT_HOST,
    INSERT_DOMAIN,
    INSERT_LINK,
    INSERTS,
};

/* Where a file was when it was opened. SQLite's SQLITE_FCNTL_HAS_MOVED asks for
 * the path, but a directory may be moved with all that is in it. */
struct store_place {
    int dir_fd; /* -1: nobody asks */
    char *dir;  /* its path then */
    char *name; /* in there */
    struct stat file;
};

struct store {
    sqlite3 *db;
    enum store_mode mode;
    struct store_place place;
    sqlite3_stmt *insert[INSERTS];
    sqlite3_stmt *find_url; /* NULL: not asked for yet */
};

void store_fail(struct store_error *error, enum store_status status,
                const char *format, ...) __attribute__((format(printf, 3, 4)));
void store_fail_sqlite(struct store_error *error, sqlite3 *db);

/* False with `error` where another file is in its place, or none. */
bool store_is_in_place(const struct store *store, struct store_error *error);

/* store/write.c: the statements of a commit. */
bool store_prepare(struct store *store, struct store_error *error);

#endif
