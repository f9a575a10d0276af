/* The views of the state file say what the rows say: for people who open it
 * with sqlite3. Columns are in docs/crawler.1, section STATE FILE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "frontier/target.h"
#include "page/outcome.h"
#include "support/storefile.h"

/* 2024-05-06 07:08:09.123, and two seconds later */
#define T0 1714979289123
#define T2 1714979291123

static void add_url(struct store_batch *batch, uint64_t number,
                    const char *text, uint32_t depth, uint32_t referrer,
                    enum verdict verdict)
{
    struct str url = str_of(text), rest = str_skip(url, 7);
    struct store_url row = {
        .number = number,
        .url = url,
        .host = {rest.ptr, str_find(rest, '/')},
        .depth = depth,
        .referrer = referrer,
        .found = referrer > 0,
        .verdict = (uint8_t)verdict,
    };

    row.domain = str_cut(row.host, ':').head;
    if (str_starts(row.domain, STR("www.")))
        row.domain = str_skip(row.domain, 4);
    store_add_url(batch, &row);
}

static void add_sitemap(struct store_batch *batch, uint64_t number,
                        const char *text, uint32_t nesting)
{
    const struct store_url row = {
        .number = number,
        .url = str_of(text),
        .host = {text + 7, 5},
        .domain = {text + 7, 5},
        .referrer = nesting,
        .kind = TARGET_SITEMAP,
    };

    store_add_url(batch, &row);
}

static void add_fetch(struct store_batch *batch, uint64_t number, uint32_t page,
                      enum outcome outcome, uint32_t status, uint64_t due_ms)
{
    const struct store_fetch row = {
        .number = number,
        .page = page,
        .status = status,
        .outcome = (uint8_t)outcome,
        .mime = status == 200 ? STR("text/html") : STR(""),
        .size = 100 * page,
        .digest = page == 2 ? UINT64_MAX - 1 : page,
        .start_ms = T0,
        .end_ms = T2,
        .due_ms = due_ms,
        .title = page == 2 ? STR("A title") : (struct str){0},
    };

    store_add_fetch(batch, &row);
}

static void add_change(struct store_batch *batch, uint64_t number,
                       uint32_t depth, uint32_t referrer, uint32_t found)
{
    store_add_change(batch,
                     &(struct store_change){number, depth, referrer, found, 0});
}

/* Three pages on two domains, and one URL of every other fate. */
static void make_crawl(struct storefile *file)
{
    struct store_batch *batch = &file->batch;

    storefile_create(file);
    struct store *store = storefile_open(file, STORE_WRITE);
    add_url(batch, 1, "http://www.a.org/", 0, 0, ACCEPT);
    add_url(batch, 2, "http://www.a.org/it's", 2, 1, ACCEPT);
    add_url(batch, 3, "http://a.org/old", 1, 1, ACCEPT);
    add_url(batch, 4, "http://b.org/new", 1, 1, ACCEPT);
    add_url(batch, 5, "http://b.org/missing", 3, 2, ACCEPT);
    add_url(batch, 6, "http://b.org/later", 2, 2, ACCEPT);
    add_url(batch, 7, "http://c.org:8080/q", 2, 2, ACCEPT);
    add_url(batch, 8, "http://c.org:8080/x", 1, 1, EXTERNAL);
    add_url(batch, 9, "http://dead.org/", 1, 1, ACCEPT);
    add_url(batch, 10, "http://dead.org/no", 1, 1, ACCEPT);
    add_sitemap(batch, 11, "http://a.org/map.xml", 2);
    add_sitemap(batch, 12, "http://a.org/map2.xml", 0);
    add_url(batch, 13, "http://b.org/text", 1, 1, ACCEPT);
    add_fetch(batch, 1, 1, FETCHED, 200, 0);
    add_fetch(batch, 2, 0, TIMED_OUT, 0, T2);
    storefile_commit(file, store);

    add_change(batch, 2, 1, 1, 3);
    add_change(batch, 5, 2, 2, 2);
    add_change(batch, 7, 2, 2, 4);
    add_fetch(batch, 3, 0, REDIRECTED, 301, 0);
    add_fetch(batch, 2, 2, FETCHED, 200, 0);
    add_fetch(batch, 4, 3, FETCHED, 200, 0);
    add_fetch(batch, 5, 0, HTTP_CLIENT_ERROR, 404, 0);
    add_fetch(batch, 6, 0, HTTP_SERVER_ERROR, 503, T2);
    add_fetch(batch, 11, 0, HTTP_CLIENT_ERROR, 410, 0);
    add_fetch(batch, 13, 0, NOT_HTML, 200, 0);
    storefile_commit(file, store);

    /* The later one counts. */
    add_change(batch, 5, 1, 1, 3);
    store_add_refusal(batch,
                      &(struct store_refusal){9, HOST_DEAD, NO_DNS, 0, T2});
    store_add_refusal(batch,
                      &(struct store_refusal){10, ROBOTS_REFUSED, 0, 4, T2});
    store_add_link(batch, &(struct store_link){.page = 1,
                                               .verdict = ACCEPT,
                                               .url = STR("http://x/"),
                                               .text = STR("a | text"),
                                               .rel = STR("me"),
                                               .fragment = STR("part")});
    store_add_link(batch, &(struct store_link){.page = 3,
                                               .verdict = DUPLICATE,
                                               .url = STR("http://y/")});
    storefile_commit(file, store);
    store_close(store);
}

