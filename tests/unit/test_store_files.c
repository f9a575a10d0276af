/* What may be there under the name of a state file, whoever made it, and who
 * else may be reading it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "crawler/record_codes.h"
#include "support/storefile.h"

static void put_setting(struct store_batch *batch, struct str name,
                        struct str value)
{
    store_add_setting(batch, &(struct store_setting){name, value});
}

static struct store *open_as(struct storefile *file, enum store_mode mode)
{
    return store_open(file->name, mode, crawler_codes(), &file->error);
}

static bool create(struct storefile *file, const char *name)
{
    struct store *store = store_create(name, crawler_codes(), &file->batch,
                                       STORE_AT_ONCE, &file->error);

    store_close(store);
    return store != NULL;
}

static void make_text(struct storefile *file, struct str text)
{
    tempdir_write(&file->temp, ".crawler", text);
}

static void what_else_is_there(void **state)
{
    static const char damaged[4096] = "SQLite format 3\0\x10";
    static const struct {
        const char *what;
        struct str text; /* of the file, NULL: none */
        const char *sql;
        enum store_status status;
    } rows[] = {
        {"nothing", {0}, NULL, STORE_NONE},
        {"empty", STR_INIT(""), NULL, STORE_EMPTY},
        {"short", STR_INIT("x"), NULL, STORE_NOTE},
        {"half a magic", STR_INIT("SQLite for"), NULL, STORE_FOREIGN},
        {"a text", STR_INIT("not a database, but long enough to be one\n"),
         NULL, STORE_NOTE},
        {"a header of zeros", {damaged, sizeof(damaged)}, NULL, STORE_DAMAGED},
        {"an empty database", STR_INIT(""), "PRAGMA user_version = 1",
         STORE_EMPTY},
        {"another's", STR_INIT(""), "CREATE TABLE url(a)", STORE_FOREIGN},
        {"another's id", STR_INIT(""),
         "CREATE TABLE url(a); PRAGMA application_id = 7", STORE_FOREIGN},
        {"newer", STR_INIT(""),
         "CREATE TABLE url(a); PRAGMA application_id = 0x6372776c; "
         "PRAGMA user_version = 99",
         STORE_NEWER},
        {"of a version that never was", STR_INIT(""),
         "CREATE TABLE url(a); PRAGMA application_id = 0x6372776c",
         STORE_DAMAGED},
    };
    struct storefile *file = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        unlink(file->path);
        if (rows[i].text.ptr)
            make_text(file, rows[i].text);
        if (rows[i].sql)
            storefile_sql(file, rows[i].sql, NULL);
        for (int mode = STORE_WRITE; mode <= STORE_READ; mode++) {
            struct buf before, after;

            buf_init(&before, 1 << 20);
            buf_init(&after, 1 << 20);
            tempdir_read(&file->temp, ".crawler", &before);
            file->error = (struct store_error){0};
            if (open_as(file, (enum store_mode)mode))
                fail_msg("%s was opened", rows[i].what);
            if (file->error.status != rows[i].status)
                fail_msg("%s: status %d: %s", rows[i].what,
                         (int)file->error.status, file->error.text);
            assert_string_not_equal(file->error.text, "");
            /* It is as it was. */
            tempdir_read(&file->temp, ".crawler", &after);
            assert_true(str_eq(buf_str(&before), buf_str(&after)));
            buf_release(&before);
            buf_release(&after);
        }
    }
}

/* A link, a pipe or a directory is not opened, let alone followed. */
static void what_is_no_file(void **state)
{
    struct storefile *file = *state;
    char other[160];

    storefile_create(file);
    snprintf(other, sizeof(other), "%s-other", file->path);
    for (int what = 0; what < 3; what++) {
        if (what == 0)
            assert_int_equal(rename(file->path, other), 0);
        int made = what == 0   ? symlink(other, file->path)
                   : what == 1 ? mkfifo(file->path, 0600)
                               : mkdir(file->path, 0700);
        assert_int_equal(made, 0);
        for (int mode = STORE_WRITE; mode <= STORE_READ; mode++) {
            assert_null(open_as(file, (enum store_mode)mode));
            assert_int_equal(file->error.status, STORE_FOREIGN);
        }
        assert_int_equal(remove(file->path), 0);
    }
    assert_null(store_open("sqlite:/dev/null", STORE_READ, crawler_codes(),
                           &file->error));
    assert_int_equal(file->error.status, STORE_FAILED);
}

