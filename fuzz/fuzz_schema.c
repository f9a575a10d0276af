/* A record into which somebody has put tables, views, triggers and indexes of
 * their own: it is refused, or a commit writes its own rows and nothing else.
 * The input is SQL that is run on a good record behind the program's back. */
#include "fuzz.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

/* Steps of SQLite's machine that the input may take: it can be endless. */
enum { STEPS_MAX = 20000 };

static char dir[64], path[80], name[80];

static const struct store_code codes_of_two[] = {
    {"accept", URL_QUEUED},
    {"other", URL_REFUSED},
};
static const struct store_codes codes = {codes_of_two, codes_of_two, 2, 2};

static void remove_file(void)
{
    unlink(path);
    rmdir(dir);
}

static void make_directory(void)
{
    snprintf(dir, sizeof(dir), "/tmp/fuzz-schema-%ld", (long)getpid());
    snprintf(path, sizeof(path), "%s/.crawler", dir);
    snprintf(name, sizeof(name), "sqlite:%s", dir);
    assert(!mkdir(dir, 0700));
    atexit(remove_file);
}

static void make_record(void)
{
    struct str url = STR("http://a.example/");
    struct store_error error;
    struct store_batch batch;

    store_batch_init(&batch);
    store_add_url(&batch, &(struct store_url){.number = 1,
                                              .url = url,
                                              .host = {url.ptr + 7, 9},
                                              .domain = url});
    store_add_fetch(&batch, &(struct store_fetch){.number = 1, .page = 1});
    struct store *store =
        store_create(name, &codes, &batch, STORE_AT_ONCE, &error);
    assert(store);
    store_close(store);
    store_batch_release(&batch);
}

static int stop(void *user)
{
    (void)user;
    return 1;
}

/* Run SQL as another program would; rows of `url` and of `seed` in `count`. */
static void tamper(const char *sql, int64_t count[2])
{
    static const char *const ask[2] = {"SELECT count(*) FROM url",
                                       "SELECT count(*) FROM seed"};
    sqlite3 *db;

    assert(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_progress_handler(db, STEPS_MAX, stop, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    if (sql)
        sqlite3_exec(db, sql, NULL, NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        sqlite3_stmt *stmt = NULL;
        count[i] = -1;
        if (sqlite3_prepare_v2(db, ask[i], -1, &stmt, NULL) == SQLITE_OK &&
            sqlite3_step(stmt) == SQLITE_ROW)
            count[i] = sqlite3_column_int64(stmt, 0);
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
}

/* False if it is refused. */
static bool commit_seed(struct store *store)
{
    struct store_error error;
    struct store_batch batch;
    const struct store_batch *one = &batch;

    store_batch_init(&batch);
    store_add_seed(&batch,
                   &(struct store_seed){STR("http://b.example/"), true});
    bool good = store_commit(store, &one, 1, &error);
    store_batch_release(&batch);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct store_reader nobody = {0};
    char *sql = malloc(size + 1);
    int64_t before[2], after[2];
    struct store_error error;

    assert(sql);
    memcpy(sql, data, size);
    sql[size] = '\0';
    if (!*dir)
        make_directory();
    make_record();
    tamper(sql, before);
    struct store *store = store_open(name, STORE_WRITE, &codes, &error);
    bool written =
        store && store_load(store, 0, &nobody, &error) && commit_seed(store);
    store_close(store);
    tamper(NULL, after);
    assert(!written || (after[0] == before[0] && after[1] == before[1] + 1));
    unlink(path);
    free(sql);
    return 0;
}
