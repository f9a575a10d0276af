/* Captures by their URL, and revisits with the payload of their original. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "archive/collection.h"
#include "archive/zip.h"
#include "support/tempdir.h"

static struct tempdir dir;

static int set_up(void **state)
{
    (void)state;
    tempdir_make(&dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

/* Append a record. `fields` are lines with CR LF. */
static void put_record(struct buf *out, const char *type, const char *url,
                       const char *date, const char *fields, const char *block)
{
    buf_printf(out,
               "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n"
               "WARC-Date: %s\r\n%sContent-Length: %zu\r\n\r\n%s\r\n\r\n",
               type, url, date, fields, strlen(block), block);
}

#define RESPONSE(body) "HTTP/1.1 200 OK\r\nX: original\r\n\r\n" body
#define HEAD           "HTTP/1.1 200 OK\r\nX: revisit\r\n\r\n"

static void put_responses(struct buf *out)
{
    put_record(out, "warcinfo", "", "2026-01-01T00:00:00Z", "", "a: b");
    put_record(out, "response", "http://a", "2026-01-01T00:00:00Z",
               "WARC-Record-ID: <urn:1>\r\nWARC-Payload-Digest: sha1:AA\r\n",
               RESPONSE("old"));
    put_record(out, "request", "http://a/", "2026-01-05T00:00:00Z", "",
               "GET / HTTP/1.1\r\n\r\n");
    put_record(out, "response", "http://A/#x", "2026-01-03T00:00:00.5Z",
               "WARC-Record-ID: <urn:2>\r\nWARC-Payload-Digest: sha1:BB\r\n",
               RESPONSE("new"));
    put_record(out, "response", "<http://a/wget>", "2026-01-03T00:00:00Z", "",
               "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
               "3\r\nabc\r\n0\r\n\r\n");
}

/* Collect what is in `file` with the name a.warc. */
static struct collection *collect(const struct buf *file)
{
    struct collection *collection = collection_new();
    struct collection_error error;
    char path[100];

    tempdir_write(&dir, "a.warc", buf_str(file));
    snprintf(path, sizeof(path), "%s/a.warc", dir.path);
    if (!collection_add_path(collection, path, NULL, NULL, &error))
        fail_msg("%s", error.text);
    return collection;
}

static void check(struct collection *collection, const char *url,
                  uint64_t near_ms, const char *wanted)
{
    struct captured captured;

    if (collection_find(collection, str_of(url), near_ms, &captured) !=
        CAPTURE_FOUND) {
        if (*wanted)
            fail_msg("%s: not found", url);
        return;
    }
    if (!str_eq(captured.http.body, str_of(wanted)))
        fail_msg("%s: '%.*s', wanted '%s'", url, STR_ARGS(captured.http.body),
                 wanted);
}

static void captures_are_found(void **state)
{
    enum { DAY = 24 * 3600 * 1000 };
    uint64_t jan_1 = 1767225600000;
    struct buf file;

    (void)state;
    buf_init(&file, 1 << 20);
    put_responses(&file);
    struct collection *collection = collect(&file);
    assert_int_equal(collection_count(collection), 3);
    check(collection, "http://a/", UINT64_MAX, "new");
    check(collection, "http://a", 0, "old");
    check(collection, "HTTP://a:80/#y", jan_1 + DAY / 2, "old");
    check(collection, "http://a/", jan_1 + 2 * DAY, "new");
    check(collection, "http://a/wget", 0, "abc");
    check(collection, "https://a/", 0, "");
    check(collection, "http://a/x", 0, "");
    check(collection, "", 0, "");
    collection_free(collection);
    buf_release(&file);
}

/* A picture may be fetched as a link, and cut, and as a part of a page. */
static void what_is_whole_goes_first(void **state)
{
    struct buf file;

    (void)state;
    buf_init(&file, 1 << 20);
    put_record(&file, "response", "http://a/", "2026-01-01T00:00:00Z", "",
               RESPONSE("whole"));
    put_record(&file, "response", "http://a/", "2026-01-02T00:00:00Z",
               "WARC-Truncated: unspecified\r\n", RESPONSE("cut"));
    put_record(&file, "response", "http://b/", "2026-01-01T00:00:00Z", "",
               RESPONSE("whole"));
    put_record(&file, "response", "http://b/", "2026-01-02T00:00:00Z",
               "WARC-Truncated: length\r\n", "HTTP/1.1 404 X\r\n\r\ngone");
    put_record(&file, "response", "http://c/", "2026-01-02T00:00:00Z",
               "WARC-Truncated: time\r\n", RESPONSE("cut"));
    struct collection *collection = collect(&file);
    check(collection, "http://a/", UINT64_MAX, "whole");
    check(collection, "http://b/", UINT64_MAX, "gone");
    check(collection, "http://c/", UINT64_MAX, "cut");
    collection_free(collection);
    buf_release(&file);
}

