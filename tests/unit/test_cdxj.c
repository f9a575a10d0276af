#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "archive/cdxj.h"

enum { LINE_MAX_LEN = 64 << 10 };

static const struct cdxj_entry example = {
    .url = STR_INIT("http://www.example.com/a?b=\"\\\x01"),
    .date_ms = 1714979289123,
    .status = 200,
    .mime = STR_INIT("text/html"),
    .digest = STR_INIT("sha1:ABC"),
    .file_name = STR_INIT("x.warc.gz"),
    .at = 9876543210,
    .length = 17,
};

static void line(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, LINE_MAX_LEN);
    assert_true(cdxj_put(&out, STR("com,example)/a?b="), &example));
    assert_string_equal(
        buf_cstr(&out),
        "com,example)/a?b= 20240506070809 "
        "{\"url\":\"http://www.example.com/a?b=\\\"\\\\\\u0001\","
        "\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"sha1:ABC\","
        "\"length\":\"17\",\"offset\":\"9876543210\","
        "\"filename\":\"x.warc.gz\"}\n");
    buf_release(&out);
    buf_init(&out, 100);
    assert_false(cdxj_put(&out, STR("com,example)/a?b="), &example));
    assert_int_equal(out.len, 0);
    buf_release(&out);
}

static void there_and_back(void **state)
{
    struct buf out, scratch;
    struct cdxj_entry got;

    (void)state;
    buf_init(&out, LINE_MAX_LEN);
    buf_init(&scratch, LINE_MAX_LEN);
    assert_true(cdxj_put(&out, STR("key"), &example));
    assert_true(cdxj_parse(buf_str(&out), &scratch, &got));
    assert_true(str_eq(got.url, example.url));
    assert_true(str_eq(got.mime, example.mime));
    assert_true(str_eq(got.digest, example.digest));
    assert_true(str_eq(got.file_name, example.file_name));
    assert_int_equal(got.date_ms, 1714979289000);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.at, example.at);
    assert_int_equal(got.length, 17);
    buf_release(&out);
    buf_release(&scratch);
}

/* Lines of other writers, with what is read of them: URL, file, offset, length,
 * status, and digest. */
static void other_writers(void **state)
{
    static const struct {
        const char *line, *want;
    } rows[] = {
        {"com,x)/ 20240506070809 {\"url\": \"http://x.com/\", \"mime\": "
         "\"text/html\", \"status\": 200, \"length\": 5, \"offset\": 7, "
         "\"filename\": \"f\"}",
         "http://x.com/ f 7 5 200 "},
        {"com,x)/ 20240506070809123 {\"filename\":\"f\",\"offset\":\"7\","
         "\"url\":\"http:\\/\\/x.com\\/\\u00fc\\ud83d\\ude00\\ud800\","
         "\"status\":\"-\",\"digest\":\"D\"}\r\n",
         "http://x.com/\xc3\xbc\xf0\x9f\x98\x80\xef\xbf\xbd f 7 0 0 D"},
        {"k 20240506070809 {\"a\":[1,{\"b\":\"]}\"}],\"url\":\"u\","
         "\"requestBody\":null,\"offset\":\"0\",\"filename\":\"f\",\"t\":true}",
         "u f 0 0 0 "},
        {"k 20240506070809 {\"url\":\"u\",\"offset\":\"0\"}", NULL},
        {"k 20240506070809 {\"url\":\"u\",\"filename\":\"f\"}", NULL},
        {"k 20240506070809 {\"offset\":\"0\",\"filename\":\"f\"}", NULL},
        {"k 20240506070809 {\"url\":\"u\",\"offset\":\"-1\","
         "\"filename\":\"f\"}",
         NULL},
        {"k 20240506070809 {\"url\":\"u\",\"offset\":\"0\","
         "\"filename\":\"f\"",
         NULL},
        {"k 20240506070809 {\"url\":\"u\",\"offset\":\"0\","
         "\"filename\":\"f\"} x",
         NULL},
        {"k 20240506070809 {\"url\":\"u\\x\",\"offset\":\"0\","
         "\"filename\":\"f\"}",
         NULL},
        {"k 2024 {\"url\":\"u\",\"offset\":\"0\",\"filename\":\"f\"}", NULL},
        {"k 20240506070809", NULL},
        {" 20240506070809 {\"url\":\"u\",\"offset\":\"0\","
         "\"filename\":\"f\"}",
         NULL},
        {"!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": "
         "\"index.cdx.gz\"}",
         NULL},
        {" CDX N b a m s k r M S V g", NULL},
        {"k 20240506070809 "
         "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]"
         "]]]]]]]]]]]]]]]]]],\"url\":\"u\",\"offset\":\"0\",\"filename\":"
         "\"f\"}",
         NULL},
        {"k 20240506070809 {\"a\":x,\"url\":\"u\",\"offset\":\"0\","
         "\"filename\":\"f\"}",
         NULL},
        {"", NULL},
    };
    struct buf scratch, text;

    (void)state;
    buf_init(&scratch, LINE_MAX_LEN);
    buf_init(&text, LINE_MAX_LEN);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cdxj_entry got;
        bool good = cdxj_parse(str_of(rows[i].line), &scratch, &got);

        if (good != (rows[i].want != NULL))
            fail_msg("%s: %s", rows[i].line, good ? "read" : "not read");
        if (!good)
            continue;
        buf_clear(&text);
        buf_printf(&text, "%.*s %.*s %llu %llu %u %.*s", STR_ARGS(got.url),
                   STR_ARGS(got.file_name), (unsigned long long)got.at,
                   (unsigned long long)got.length, got.status,
                   STR_ARGS(got.digest));
        assert_string_equal(buf_cstr(&text), rows[i].want);
    }
    buf_release(&scratch);
    buf_release(&text);
}

