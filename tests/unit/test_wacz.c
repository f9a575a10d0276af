#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>
#include <libdeflate.h>

#include "archive/wacz.h"
#include "archive/zip.h"
#include "support/tempdir.h"
#include "support/zip_bytes.h"

enum { BYTES_MAX = 16 << 20 };

static const uint64_t date_ms = 1714979289000; /* 2024-05-06T07:08:09Z */

/* A package of `captures` captures that are all pages. */
struct package {
    struct tempdir dir;
    int fd;
    struct zip_reader *zip;
};

static void add_url(struct wacz *wacz, unsigned i)
{
    char url[100];

    snprintf(url, sizeof(url), "http://example.com/%06u.html", i);
    const struct cdxj_entry entry = {
        .url = str_of(url),
        .date_ms = date_ms,
        .status = 200,
        .mime = STR("text/html"),
        .digest = STR("sha1:A"),
        .file_name = STR("a.warc.gz"),
        .at = i * 10,
        .length = 10,
    };
    const struct wacz_page page = {
        .number = i + 1,
        .url = entry.url,
        .date_ms = date_ms,
        .depth = 1,
        .has_depth = true,
        .is_seed = i % 1000 == 999,
    };
    assert_true(wacz_add_capture(wacz, &entry));
    assert_true(wacz_add_page(wacz, &page));
}

static void make(struct package *package, unsigned captures,
                 unsigned block_lines)
{
    const struct wacz_options options = {
        .now_ms = date_ms, .software = "test", .block_lines = block_lines};
    const char *problem;

    tempdir_make(&package->dir);
    tempdir_write(&package->dir, "a.warc.gz", STR("0123456789 and more"));
    package->fd =
        openat(package->dir.fd, "a.wacz", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int warc = openat(package->dir.fd, "a.warc.gz", O_RDONLY | O_CLOEXEC);
    struct wacz *wacz = wacz_new(package->fd, &options);
    assert_non_null(wacz);
    for (unsigned i = 0; i < captures; i++)
        add_url(wacz, i);
    assert_true(wacz_add_file(wacz, "a.warc.gz", warc, 10));
    assert_true(wacz_finish(wacz));
    wacz_free(wacz);
    close(warc);
    package->zip = zip_reader_open(package->fd, &problem);
    assert_non_null(package->zip);
}

static void drop(struct package *package)
{
    zip_reader_free(package->zip);
    close(package->fd);
    tempdir_remove(&package->dir);
}

static unsigned count_lines(struct str text)
{
    unsigned lines = 0;

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

/* The file in the package; empty if there is none. */
static void read_entry(const struct package *package, struct str name,
                       struct buf *out)
{
    const struct zip_entry *entry = zip_find(package->zip, name);

    buf_clear(out);
    if (entry)
        assert_true(zip_bytes(package->fd, entry, out));
}

/* Each line of the idx leads to a member with that many lines. */
static void blocks(void **state)
{
    static const struct {
        unsigned captures, block_lines, blocks, last_lines;
    } rows[] = {
        {0, 3, 0, 0},     {1, 3, 1, 1},     {3, 3, 1, 3},   {4, 3, 2, 1},
        {299, 0, 1, 299}, {300, 0, 1, 300}, {301, 0, 2, 1}, {700, 1, 700, 1},
    };
    struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
    static char text[1 << 20];
    struct buf cdx, idx;

    (void)state;
    buf_init(&cdx, BYTES_MAX);
    buf_init(&idx, BYTES_MAX);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct package package;
        unsigned blocks_seen = 0, lines = 0, last_lines = 0;
        size_t at = 0, used = 0, len;

        make(&package, rows[i].captures, rows[i].block_lines);
        read_entry(&package, STR("indexes/index.cdx.gz"), &cdx);
        read_entry(&package, STR("indexes/index.idx"), &idx);
        for (; at < cdx.len; at += used, blocks_seen++) {
            assert_int_equal(
                libdeflate_gzip_decompress_ex(z, cdx.ptr + at, cdx.len - at,
                                              text, sizeof(text), &used, &len),
                LIBDEFLATE_SUCCESS);
            last_lines = count_lines((struct str){text, len});
            lines += last_lines;
        }
        assert_int_equal(blocks_seen, rows[i].blocks);
        assert_int_equal(count_lines(buf_str(&idx)), rows[i].blocks + 1);
        assert_int_equal(lines, rows[i].captures);
        assert_int_equal(last_lines, rows[i].last_lines);
        drop(&package);
    }
    libdeflate_free_decompressor(z);
    buf_release(&cdx);
    buf_release(&idx);
}

/* The first thousands and the seeds after them are in pages.jsonl, the rest is
 * in extraPages.jsonl; none is in both. */
static void page_lists(void **state)
{
    static const struct {
        unsigned captures, first, extra;
    } rows[] = {
        {1, 1, 0},
        {WACZ_FIRST_PAGES, WACZ_FIRST_PAGES, 0},
        {WACZ_FIRST_PAGES + 5, WACZ_FIRST_PAGES, 5},
        {WACZ_FIRST_PAGES + 1500, WACZ_FIRST_PAGES + 1, 1499},
    };
    struct buf first, extra;

    (void)state;
    buf_init(&first, BYTES_MAX);
    buf_init(&extra, BYTES_MAX);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct package package;

        make(&package, rows[i].captures, 0);
        read_entry(&package, STR("pages/pages.jsonl"), &first);
        read_entry(&package, STR("pages/extraPages.jsonl"), &extra);
        assert_int_equal(count_lines(buf_str(&first)), rows[i].first + 1);
        assert_int_equal(count_lines(buf_str(&extra)),
                         rows[i].extra ? rows[i].extra + 1 : 0);
        drop(&package);
    }
    buf_release(&first);
    buf_release(&extra);
}

/* Only the bytes that were asked for are copied, and a file that is too short
 * is an error. */
static void files(void **state)
{
    const struct wacz_options options = {.now_ms = date_ms, .software = "test"};
    struct package package;
    struct buf out;

    (void)state;
    make(&package, 1, 0);
    buf_init(&out, BYTES_MAX);
    read_entry(&package, STR("archive/a.warc.gz"), &out);
    assert_true(str_eq(buf_str(&out), STR("0123456789")));
    int fd =
        openat(package.dir.fd, "b.wacz", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int warc = openat(package.dir.fd, "a.warc.gz", O_RDONLY | O_CLOEXEC);
    struct wacz *wacz = wacz_new(fd, &options);
    assert_false(wacz_add_file(wacz, "a.warc.gz", warc, 100));
    wacz_free(wacz);
    close(fd);
    close(warc);
    buf_release(&out);
    drop(&package);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(page_lists),
        cmocka_unit_test(files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