/* What was there before goes, with what SQLite had beside it; and a former
 * one that was never finished is in nobody's way. */
static void a_new_one_takes_the_place(void **state)
{
    struct storefile *file = *state;

    make_text(file, STR("something else"));
    tempdir_write(&file->temp, ".crawler-wal", STR("old"));
    tempdir_write(&file->temp, ".crawler-shm", STR("old"));
    tempdir_write(&file->temp, ".crawler-journal", STR("old"));
    tempdir_write(&file->temp, ".crawler-tmp-state", STR("half of it"));
    put_setting(&file->batch, STR("a"), STR("b"));
    storefile_create(file);
    assert_string_equal(tempdir_list(&file->temp), ".crawler ");
    storefile_is(file, STR("begin 0 0\nsetting 'a' 'b'\n"));
}

/* A program that was killed while it closed the record leaves the head of a
 * journal, without its first bytes. SQLite leaves it alone, and it says
 * nothing.
 */
static void a_journal_that_says_nothing(void **state)
{
    struct storefile *file = *state;
    static const char head[512];

    put_setting(&file->batch, STR("a"), STR("b"));
    storefile_create(file);
    tempdir_write(&file->temp, ".crawler-journal",
                  (struct str){head, sizeof(head)});
    put_setting(&file->batch, STR("c"), STR("d"));
    storefile_create(file);
    assert_string_equal(tempdir_list(&file->temp), ".crawler ");
    storefile_is(file, STR("begin 0 0\nsetting 'c' 'd'\n"));
}

/* Where it cannot be made nothing is changed. */
static void a_new_one_that_fails(void **state)
{
    struct storefile *file = *state;

    make_text(file, STR("something else"));
    for (uint64_t i = 0; i < 2; i++)
        store_add_url(&file->batch,
                      &(struct store_url){.number = 1, .url = STR("u")});
    assert_false(create(file, file->name));
    assert_int_equal(file->error.status, STORE_FAILED);
    assert_string_equal(tempdir_list(&file->temp), ".crawler ");
    assert_null(open_as(file, STORE_READ));
    assert_int_equal(file->error.status, STORE_NOTE);
    store_batch_clear(&file->batch);

    assert_false(create(file, "sqlite:/nowhere/at/all"));
    assert_int_equal(file->error.status, STORE_FAILED);
}

/* --- values that cannot be ---------------------------------------------- */