static const struct {
    const char *name, *fields, *block, *wanted;
} revisits[] = {
    {"by URL and date",
     "WARC-Refers-To-Target-URI: http://a/\r\n"
     "WARC-Refers-To-Date: 2026-01-01T00:00:00Z\r\n",
     HEAD, "revisit old"},
    {"by URL and another date",
     "WARC-Refers-To-Target-URI: http://a/\r\n"
     "WARC-Refers-To-Date: 2026-01-04T00:00:00Z\r\n",
     HEAD, "revisit new"},
    {"the digest decides between two",
     "WARC-Refers-To-Target-URI: http://a/\r\n"
     "WARC-Refers-To-Date: 2026-01-04T00:00:00Z\r\n"
     "WARC-Payload-Digest: SHA1:aa\r\n",
     HEAD, "revisit old"},
    {"by id", "WARC-Refers-To: <urn:1>\r\n", HEAD, "revisit old"},
    {"a URL that is not there, then by id",
     "WARC-Refers-To-Target-URI: http://b/\r\nWARC-Refers-To: <urn:2>\r\n",
     HEAD, "revisit new"},
    {"by digest", "WARC-Payload-Digest: sha1:AA\r\n", HEAD, "revisit old"},
    {"no head", "WARC-Refers-To: <urn:1>\r\n", "", "original old"},
    {"status 304", "WARC-Refers-To: <urn:1>\r\n",
     "HTTP/1.1 304 Not Modified\r\n\r\n", "original old"},
    {"its digest is not there", "WARC-Payload-Digest: sha1:CC\r\n", HEAD, ""},
    {"the id has another digest",
     "WARC-Refers-To: <urn:1>\r\nWARC-Payload-Digest: sha1:CC\r\n", HEAD, ""},
    {"of itself", "WARC-Record-ID: <urn:9>\r\nWARC-Refers-To: <urn:9>\r\n",
     HEAD, ""},
    {"of itself by URL",
     "WARC-Refers-To-Target-URI: http://r/\r\n"
     "WARC-Refers-To-Date: 2026-01-05T00:00:00Z\r\n",
     HEAD, ""},
    {"of nothing", "", HEAD, ""},
};

static void revisits_are_followed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(revisits); i++) {
        struct buf file, got;
        struct captured captured;

        buf_init(&file, 1 << 20);
        buf_init(&got, 1 << 20);
        /* The original may be behind the revisit. */
        put_record(&file, "revisit", "http://r/", "2026-01-05T00:00:00Z",
                   revisits[i].fields, revisits[i].block);
        put_responses(&file);
        struct collection *collection = collect(&file);
        if (collection_find(collection, STR("http://r/"), 0, &captured) ==
            CAPTURE_FOUND) {
            const char *word = strstr(captured.http.head.ptr, "X: ") + 3;
            buf_printf(&got, "%.*s %.*s", (int)strcspn(word, "\r"), word,
                       STR_ARGS(captured.http.body));
            assert_true(captured.is_revisit);
            assert_true(str_eq(captured.url, STR("http://r/")));
        }
        if (strcmp(buf_cstr(&got), revisits[i].wanted) != 0)
            fail_msg("%s: '%s', wanted '%s'", revisits[i].name, buf_cstr(&got),
                     revisits[i].wanted);
        collection_free(collection);
        buf_release(&file);
        buf_release(&got);
    }
}

/* --- bodies that are too long for memory -----------------------------------
 */

enum { LONG = WARC_START_MAX + 300000 };

static char letter_at(size_t i)
{
    return (char)('a' + i * i % 23);
}

/* A response with LONG bytes, also as chunks of 70,000. */
static void put_long(struct buf *out, const char *url, const char *fields,
                     bool in_chunks)
{
    struct buf block;

    buf_init(&block, 4 * LONG);
    buf_printf(&block, "HTTP/1.1 200 OK\r\nX: original\r\n%s\r\n",
               in_chunks ? "Transfer-Encoding: chunked\r\n" : "");
    for (size_t i = 0; i < LONG; i++) {
        size_t left = LONG - i < 70000 ? LONG - i : 70000;
        if (in_chunks && i % 70000 == 0)
            buf_printf(&block, "%s%zx;ext=\"y\"\r\n", i ? "\r\n" : "", left);
        buf_put_char(&block, letter_at(i));
    }
    if (in_chunks)
        buf_put(&block, STR("\r\n0\r\nTrailer: x\r\n\r\n"));
    put_record(out, "response", url, "2026-01-01T00:00:00Z", fields,
               buf_cstr(&block));
    buf_release(&block);
}

