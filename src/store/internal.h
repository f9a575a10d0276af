/* What the files behind SQLite share; nobody else includes this. */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include <sqlite3.h>

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

struct store {
    sqlite3 *db;
    enum store_mode mode;
    sqlite3_stmt *insert[INSERTS];
    sqlite3_stmt *find_url; /* NULL: not asked for yet */
};

void store_fail(struct store_error *error, enum store_status status,
                const char *format, ...) __attribute__((format(printf, 3, 4)));
void store_fail_sqlite(struct store_error *error, sqlite3 *db);

/* store/write.c: the statements of a commit. */
bool store_prepare(struct store *store, struct store_error *error);

#endif