static void rows_that_cannot_be(void **state)
{
    static const char *const changes[] = {
        "UPDATE url SET number = -1",
        "UPDATE url SET number = 0",
        "UPDATE url SET url = NULL",
        "UPDATE url SET host_at = 99",
        "UPDATE url SET host_len = 99",
        "UPDATE url SET host_at = -1",
        "UPDATE url SET domain_at = 3, domain_len = 9",
        "UPDATE url SET depth = 4294967296",
        "UPDATE url SET kind = 256",
        "UPDATE url SET via = -1",
        "UPDATE change SET number = -1",
        "UPDATE fetch SET page = -1",
        "UPDATE fetch SET outcome = 256",
        "UPDATE fetch SET size = -1",
        "UPDATE refusal SET line = 4294967296",
        "UPDATE robots SET host = NULL",
        "UPDATE robots SET https = 2",
        "UPDATE host SET name = NULL",
        "UPDATE host SET until_ms = -1",
        "UPDATE domain SET name = NULL",
        "UPDATE domain SET found = -1",
        "UPDATE link SET page = -1",
        "UPDATE seed SET named = 7",
    };
    struct storefile *file = *state;
    struct buf got;

    buf_init(&got, 1 << 20);
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        const struct str text = STR("http://a/");
        const struct store_reader reader = storefile_show(&got);

        store_add_url(&file->batch, &(struct store_url){.number = 1,
                                                        .url = text,
                                                        .host = text,
                                                        .domain = text});
        store_add_change(&file->batch, &(struct store_change){.number = 1});
        store_add_fetch(&file->batch, &(struct store_fetch){.number = 1});
        store_add_refusal(&file->batch, &(struct store_refusal){.number = 1});
        store_add_robots(&file->batch, &(struct store_robots){.host = text});
        store_add_host(&file->batch, &(struct store_host){.name = text});
        store_add_domain(&file->batch, &(struct store_domain){.name = text});
        store_add_link(&file->batch, &(struct store_link){0});
        store_add_seed(&file->batch, &(struct store_seed){.url = text});
        storefile_create(file);
        struct store *store = storefile_open(file, STORE_READ);
        assert_true(store_load(store, 0, &reader, &file->error));
        store_close(store);
        storefile_sql(file, changes[i], NULL);
        store = storefile_open(file, STORE_READ);
        if (store_load(store, 0, &reader, &file->error) ||
            file->error.status != STORE_DAMAGED)
            fail_msg("%s: status %d", changes[i], (int)file->error.status);
        store_close(store);
        buf_clear(&got);
    }
    buf_release(&got);
}

/* --- others ------------------------------------------------------------- */

struct beside {
    struct storefile *file;
    struct store *writer;
    struct buf *seen;
};

/* In the middle of somebody's reading, a commit. */
static bool commit_meanwhile(void *user, const struct store_setting *row)
{
    struct beside *beside = user;

    buf_put(beside->seen, row->value);
    put_setting(&beside->file->batch, STR("a"), STR("new"));
    put_setting(&beside->file->batch, STR("b"), STR("new"));
    store_add_seed(&beside->file->batch, &(struct store_seed){.url = STR("s")});
    storefile_commit(beside->file, beside->writer);
    return true;
}

static bool see_seed(void *user, const struct store_seed *row)
{
    struct beside *beside = user;

    return buf_put(beside->seen, row->url);
}

static void beside_a_writer(void **state)
{
    struct storefile *file = *state;
    struct buf seen;
    struct beside beside = {.file = file, .seen = &seen};
    const struct store_reader reader = {
        .user = &beside,
        .setting = commit_meanwhile,
        .seed = see_seed,
    };

    buf_init(&seen, 1000);
    put_setting(&file->batch, STR("a"), STR("1"));
    put_setting(&file->batch, STR("b"), STR("2"));
    storefile_create(file);
    beside.writer = storefile_open(file, STORE_WRITE);
    struct store *other = storefile_open(file, STORE_READ);
    /* All of it is of the moment when it began, ... */
    assert_true(store_load(other, 0, &reader, &file->error));
    assert_string_equal(buf_cstr(&seen), "12");
    /* ... and the next time of the next one. */
    storefile_holds(file, other,
                    STR("begin 0 0\nsetting 'a' 'new'\nsetting 'b' 'new'\n"
                        "seed 's' 0\nseed 's' 0\n"));
    /* The writer may end first: the reader goes on. */
    store_close(beside.writer);
    storefile_holds(file, other,
                    STR("begin 0 0\nsetting 'a' 'new'\nsetting 'b' 'new'\n"
                        "seed 's' 0\nseed 's' 0\n"));
    store_close(other);
    storefile_is(file, STR("begin 0 0\nsetting 'a' 'new'\nsetting 'b' 'new'\n"
                           "seed 's' 0\nseed 's' 0\n"));
    buf_release(&seen);
}

/* A writer that was killed leaves its journal behind; whoever comes next, to
 * read or to write, has all that was committed. */