static void assert_rows(const struct storefile *file, const char *sql,
                        const char *expected)
{
    struct buf got;

    buf_init(&got, 100000);
    storefile_sql(file, sql, &got);
    if (strcmp(buf_cstr(&got), expected))
        fail_msg("%s\nexpected:\n%s\ngot:\n%s", sql, expected, buf_cstr(&got));
    buf_release(&got);
}

static void pages(void **state)
{
    struct storefile *file = *state;

    make_crawl(file);
    assert_rows(
        file, "SELECT * FROM pages",
        "1|http://www.a.org/|0|-|200|text/html|100|0000000000000001|"
        "2024-05-06 07:08:09|2000|www.a.org|a.org|-\n"
        "2|http://www.a.org/it's|1|1|200|text/html|200|"
        "fffffffffffffffe|2024-05-06 07:08:09|2000|www.a.org|a.org|A title\n"
        "3|http://b.org/new|1|1|200|text/html|300|0000000000000003|"
        "2024-05-06 07:08:09|2000|b.org|b.org|-\n");
}

static void urls(void **state)
{
    struct storefile *file = *state;

    make_crawl(file);
    assert_rows(
        file, "SELECT * FROM urls ORDER BY number",
        "1|http://www.a.org/|www.a.org|a.org|0|0|0|saved|fetched|1|0\n"
        "2|http://www.a.org/it's|www.a.org|a.org|1|1|3|saved|fetched|2|0\n"
        "3|http://a.org/old|a.org|a.org|1|1|1|redirected|redirected|1|0\n"
        "4|http://b.org/new|b.org|b.org|1|1|1|saved|fetched|1|0\n"
        "5|http://b.org/missing|b.org|b.org|1|1|3|failed|client-error|1|0\n"
        "6|http://b.org/later|b.org|b.org|2|2|1|queued|server-error|1|"
        "1714979291123\n"
        "7|http://c.org:8080/q|c.org:8080|c.org|2|2|4|queued|-|0|-\n"
        "8|http://c.org:8080/x|c.org:8080|c.org|1|1|1|outside|external|0|-\n"
        "9|http://dead.org/|dead.org|dead.org|1|1|1|failed|host-dead|0|-\n"
        "10|http://dead.org/no|dead.org|dead.org|1|1|1|refused|robots|0|-\n"
        "13|http://b.org/text|b.org|b.org|1|1|1|not_kept|not-html|1|0\n");
}

static void queue(void **state)
{
    struct storefile *file = *state;

    make_crawl(file);
    assert_rows(file, "SELECT * FROM queue",
                "http://b.org/later|2|1|1|2|2024-05-06 07:08:11|b.org|b.org\n"
                "http://c.org:8080/q|2|4|0|2|-|c.org:8080|c.org\n");
}

static void domains(void **state)
{
    struct storefile *file = *state;

    make_crawl(file);
    assert_rows(file, "SELECT * FROM domains",
                "a.org|3|2|1|0|0|0|0|4\n"
                "b.org|4|1|0|1|1|0|1|4\n"
                "dead.org|2|0|0|0|1|1|0|0\n"
                "c.org|1|0|0|0|0|0|1|0\n");
}

static void errors(void **state)
{
    struct storefile *file = *state;

    make_crawl(file);
    assert_rows(file, "SELECT * FROM errors ORDER BY url",
                "http://a.org/map.xml|client-error|410|2024-05-06 07:08:11|-\n"
                "http://b.org/missing|client-error|404|2024-05-06 07:08:11|1\n"
                "http://dead.org/|no-dns|0|2024-05-06 07:08:11|1\n");
}