/* --- sorting -------------------------------------------------------------- */

static bool collect(void *user, struct str text)
{
    struct str key = str_first(text, str_find(text, '{'));
    struct buf scratch;
    struct cdxj_entry entry;

    buf_init(&scratch, LINE_MAX_LEN);
    assert_true(cdxj_parse(text, &scratch, &entry));
    buf_printf(user, "%.*s%llu\n", STR_ARGS(key), (unsigned long long)entry.at);
    buf_release(&scratch);
    return true;
}

static void add(struct cdxj_sorter *sorter, const char *url, uint64_t at)
{
    struct cdxj_entry entry = example;

    entry.url = str_of(url);
    entry.at = at;
    assert_true(cdxj_sorter_add(sorter, &entry));
}

/* In the order of bytes, a line under each key, equal lines once. */
static void sorted(void **state)
{
    struct cdxj_sorter *sorter = cdxj_sorter_new();
    struct buf got;

    (void)state;
    assert_non_null(sorter);
    add(sorter, "http://b.example/", 1);
    add(sorter, "http://a.example/dir/", 2);
    add(sorter, "http://a.example/dir", 3);
    add(sorter, "http://a.example/Z", 4);
    add(sorter, "http://b.example/", 1);
    add(sorter, "http://a.example:8080/", 5);
    buf_init(&got, LINE_MAX_LEN);
    assert_true(cdxj_sorter_each(sorter, collect, &got));
    assert_string_equal(buf_cstr(&got), "example,a)/dir 20240506070809 3\n"
                                        "example,a)/dir 20240506070809 2\n"
                                        "example,a)/dir/ 20240506070809 2\n"
                                        "example,a)/z 20240506070809 4\n"
                                        "example,a:8080)/ 20240506070809 5\n"
                                        "example,b)/ 20240506070809 1\n");
    buf_release(&got);
    cdxj_sorter_free(sorter);
}

/* Chromium asks for "%7C" where a page has "|" in a path. */
static void other_spelling(void **state)
{
    struct cdxj_sorter *sorter = cdxj_sorter_new();
    struct buf got;

    (void)state;
    add(sorter, "http://a.example/||?|", 1);
    add(sorter, "http://a.example/q?|", 2);
    buf_init(&got, LINE_MAX_LEN);
    assert_true(cdxj_sorter_each(sorter, collect, &got));
    assert_string_equal(buf_cstr(&got), "example,a)/%7c%7c?| 20240506070809 1\n"
                                        "example,a)/q?| 20240506070809 2\n"
                                        "example,a)/||?| 20240506070809 1\n");
    buf_release(&got);
    cdxj_sorter_free(sorter);
}

static bool stop_at_second(void *user, struct str text)
{
    (void)text;
    return ++*(int *)user < 2;
}

static void stopped(void **state)
{
    struct cdxj_sorter *sorter = cdxj_sorter_new();
    int lines = 0;

    (void)state;
    add(sorter, "http://b.example/1", 1);
    add(sorter, "http://b.example/2", 2);
    add(sorter, "http://b.example/3", 3);
    assert_false(cdxj_sorter_each(sorter, stop_at_second, &lines));
    assert_int_equal(lines, 2);
    cdxj_sorter_free(sorter);
}

/* A line has a cap; that is not a lack of room. */
static void too_long(void **state)
{
    struct cdxj_sorter *sorter = cdxj_sorter_new();
    struct cdxj_entry entry = example;
    struct buf text;

    (void)state;
    buf_init(&text, 2 << 20);
    while (text.len < 1 << 20)
        buf_put(&text, STR("http://a/"));
    entry.mime = buf_str(&text);
    errno = 0;
    assert_false(cdxj_sorter_add(sorter, &entry));
    assert_int_equal(errno, EFBIG);
    entry = example;
    entry.url = buf_str(&text);
    errno = 0;
    assert_false(cdxj_sorter_add(sorter, &entry));
    assert_int_equal(errno, EFBIG);
    cdxj_sorter_free(sorter);
    buf_release(&text);
}

static void empty(void **state)
{
    struct cdxj_sorter *sorter = cdxj_sorter_new();
    int lines = 0;

    (void)state;
    assert_true(cdxj_sorter_each(sorter, stop_at_second, &lines));
    assert_int_equal(lines, 0);
    cdxj_sorter_free(sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line),

        cmocka_unit_test(there_and_back), cmocka_unit_test(other_writers),
        cmocka_unit_test(sorted),         cmocka_unit_test(other_spelling),
        cmocka_unit_test(stopped),        cmocka_unit_test(too_long),
        cmocka_unit_test(empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