/* The collection may be asked other things meanwhile. */
static void check_long(struct collection *collection, const char *url,
                       uint64_t len)
{
    struct captured captured;
    struct str bytes;
    enum long_body_got got;
    size_t at = 0;

    assert_int_equal(collection_find(collection, str_of(url), 0, &captured),
                     CAPTURE_FOUND);
    assert_true(captured.body.is_long);
    assert_int_equal(captured.body.len, len);
    assert_int_equal(captured.http.body.len, 0);
    struct long_body *body = long_body_open(&captured.body.place);
    assert_non_null(body);
    check(collection, "http://a/", 0, "old");
    while ((got = long_body_read(body, &bytes)) == LONG_BODY_BYTES) {
        assert_true(bytes.len > 0);
        for (size_t i = 0; i < bytes.len; i++, at++)
            if (bytes.ptr[i] != letter_at(at))
                fail_msg("%s: byte %zu", url, at);
    }
    assert_int_equal(got, LONG_BODY_END);
    assert_int_equal(at, LONG);
    long_body_free(body);
}

static void long_bodies_are_read_piece_by_piece(void **state)
{
    struct captured captured;
    struct buf file;

    (void)state;
    buf_init(&file, 8 * LONG);
    put_responses(&file);
    put_long(&file, "http://long/", "WARC-Record-ID: <urn:5>\r\n", false);
    put_record(&file, "revisit", "http://again/", "2026-01-05T00:00:00Z",
               "WARC-Refers-To: <urn:5>\r\n", HEAD);
    put_long(&file, "http://chunks/", "", true);
    struct collection *collection = collect(&file);
    check_long(collection, "http://long/", LONG);
    check_long(collection, "http://chunks/", CAPTURED_LEN_UNKNOWN);
    check_long(collection, "http://again/", LONG);
    collection_find(collection, STR("http://again/"), 0, &captured);
    assert_true(
        str_starts(captured.http.head, STR("HTTP/1.1 200 OK\r\nX: revisit")));
    collection_find(collection, STR("http://a/"), 0, &captured);
    assert_false(captured.body.is_long);
    assert_int_equal(captured.body.len, 3);
    collection_free(collection);
    buf_release(&file);
}

static void a_long_body_that_is_cut_off_is_told(void **state)
{
    struct captured captured;
    struct str bytes;
    enum long_body_got got;
    struct buf file;

    (void)state;
    buf_init(&file, 8 * LONG);
    put_long(&file, "http://long/", "", false);
    file.len -= 1000;
    struct collection *collection = collect(&file);
    /* It is in no index: the record is not whole. */
    assert_int_equal(collection_count(collection), 0);
    collection_free(collection);
    file.len = 0;
    put_long(&file, "http://long/", "", false);
    collection = collect(&file);
    file.len -= 1000; /* after it was indexed */
    tempdir_write(&dir, "a.warc", buf_str(&file));
    assert_int_equal(
        collection_find(collection, STR("http://long/"), 0, &captured),
        CAPTURE_FOUND);
    struct long_body *body = long_body_open(&captured.body.place);
    while ((got = long_body_read(body, &bytes)) == LONG_BODY_BYTES)
        ;
    assert_int_equal(got, LONG_BODY_BROKEN);
    long_body_free(body);
    collection_free(collection);
    buf_release(&file);
}

/* A capture that cannot be read is no URL that was never recorded. */
static void what_cannot_be_read_is_told(void **state)
{
    struct captured captured;
    struct buf file;

    (void)state;
    buf_init(&file, 1 << 20);
    put_responses(&file);
    put_record(&file, "revisit", "http://orphan/", "2026-01-05T00:00:00Z",
               "WARC-Payload-Digest: sha1:CC\r\n", HEAD);
    put_record(&file, "response", "http://damaged/", "2026-01-05T00:00:00Z", "",
               "no HTTP");
    struct collection *collection = collect(&file);
    assert_int_equal(
        collection_find(collection, STR("http://orphan/"), 0, &captured),
        CAPTURE_UNREADABLE);
    assert_string_equal(collection_problem(collection),
                        "it refers to a record that is not there");
    assert_int_equal(
        collection_find(collection, STR("http://damaged/"), 0, &captured),
        CAPTURE_UNREADABLE);
    assert_string_equal(collection_problem(collection),
                        "its record is no HTTP response");
    assert_int_equal(
        collection_find(collection, STR("http://none/"), 0, &captured),
        CAPTURE_NONE);
    collection_free(collection);
    buf_release(&file);
}