static void links(void **state)
{
    struct storefile *file = *state;

    make_crawl(file);
    assert_rows(file, "SELECT * FROM links",
                "1|http://www.a.org/|http://x/|a | text|me|accept|part\n"
                "3|http://b.org/new|http://y/|-|-|duplicate|-\n");
}

/* They are in no other view. */
static void requisites(void **state)
{
    struct storefile *file = *state;
    struct store_batch *batch = &file->batch;
    struct store_url row = {
        .url = STR("http://b.org/x"),
        .host = {"b.org", 5},
        .domain = {"b.org", 5},
        .referrer = 1,
        .kind = TARGET_REQUISITE,
        .nesting = NESTING_PAGE,
    };

    make_crawl(file);
    struct store *store = storefile_open(file, STORE_WRITE);
    row.host.ptr = row.domain.ptr = row.url.ptr + 7;
    for (row.number = 21; row.number < 25; row.number++) {
        row.via = row.number == 24 ? 21 : 0;
        store_add_url(batch, &row);
    }
    add_fetch(batch, 21, 0, FETCHED, 200, 0);
    add_fetch(batch, 22, 0, HTTP_CLIENT_ERROR, 404, 0);
    store_add_refusal(batch,
                      &(struct store_refusal){23, ROBOTS_REFUSED, 0, 4, T2});
    storefile_commit(file, store);
    store_close(store);
    assert_rows(file, "SELECT * FROM requisites",
                "21|http://b.org/x|1|-|saved|fetched|200|text/html|0\n"
                "22|http://b.org/x|1|-|failed|client-error|404||0\n"
                "23|http://b.org/x|1|-|refused|robots|-|-|-\n"
                "24|http://b.org/x|1|21|queued|-|-|-|-\n");
    assert_rows(file, "SELECT count(*) FROM urls WHERE number > 20", "0\n");
    assert_rows(file, "SELECT count(*) FROM errors WHERE url LIKE '%/x'",
                "0\n");
}

/* Without a row nothing fails, and every view has the columns of the man
 * page. */
static void captures(void **state)
{
    struct storefile *file = *state;

    store_add_archive(&file->batch, &(struct store_archive){7, STR("f"), 9});
    store_add_capture(&file->batch,
                      &(struct store_capture){1, 7, 9, 10, 11, STR("u"), 0, 200,
                                              STR("text/html"), STR("sha1:X"),
                                              T0, 0});
    store_add_capture(&file->batch,
                      &(struct store_capture){2, 7, 30, 10, 0, STR("v"), 1, 404,
                                              STR(""), STR("sha1:X"), T2, 1});
    storefile_create(file);
    assert_rows(file, "SELECT * FROM captures",
                "1|u|response|200|text/html|sha1:X|2024-05-06T07:08:09.123Z|f|"
                "9|10|11|-\n"
                "2|v|revisit|404||sha1:X|2024-05-06T07:08:11.123Z|f|30|10|0|"
                "1\n");
}

static void columns(void **state)
{
    static const struct {
        const char *view, *columns;
    } rows[] = {
        {"pages",
         "id url depth referrer status mime size digest fetched ms host "
         "domain title"},
        {"urls",
         "number url host domain depth referrer found state outcome fetches "
         "due_ms"},
        {"queue", "url depth found fetches referrer due host domain"},
        {"domains",
         "domain urls pages redirected not_kept failed refused queued "
         "fetches"},
        {"errors", "url outcome status at referrer"},
        {"links", "page source target text rel verdict fragment"},
        {"requisites",
         "number url referrer via state outcome status mime size"},
        {"captures", "number url kind status mime digest fetched file at "
                     "length request_length refers"},
    };
    struct storefile *file = *state;
    char sql[200], expected[200];

    storefile_create(file);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(sql, sizeof(sql), "SELECT * FROM %s", rows[i].view);
        assert_rows(file, sql, "");
        snprintf(sql, sizeof(sql),
                 "SELECT group_concat(name, ' ') FROM pragma_table_info('%s')",
                 rows[i].view);
        snprintf(expected, sizeof(expected), "%s\n", rows[i].columns);
        assert_rows(file, sql, expected);
    }
    assert_rows(file, "SELECT count(*) FROM sqlite_master WHERE type = 'view'",
                "8\n");
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, storefile_setup, storefile_teardown)
    const struct CMUnitTest tests[] = {
        CASE(pages),    CASE(urls),       CASE(queue),
        CASE(domains),  CASE(errors),     CASE(links),
        CASE(captures), CASE(requisites), CASE(columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
