/* Every bit of a record that changes what is read is found: by a load if it
 * is read there, by a check in any case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "crawler/record_codes.h"
#include "store/facts.h"
#include "support/random.h"
#include "support/storefile.h"

enum { FLIPS = 500, PAGES = 60 };

/* A crawl of some commits, with rows of every kind. */
static void make_crawl(struct storefile *file)
{
    struct store_batch *batch = &file->batch;
    char text[64];

    facts_put_state(batch, STATE_RUNNING);
    store_add_seed(batch,
                   &(struct store_seed){STR("http://www.a.org/0"), true});
    storefile_create(file);
    struct store *store = storefile_open(file, STORE_WRITE);
    for (uint32_t i = 1; i <= PAGES; i++) {
        int len = snprintf(text, sizeof(text), "http://www.a.org/%u", i);
        const struct str url = {text, (size_t)len};
        store_add_url(batch, &(struct store_url){.number = i,
                                                 .url = url,
                                                 .host = {text + 7, 9},
                                                 .domain = {text + 11, 5},
                                                 .depth = i % 5,
                                                 .found = 1});
        store_add_change(batch, &(struct store_change){i, 1, 1, i, 0});
        store_add_fetch(batch, &(struct store_fetch){.number = i,
                                                     .page = i,
                                                     .status = 200,
                                                     .mime = STR("text/html"),
                                                     .size = 1000 + i,
                                                     .digest = i * 77777777u,
                                                     .start_ms = 1714979289123,
                                                     .end_ms = 1714979289456});
        store_add_link(batch, &(struct store_link){.page = i, .url = url});
        facts_put_number(batch, FACT_SAVED, i);
        if (i % 20)
            continue;
        store_add_robots(batch,
                         &(struct store_robots){.host = STR("www.a.org"),
                                                .text = STR("User-agent: *")});
        store_add_host(batch, &(struct store_host){.name = STR("www.a.org")});
        store_add_domain(batch, &(struct store_domain){STR("a.org"), i});
        store_add_archive(batch, &(struct store_archive){i, STR("a.gz"), 9});
        store_add_capture(batch,
                          &(struct store_capture){.number = i, .url = url});
        storefile_commit(file, store);
    }
    facts_put_state(batch, STATE_FINISHED);
    storefile_commit(file, store);
    store_close(store);
}

static int put_row(void *user, int columns, char **value, char **name)
{
    (void)name;
    for (int i = 0; i < columns; i++)
        buf_printf(user, "|%s", value[i] ? value[i] : "-");
    return 0;
}

/* All that a user of sqlite3 sees. */
static void read_views(const struct storefile *file, struct buf *out)
{
    static const char *const views[] = {"urls",   "pages", "queue",   "domains",
                                        "errors", "links", "captures"};
    char sql[64];
    sqlite3 *db;

    buf_clear(out);
    if (sqlite3_open_v2(file->path, &db, SQLITE_OPEN_READONLY, NULL) ==
        SQLITE_OK)
        for (size_t i = 0; i < ARRAY_LEN(views); i++) {
            snprintf(sql, sizeof(sql), "SELECT * FROM %s", views[i]);
            if (sqlite3_exec(db, sql, put_row, out, NULL) != SQLITE_OK)
                buf_put(out, STR("error"));
        }
    sqlite3_close(db);
}

static void count_finding(void *user, const char *text)
{
    assert_non_null(text);
    ++*(unsigned *)user;
}

struct reading {
    struct buf rows, views;
    bool loaded;
    unsigned findings; /* of a check */
};

static void read_all(struct storefile *file, struct reading *reading)
{
    const struct store_reader reader = storefile_show(&reading->rows);
    struct store *store =
        store_open(file->name, STORE_READ, crawler_codes(), &file->error);

    buf_clear(&reading->rows);
    reading->findings = 0;
    reading->loaded = store && store_load(store, 0, &reader, &file->error);
    if (store &&
        !store_check(store, count_finding, &reading->findings, &file->error))
        reading->findings++;
    if (!store)
        reading->findings++;
    store_close(store);
    read_views(file, &reading->views);
}