/* The payload is in a file that is no part of the collection. */
static void an_original_of_another_archive_is_read_there(void **state)
{
    struct buf file, other;
    size_t count;
    char path[100];

    (void)state;
    buf_init(&file, 1 << 20);
    buf_init(&other, 1 << 20);
    put_record(&other, "response", "http://x/", "2026-01-01T00:00:00Z", "",
               RESPONSE("not this one"));
    size_t at = other.len;
    put_record(&other, "response", "http://y/", "2026-01-01T00:00:00Z",
               "WARC-Payload-Digest: sha1:CC\r\n", RESPONSE("far away"));
    tempdir_write(&dir, "other.warc", buf_str(&other));
    snprintf(path, sizeof(path), "%s/other.warc", dir.path);
    put_responses(&file);
    put_record(&file, "revisit", "http://orphan/", "2026-01-05T00:00:00Z",
               "WARC-Payload-Digest: sha1:CC\r\n", HEAD);
    struct collection *collection = collect(&file);
    check(collection, "http://orphan/", 0, "");
    const uint64_t *revisited = collection_revisited(collection, &count);
    assert_int_equal(count, 1);
    assert_true(*revisited == collection_digest_key(STR("sha1:CC")));
    collection_add_original(collection, STR("sha1:CC"), path, at);
    check(collection, "http://orphan/", 0, "far away");
    check(collection, "http://y/", 0, ""); /* it is no capture of this one */
    assert_int_equal(collection_count(collection), 4);
    collection_free(collection);
    buf_release(&file);
    buf_release(&other);
}

static bool count_marked(void *user, const struct captured *captured)
{
    unsigned *count = user;

    count[captured->is_marked]++;
    return true;
}

/* Two archives: only the records of the first say which of them are pages. A
 * date that is none is not known. */
static void archives_differ_in_their_marks(void **state)
{
    struct collection_error error;
    struct captured captured;
    unsigned marked[2] = {0};
    struct buf file;
    char path[100];

    (void)state;
    buf_init(&file, 1 << 20);
    put_responses(&file);
    put_record(&file, "response", "http://page/", "2026-01-05T00:00:00Z",
               "WARC-Page-Depth: 2\r\n", RESPONSE("page"));
    struct collection *collection = collect(&file);
    buf_clear(&file);
    put_record(&file, "response", "http://other/", "yesterday", "",
               RESPONSE("other"));
    tempdir_write(&dir, "b.warc", buf_str(&file));
    snprintf(path, sizeof(path), "%s/b.warc", dir.path);
    assert_true(collection_add_path(collection, path, NULL, NULL, &error));
    assert_true(collection_each(collection, count_marked, marked));
    assert_int_equal(marked[true], 4);
    assert_int_equal(marked[false], 1);
    assert_int_equal(
        collection_find(collection, STR("http://other/"), 7, &captured),
        CAPTURE_FOUND);
    assert_int_equal(captured.date_ms, 0);
    collection_free(collection);
    buf_release(&file);
}

static bool put_url(void *user, const struct captured *captured)
{
    buf_printf(user, "%.*s ", STR_ARGS(captured->url));
    return true;
}

static void count_note(void *user, const char *text)
{
    (void)text;
    ++*(unsigned *)user;
}