static void after_a_writer_was_killed(void **state)
{
    struct storefile *file = *state;

    for (int mode = STORE_WRITE; mode <= STORE_READ; mode++) {
        storefile_create(file);
        pid_t child = fork();
        if (!child) {
            struct store *store = storefile_open(file, STORE_WRITE);
            put_setting(&file->batch, STR("a"), STR("kept"));
            storefile_commit(file, store);
            kill(getpid(), SIGKILL);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_string_not_equal(tempdir_list(&file->temp), ".crawler ");
        struct store *store = storefile_open(file, (enum store_mode)mode);
        storefile_holds(file, store, STR("begin 0 0\nsetting 'a' 'kept'\n"));
        store_close(store);
    }
}

/* What is written to a file that is gone is lost. A directory that was moved
 * has it still. */
static void a_file_that_is_taken_away(void **state)
{
    static const struct {
        const char *what;
        bool removed, replaced, dir_moved, good;
    } rows[] = {
        {"as it was", false, false, false, true},
        {"the directory moved", false, false, true, true},
        {"removed", true, false, false, false},
        {"replaced", true, true, false, false},
    };
    struct storefile *file = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char other[160], moved[160];

        snprintf(other, sizeof(other), "%s-other", file->path);
        snprintf(moved, sizeof(moved), "%s-moved", file->temp.path);
        storefile_create(file);
        struct store *store = storefile_open(file, STORE_WRITE);
        put_setting(&file->batch, STR("a"), STR("1"));
        storefile_commit(file, store);
        if (rows[i].removed)
            assert_int_equal(rename(file->path, other), 0);
        if (rows[i].replaced)
            make_text(file, STR("something else"));
        if (rows[i].dir_moved)
            assert_int_equal(rename(file->temp.path, moved), 0);
        put_setting(&file->batch, STR("a"), STR("2"));
        const struct store_batch *batch = &file->batch;
        bool good = store_commit(store, &batch, 1, &file->error);
        if (good != rows[i].good)
            fail_msg("%s: %s", rows[i].what, good ? "good" : file->error.text);
        if (!good)
            assert_string_equal(
                file->error.text,
                "it was removed or replaced while the crawl was running");
        store_batch_clear(&file->batch);
        store_close(store);
        if (rows[i].dir_moved)
            assert_int_equal(rename(moved, file->temp.path), 0);
        if (good)
            storefile_is(file, STR("begin 0 0\nsetting 'a' '2'\n"));
        unlink(other);
    }
}

/* In a directory where nothing may be written, as somebody who is not root:
 * also a file that was copied from beside a writer. */
static void where_nothing_may_be_written(void **state)
{
    struct storefile *file = *state;
    struct buf bytes;

    put_setting(&file->batch, STR("a"), STR("b"));
    storefile_create(file);
    struct store *store = storefile_open(file, STORE_WRITE);
    buf_init(&bytes, 1 << 24);
    assert_true(tempdir_read(&file->temp, ".crawler", &bytes));
    store_close(store);
    make_text(file, buf_str(&bytes));
    buf_release(&bytes);
    assert_int_equal(chmod(file->path, 0444), 0);
    assert_int_equal(chmod(file->temp.path, 0555), 0);
    pid_t child = fork();
    if (!child) {
        if (geteuid() == 0 && setuid(65534))
            _exit(1);
        storefile_is(file, STR("begin 0 0\nsetting 'a' 'b'\n"));
        assert_null(open_as(file, STORE_WRITE));
        assert_int_equal(file->error.status, STORE_FAILED);
        _exit(7);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(file->temp.path, 0755), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, storefile_setup, storefile_teardown)
    const struct CMUnitTest tests[] = {
        CASE(what_else_is_there),
        CASE(what_is_no_file),
        CASE(a_new_one_takes_the_place),
        CASE(a_new_one_that_fails),
        CASE(a_journal_that_says_nothing),
        CASE(rows_that_cannot_be),
        CASE(beside_a_writer),
        CASE(after_a_writer_was_killed),
        CASE(a_file_that_is_taken_away),
        CASE(where_nothing_may_be_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
