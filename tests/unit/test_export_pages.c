/* Page files out of archives: which captures are pages, and their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libdeflate.h>

#include "report/export_pages.h"
#include "support/tempdir.h"

static struct tempdir dir, out;
static struct buf file;

static int set_up(void **state)
{
    (void)state;
    tempdir_make(&dir);
    tempdir_make(&out);
    buf_init(&file, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    tempdir_remove(&out);
    buf_release(&file);
    return 0;
}

/* Append a response with these fields of the record and of the head, each with
 * its CR LF. */
static void put(const char *url, const char *fields, int status,
                const char *head, struct str body)
{
    struct buf block;

    buf_init(&block, 1 << 20);
    buf_printf(&block, "HTTP/1.1 %d X\r\n%s\r\n", status, head);
    buf_put(&block, body);
    buf_printf(&file,
               "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
               "WARC-Date: 2026-01-01T00:00:00Z\r\n%sContent-Length: "
               "%zu\r\n\r\n",
               url, fields, block.len);
    buf_put(&file, buf_str(&block));
    buf_put(&file, STR("\r\n\r\n"));
    buf_release(&block);
}

#define HTML "Content-Type: text/html; charset=utf-8\r\n"

static void export(struct exported_pages *exported)
{
    struct collection *collection = collection_new();
    struct collection_error error;
    struct pagedir pages;
    char path[100];

    tempdir_write(&dir, "a.warc", buf_str(&file));
    snprintf(path, sizeof(path), "%s/a.warc", dir.path);
    assert_true(collection_add_path(collection, path, NULL, NULL, &error));
    assert_true(pagedir_open(&pages, out.path));
    assert_true(export_pages(collection, &pages, exported));
    pagedir_close(&pages);
    collection_free(collection);
}

static void expect_page(const char *name, const char *wanted)
{
    struct buf bytes;

    buf_init(&bytes, 1 << 20);
    assert_true(tempdir_read(&out, name, &bytes));
    assert_string_equal(buf_cstr(&bytes), wanted);
    buf_release(&bytes);
}

static void an_archive_of_others(void **state)
{
    struct exported_pages exported;
    char packed[200];
    struct libdeflate_compressor *gz = libdeflate_alloc_compressor(6);
    size_t len =
        libdeflate_gzip_compress(gz, "packed", 6, packed, sizeof(packed));

    (void)state;
    libdeflate_free_compressor(gz);
    put("http://a/robots.txt", "", 200, HTML, STR("no such file"));
    put("<http://A>", "", 200, HTML, STR("one"));
    put("http://a/gone", "", 404, HTML, STR("gone"));
    put("http://a/pic", "", 200, "Content-Type: image/png\r\n", STR("<html>"));
    put("http://a/cut", "WARC-Truncated: length\r\n", 200, HTML, STR("cut"));
    put("http://a/empty", "", 200, HTML, STR(""));
    put("http://a/gz", "", 200, HTML "Content-Encoding: gzip\r\n",
        (struct str){packed, len});
    put("http://a/bad", "", 200, HTML "Content-Encoding: gzip\r\n",
        STR("not packed"));
    put("http://a/new", "", 200, HTML "Content-Encoding: new\r\n", STR("x"));
    put("http://a/#again", "", 200, HTML, STR("again"));
    put("http://a/bare", "", 200, "", STR("<!doctype html>bare"));
    put("http://a/text", "", 200, "", STR("text"));
    put("http://a/chunks", "", 200, HTML "Transfer-Encoding: chunked\r\n",
        STR("2\r\nin\r\n5\r\n five\r\n0\r\n\r\n"));
    put("ftp://a/", "", 200, HTML, STR("ftp"));
    export(&exported);
    assert_int_equal(exported.pages, 4);
    assert_int_equal(exported.undecodable, 2);
    assert_string_equal(tempdir_list(&out), "1 2 3 4 ");
    expect_page("1", "http://a/\n0\none");
    expect_page("2", "http://a/gz\n0\npacked");
    expect_page("3", "http://a/bare\n0\n<!doctype html>bare");
    expect_page("4", "http://a/chunks\n0\nin five");
}

/* Only the records that say so are pages, whatever their type. */
static void an_archive_of_ours(void **state)
{
    struct exported_pages exported;

    (void)state;
    put("http://a/pic.png", "", 200, HTML, STR("no such picture"));
    put("http://a/x", "WARC-Page-Depth: 3\r\n", 200, HTML, STR("stopped"));
    put("http://a/", "WARC-Page-Depth: 0\r\n", 200, "", STR("text"));
    put("http://a/x", "WARC-Page-Depth: 12\r\n", 200, HTML, STR("deep"));
    put("http://a/y", "WARC-Page-Depth: 4294967296\r\n", 200, HTML, STR("y"));
    put("http://a/z", "WARC-Page-Depth: none\r\n", 200, HTML, STR("z"));
    export(&exported);
    assert_int_equal(exported.pages, 2);
    assert_string_equal(tempdir_list(&out), "1 2 ");
    expect_page("1", "http://a/\n0\ntext");
    expect_page("2", "http://a/x\n12\ndeep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_archive_of_others, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_archive_of_ours, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