static void a_page_directory_has_its_files_in_order(void **state)
{
    static const char *const names[] = {
        "archive/b-2.warc.gz.open",
        "archive/b-10.warc",
        "archive/a.warc",
        "archive/c.warc.gz.tmp",
    };
    struct collection *collection = collection_new();
    struct collection_error error;
    struct buf file, got;
    unsigned notes = 0;

    (void)state;
    buf_init(&file, 1 << 20);
    buf_init(&got, 1 << 20);
    assert_false(collection_add_path(collection, dir.path, NULL, NULL, &error));
    tempdir_mkdir(&dir, "archive");
    assert_false(collection_add_path(collection, dir.path, NULL, NULL, &error));
    assert_non_null(strstr(error.text, "archive: there is no WARC file"));
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char url[60];
        buf_clear(&file);
        snprintf(url, sizeof(url), "http://h/%s", names[i]);
        put_record(&file, "response", url, "2026-01-01T00:00:00Z", "",
                   RESPONSE("x"));
        if (i == 0) /* cut off */
            buf_put(&file, STR("WARC/1.1\r\n"));
        tempdir_write(&dir, names[i], buf_str(&file));
    }
    assert_true(
        collection_add_path(collection, dir.path, count_note, &notes, &error));
    assert_int_equal(notes, 1);
    assert_true(collection_each(collection, put_url, &got));
    assert_string_equal(buf_cstr(&got),
                        "http://h/archive/a.warc http://h/archive/b-10.warc "
                        "http://h/archive/b-2.warc.gz.open ");
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(unlinkat(dir.fd, names[i], 0), 0);
    collection_free(collection);
    buf_release(&file);
    buf_release(&got);
}

static void put_entry(struct zip_writer *zip, const char *name,
                      struct str bytes)
{
    assert_true(zip_begin(zip, name, bytes.len, 0));
    assert_true(zip_add(zip, bytes));
    assert_true(zip_end(zip));
}

/* The WARC files in a WACZ are read where they lie; other files are not. */
static void a_wacz(void **state)
{
    struct collection *collection = collection_new();
    struct collection_error error;
    struct buf file, got;
    char path[100];

    (void)state;
    buf_init(&file, 1 << 20);
    buf_init(&got, 1 << 20);
    snprintf(path, sizeof(path), "%s/a.wacz", dir.path);
    int fd = openat(dir.fd, "a.wacz", O_RDWR | O_CREAT, 0644);
    struct zip_writer *zip = zip_writer_new(fd);
    assert_non_null(zip);
    put_record(&file, "response", "http://b/", "2026-01-01T00:00:00Z", "",
               RESPONSE("two"));
    put_entry(zip, "other/b.warc", buf_str(&file));
    put_entry(zip, "archive/b.warc", buf_str(&file));
    put_entry(zip, "archive/empty.warc", STR(""));
    buf_clear(&file);
    put_record(&file, "revisit", "http://a/", "2026-01-01T00:00:00Z",
               "WARC-Refers-To-Target-URI: http://b/\r\n", HEAD);
    put_entry(zip, "archive/a.warc", buf_str(&file));
    put_entry(zip, "datapackage.json", STR("{}"));
    assert_true(zip_finish(zip));
    zip_writer_free(zip);
    close(fd);
    if (!collection_add_path(collection, path, NULL, NULL, &error))
        fail_msg("%s", error.text);
    assert_true(collection_each(collection, put_url, &got));
    assert_string_equal(buf_cstr(&got), "http://b/ http://a/ ");
    check(collection, "http://a/", 0, "two");
    tempdir_write(&dir, "a.wacz", STR("PK\x03\x04 no zip"));
    assert_false(collection_add_path(collection, path, NULL, NULL, &error));
    collection_free(collection);
    buf_release(&file);
    buf_release(&got);
}

/* More files than are open at a time. */
static void many_files(void **state)
{
    enum { FILES = 20 };
    struct collection *collection = collection_new();
    struct collection_error error;
    char name[20], path[100], url[40], body[60], wanted[20];
    struct buf file;

    (void)state;
    buf_init(&file, 1 << 20);
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "%u.warc", i);
        snprintf(path, sizeof(path), "%s/%s", dir.path, name);
        snprintf(url, sizeof(url), "http://h/%u", i);
        snprintf(body, sizeof(body), RESPONSE("%u"), i);
        buf_clear(&file);
        put_record(&file, "response", url, "2026-01-01T00:00:00Z", "", body);
        tempdir_write(&dir, name, buf_str(&file));
        assert_true(collection_add_path(collection, path, NULL, NULL, &error));
    }
    for (unsigned i = 0; i < 3 * FILES; i++) {
        unsigned number = i * 7 % FILES;
        snprintf(url, sizeof(url), "http://h/%u", number);
        snprintf(wanted, sizeof(wanted), "%u", number);
        check(collection, url, 0, wanted);
    }
    collection_free(collection);
    buf_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(captures_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_whole_goes_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(long_bodies_are_read_piece_by_piece,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_body_that_is_cut_off_is_told,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            an_original_of_another_archive_is_read_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(archives_differ_in_their_marks, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(revisits_are_followed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_page_directory_has_its_files_in_order,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wacz, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_files, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
