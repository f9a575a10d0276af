/* Tables, triggers and views that somebody else put into a record: what could
 * act is refused by name, what cannot act is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "crawler/record_codes.h"
#include "support/storefile.h"

#define EDIT(change)                                                           \
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET " change
#define REWRITE(table, from, to)                                               \
    EDIT("sql = replace(sql, '" from "', '" to "') WHERE name = '" table "'")

// clang-format off
static const struct {
    const char *sql;
    const char *named; /* in the reason; NULL: it is no matter of ours */
} edits[] = {
    /* Triggers. */
    {"CREATE TRIGGER t AFTER INSERT ON fetch BEGIN DELETE FROM url; END",
     "the trigger t "},
    {"CREATE TRIGGER t BEFORE INSERT ON setting BEGIN"
     " INSERT INTO url(number) VALUES(1); END", "the trigger t "},
    {"CREATE TRIGGER t AFTER UPDATE ON batch BEGIN SELECT 1; END",
     "the trigger t "},
    /* Something else under the name of a table. */
    {"DROP TABLE url; CREATE VIEW url AS SELECT 1 AS number", "the table url "},
    {"DROP TABLE batch; CREATE VIEW batch AS WITH RECURSIVE n(place) AS (SELECT 1"
     " UNION ALL SELECT place + 1 FROM n) SELECT place FROM n",
     "the table batch "},
    {"DROP TABLE link; CREATE VIRTUAL TABLE link USING fts5(url)",
     "the table link "},
    {"DROP TABLE domain; CREATE TABLE Domain(place INTEGER PRIMARY KEY, name "
     "TEXT, found INTEGER)", "the table domain "},
    {"DROP TABLE link", "the table link is missing"},
    {"DROP TABLE batch", "the table batch is missing"},
    /* Other columns. */
    {"ALTER TABLE url ADD COLUMN more INTEGER", "the table url "},
    {"ALTER TABLE url ADD COLUMN more AS (number * 2)", "the table url "},
    {"DROP VIEW requisites; ALTER TABLE url DROP COLUMN via", "the table url "},
    {"ALTER TABLE seed RENAME COLUMN named TO called", "the table seed "},
    {REWRITE("fetch", "page INTEGER", "page INTEGER DEFAULT (random())"),
     "the table fetch "},
    {REWRITE("fetch", "page INTEGER", "page INTEGER UNIQUE"), "the table fetch "},
    {REWRITE("fetch", "page INTEGER", "page INTEGER NOT NULL"),
     "the table fetch "},
    {REWRITE("fetch", "page INTEGER", "page INTEGER CHECK (page < 3)"),
     "the table fetch "},
    {REWRITE("fetch", "page INTEGER", "page INTEGER REFERENCES url(number)"),
     "the table fetch "},
    {REWRITE("host", "name TEXT", "name TEXT COLLATE NOCASE"),
     "the table host "},
    {REWRITE("seed", "url TEXT", "url BLOB"), "the table seed "},
    {REWRITE("setting", ") WITHOUT ROWID", ")"), "the table setting "},
    {"DROP TABLE link; CREATE TABLE link(place INTEGER PRIMARY KEY, page INTEGER,"
     " verdict INTEGER, url TEXT, text TEXT, rel TEXT, fragment TEXT, kind "
     "INTEGER, source INTEGER) STRICT", "the table link "},
    {"DROP TABLE link; CREATE TABLE link(place INTEGER PRIMARY KEY, page INTEGER,"
     " verdict INTEGER, url TEXT, text TEXT, rel TEXT, fragment TEXT, kind "
     "INTEGER, source INTEGER) WITHOUT ROWID", "the table link "},
    /* Edits that leave the texts alone. */
    {EDIT("rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'url')"
          " WHERE name = 'link'"), "the table "},
    {EDIT("rootpage = 0 WHERE name = 'link'"), "the table link "},
    {EDIT("type = 'view' WHERE name = 'link'"), "the table link "},
    {EDIT("tbl_name = 'url' WHERE name = 'link'"), "the table link "},
    /* Indexes that refuse or compute. */
    {"CREATE UNIQUE INDEX i ON fetch(outcome)", "the index i "},
    {"CREATE INDEX i ON fetch(page) WHERE page > 0", "the index i "},
    {"CREATE INDEX i ON fetch(page + 1)", "the index i "},
    {"CREATE INDEX \"i\"\"); DROP\" ON url(lower(url))", "the index i\"); DROP "},
    {"CREATE INDEX i ON url(url COLLATE NOCASE)", "the index i "},

    /* Objects that people add for themselves. */
    {"CREATE TABLE notes(url TEXT UNIQUE, note TEXT)", NULL},
    {"CREATE VIEW mine AS SELECT url FROM urls", NULL},
    {"CREATE INDEX by_url ON url(url)", NULL},
    {"CREATE INDEX by_page ON fetch(page, status); ANALYZE", NULL},
    {"CREATE TABLE notes(url); CREATE TRIGGER t AFTER INSERT ON notes BEGIN"
     " DELETE FROM url; END", NULL},
    {"CREATE VIRTUAL TABLE words USING fts5(text)", NULL},
};
// clang-format on

/* A file that is as it should be but for this edit. */
static void make_edited(struct storefile *file, const char *sql)
{
    const struct str text = STR("http://a/");

    store_add_url(&file->batch,
                  &(struct store_url){
                      .number = 1, .url = text, .host = text, .domain = text});
    store_add_fetch(&file->batch, &(struct store_fetch){.number = 1});
    storefile_create(file);
    storefile_sql(file, sql, NULL);
}

/* To be read or to be written, it is refused, or can be used. */
static void objects_of_others(void **state)
{
    struct storefile *file = *state;

    for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
        for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
            make_edited(file, edits[i].sql);
            struct store *store =
                store_open(file->name, mode, crawler_codes(), &file->error);
            if (!store != (edits[i].named != NULL) ||
                (!store && (file->error.status != STORE_DAMAGED ||
                            !strstr(file->error.text, edits[i].named))))
                fail_msg("%s: %s", edits[i].sql,
                         store ? "it is opened" : file->error.text);
            if (store)
                store_close(store);
        }
    }
}

/* Objects of others stay, and rows are read and written beside them. An index
 * whose entries lie is not asked. */
static void left_alone(void **state)
{
    struct storefile *file = *state;
    struct buf out;

    make_edited(file, "CREATE INDEX by_number ON fetch(number);"
                      "CREATE INDEX kinds ON batch(kind);"
                      "CREATE TABLE notes(text);"
                      "INSERT INTO notes VALUES('mine')");
    /* The index says that there is no fetch. */
    storefile_sql(file,
                  "PRAGMA writable_schema = ON; UPDATE sqlite_master SET "
                  "rootpage = (SELECT rootpage FROM sqlite_master WHERE name = "
                  "'change') WHERE name = 'by_number'",
                  NULL);
    buf_init(&out, 1 << 16);
    const struct store_reader reader = storefile_show(&out);
    struct store *store = storefile_open(file, STORE_READ);
    assert_true(store_load(store, 0, &reader, &file->error));
    assert_non_null(strstr(buf_cstr(&out), "fetch"));
    store_close(store);
    storefile_sql(file, "DROP TABLE notes", NULL);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(objects_of_others, storefile_setup,
                                        storefile_teardown),
        cmocka_unit_test_setup_teardown(left_alone, storefile_setup,
                                        storefile_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