static void every_flipped_bit_that_changes_a_reading_is_found(void **state)
{
    struct storefile *file = *state;
    struct reading before, after;
    struct random random = {20};
    struct buf bytes;
    unsigned changed = 0;

    buf_init(&before.rows, 1 << 20);
    buf_init(&before.views, 1 << 20);
    buf_init(&after.rows, 1 << 20);
    buf_init(&after.views, 1 << 20);
    buf_init(&bytes, 1 << 20);
    make_crawl(file);
    assert_true(tempdir_read(&file->temp, ".crawler", &bytes));
    read_all(file, &before);
    assert_true(before.loaded);
    assert_int_equal(before.findings, 0);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = random_below(&random, (uint32_t)bytes.len);
        char bit = (char)(1 << random_below(&random, 8));
        bytes.ptr[at] ^= bit;
        tempdir_write(&file->temp, ".crawler", buf_str(&bytes));
        read_all(file, &after);
        bytes.ptr[at] ^= bit;
        bool same_rows = str_eq(buf_str(&before.rows), buf_str(&after.rows));
        bool same_views = str_eq(buf_str(&before.views), buf_str(&after.views));
        if (after.loaded && !same_rows)
            fail_msg("byte %zu: a load gives other rows", at);
        if (!after.findings && (!same_views || !after.loaded))
            fail_msg("byte %zu: a check finds nothing", at);
        changed += !same_rows || !same_views || !after.loaded;
    }
    /* Many bits lie in pages that are empty or in keys that nobody reads. */
    assert_true(changed > FLIPS / 20);
    buf_release(&before.rows);
    buf_release(&before.views);
    buf_release(&after.rows);
    buf_release(&after.views);
    buf_release(&bytes);
}

static void rows_that_vanish_or_appear_are_found(void **state)
{
    static const char *const changes[] = {
        "DELETE FROM fetch WHERE place = (SELECT max(place) FROM fetch)",
        "DELETE FROM fetch WHERE place = 3",
        "DELETE FROM url WHERE number = 7",
        "DELETE FROM batch WHERE place = (SELECT max(place) FROM batch)",
        "DELETE FROM setting WHERE name = 'state'",
        "INSERT INTO change VALUES(1000, 1, 1, 1, 1, 0)",
        "INSERT INTO setting VALUES('another', '1')",
        "UPDATE fetch SET size = size + 1 WHERE place = 1",
        "UPDATE url SET url = replace(url, '/7', '/8') WHERE number = 7",
        "UPDATE fetch SET mime = NULL WHERE place = 2",
        "UPDATE url SET url = CAST(url AS BLOB) WHERE number = 7",
        "UPDATE fetch SET mime = CAST(mime AS BLOB) WHERE place = 2",
        "UPDATE outcome SET name = CAST(name AS BLOB) WHERE code = 0",
        "UPDATE setting SET value = CAST(value AS BLOB) WHERE name = 'state'",
        "UPDATE batch SET digest = digest + 1 WHERE place = 1",
        "UPDATE batch SET kind = 'fetci' WHERE place = 3",
        "UPDATE capture SET at = at + 1 WHERE place = 1",
        "DELETE FROM archive",
        "UPDATE outcome SET ends = 'failed' WHERE code = 0",
        "UPDATE setting SET value = 'finishee' WHERE name = 'state'",
        "DROP VIEW pages",
    };
    struct storefile *file = *state;
    struct reading reading;

    buf_init(&reading.rows, 1 << 20);
    buf_init(&reading.views, 1 << 20);
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        make_crawl(file);
        storefile_sql(file, changes[i], NULL);
        read_all(file, &reading);
        if (!reading.findings)
            fail_msg("%s: a check finds nothing", changes[i]);
    }
    buf_release(&reading.rows);
    buf_release(&reading.views);
}

/* The chain goes on over programs that open it one after the other. */
static void the_chain_goes_on(void **state)
{
    struct storefile *file = *state;
    struct reading reading;

    buf_init(&reading.rows, 1 << 20);
    buf_init(&reading.views, 1 << 20);
    make_crawl(file);
    for (uint32_t i = 1; i <= 5; i++) {
        struct store *store = storefile_open(file, STORE_WRITE);
        store_add_change(&file->batch, &(struct store_change){i, 0, 0, 9, 0});
        storefile_commit(file, store);
        storefile_commit(file, store); /* of nothing */
        store_close(store);
        read_all(file, &reading);
        assert_true(reading.loaded);
        assert_int_equal(reading.findings, 0);
    }
    buf_release(&reading.rows);
    buf_release(&reading.views);
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, storefile_setup, storefile_teardown)
    const struct CMUnitTest tests[] = {
        CASE(every_flipped_bit_that_changes_a_reading_is_found),
        CASE(rows_that_vanish_or_appear_are_found),
        CASE(the_chain_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
