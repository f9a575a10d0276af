#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/zip.h"
#include "archive/zip_format.h"
#include "support/tempdir.h"
#include "support/zip_bytes.h"

enum { BYTES_MAX = 1 << 20 };

static const uint64_t date_ms = 1714979289000; /* 2024-05-06T07:08:09Z */

static int open_file(const struct tempdir *dir, const char *name)
{
    int fd = openat(dir->fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    return fd;
}

/* A stored entry that came in two pieces, one that is smaller when deflated,
 * one that is not, and an empty one. */
static void write_example(int fd)
{
    struct zip_writer *zip = zip_writer_new(fd);
    char many[1000];

    memset(many, 'x', sizeof(many));
    assert_true(zip_begin(zip, "archive/a.warc.gz", 800, date_ms));
    assert_true(zip_add(zip, STR("stor")) && zip_add(zip, STR("ed 1")));
    assert_true(zip_end(zip));
    assert_true(
        zip_put(zip, "many", (struct str){many, sizeof(many)}, date_ms));
    assert_true(zip_put(zip, "few", STR("abc"), date_ms));
    assert_true(zip_put(zip, "none", STR(""), date_ms));
    assert_true(zip_finish(zip));
    zip_writer_free(zip);
}

static void there_and_back(void **state)
{
    static const struct {
        struct str name;
        size_t length;
        bool is_stored;
    } rows[] = {
        {STR_INIT("archive/a.warc.gz"), 8, true},
        {STR_INIT("many"), 1000, false},
        {STR_INIT("few"), 3, true},
        {STR_INIT("none"), 0, true},
    };
    struct tempdir dir;
    const char *problem;
    struct buf out;

    (void)state;
    tempdir_make(&dir);
    int fd = open_file(&dir, "a.zip");
    write_example(fd);
    struct zip_reader *zip = zip_reader_open(fd, &problem);
    assert_non_null(zip);
    assert_int_equal(zip_count(zip), ARRAY_LEN(rows));
    buf_init(&out, BYTES_MAX);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct zip_entry *entry = zip_find(zip, rows[i].name);

        assert_ptr_equal(entry, zip_entry(zip, i));
        assert_int_equal(entry->length, rows[i].length);
        assert_int_equal(entry->is_stored, rows[i].is_stored);
        assert_true(zip_bytes(fd, entry, &out));
    }
    assert_int_equal(out.len, 1011);
    assert_true(str_starts(buf_str(&out), STR("stored 1xxx")));
    assert_true(str_ends(buf_str(&out), STR("xxxabc")));
    assert_null(zip_find(zip, STR("man")));
    /* Stored bytes can be read where the entry says that they are. */
    char bytes[9] = "";
    assert_int_equal(pread(fd, bytes, 8, (off_t)zip_entry(zip, 0)->at), 8);
    assert_string_equal(bytes, "stored 1");
    buf_release(&out);
    zip_reader_free(zip);
    close(fd);
    tempdir_remove(&dir);
}

/* Python's module is another reader. */
static void other_readers(void **state)
{
    struct tempdir dir;
    char command[400];

    (void)state;
    tempdir_make(&dir);
    int fd = open_file(&dir, "a.zip");
    write_example(fd);
    close(fd);
    snprintf(command, sizeof(command),
             "python3 -c 'import zipfile; z = zipfile.ZipFile(\"%s/a.zip\"); "
             "assert z.testzip() is None; i = z.infolist()[1]; "
             "assert i.date_time == (2024, 5, 6, 7, 8, 8), i.date_time; "
             "assert not any(i.extra for i in z.infolist())'",
             dir.path);
    assert_int_equal(system(command), 0);
    tempdir_remove(&dir);
}

/* A file whose first five gigabytes are a hole: places that need Zip64 fields,
 * in both headers. */
static void beyond_four_gigabytes(void **state)
{
    const off_t hole = (off_t)5 << 30;
    struct tempdir dir;
    const char *problem;
    struct buf out;
    char head[ZIP_LOCAL_LEN], command[300];

    (void)state;
    tempdir_make(&dir);
    int fd = open_file(&dir, "large.zip");
    assert_int_equal(lseek(fd, hole, SEEK_SET), hole);
    write_example(fd);
    struct zip_reader *zip = zip_reader_open(fd, &problem);
    assert_non_null(zip);
    buf_init(&out, BYTES_MAX);
    assert_true(zip_bytes(fd, zip_find(zip, STR("few")), &out));
    assert_true(str_eq(buf_str(&out), STR("abc")));
    assert_int_equal(pread(fd, head, sizeof(head), hole), sizeof(head));
    assert_int_equal(zip_int(head + 28, 2), 20); /* has an extra field */
    snprintf(command, sizeof(command),
             "python3 -c 'import zipfile; z = zipfile.ZipFile("
             "\"%s/large.zip\"); assert z.testzip() is None; "
             "assert all(i.extra for i in z.infolist())'",
             dir.path);
    assert_int_equal(system(command), 0);
    buf_release(&out);
    zip_reader_free(zip);
    close(fd);
    tempdir_remove(&dir);
}

/* An entry of more than four gigabytes, of which only the header is written. */
static void more_than_four_gigabytes(void **state)
{
    static const struct {
        uint64_t length;
        size_t extra_len;
    } rows[] = {{0xFFFFFFFE, 0}, {0xFFFFFFFF, 20}, {UINT64_C(1) << 40, 20}};
    struct tempdir dir;

    (void)state;
    tempdir_make(&dir);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int fd = open_file(&dir, "a.zip");
        struct zip_writer *zip = zip_writer_new(fd);
        char head[ZIP_LOCAL_LEN + 1 + 20];

        assert_int_equal(ftruncate(fd, 0), 0);
        assert_true(zip_begin(zip, "x", rows[i].length, date_ms));
        assert_int_equal(pread(fd, head, sizeof(head), 0),
                         ZIP_LOCAL_LEN + 1 + rows[i].extra_len);
        assert_int_equal(zip_int(head + 28, 2), rows[i].extra_len);
        if (rows[i].extra_len)
            assert_int_equal(zip_int(head + ZIP_LOCAL_LEN + 1 + 4, 8),
                             rows[i].length);
        else
            assert_int_equal(zip_int(head + 22, 4), rows[i].length);
        zip_writer_free(zip);
        close(fd);
    }
    tempdir_remove(&dir);
}

/* The example with one change: it is refused, with a reason, and no byte that
 * is wrong is given out. */
static void damaged(void **state)
{
    struct tempdir dir;
    struct buf whole;

    (void)state;
    tempdir_make(&dir);
    int fd = open_file(&dir, "a.zip");
    write_example(fd);
    buf_init(&whole, BYTES_MAX);
    assert_true(tempdir_read(&dir, "a.zip", &whole));
    for (size_t cut = 0; cut < whole.len; cut++) {
        const char *problem = NULL;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, whole.ptr, cut, 0), (ssize_t)cut);
        assert_null(zip_reader_open(fd, &problem));
        assert_non_null(problem);
    }
    for (size_t i = 0; i < whole.len; i++) {
        const char *problem;
        whole.ptr[i] ^= 0x41;
        assert_int_equal(pwrite(fd, whole.ptr, whole.len, 0),
                         (ssize_t)whole.len);
        whole.ptr[i] ^= 0x41;
        struct zip_reader *zip = zip_reader_open(fd, &problem);
        for (size_t e = 0; zip && e < zip_count(zip); e++) {
            const struct zip_entry *entry = zip_entry(zip, e);
            assert_true(entry->at <= whole.len &&
                        entry->packed <= whole.len - entry->at);
        }
        zip_reader_free(zip);
    }
    buf_release(&whole);
    close(fd);
    tempdir_remove(&dir);
}

static void unsafe_names(void **state)
{
    static const char *const rows[] = {
        "/abs", "../x", "a/../b", "a/..", "./a", "a\nb", "a\\b", "a\xff",
    };
    struct tempdir dir;

    (void)state;
    tempdir_make(&dir);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *problem = NULL;
        int fd = open_file(&dir, "a.zip");
        assert_int_equal(ftruncate(fd, 0), 0);
        struct zip_writer *zip = zip_writer_new(fd);
        assert_true(zip_put(zip, rows[i], STR("1"), date_ms));
        assert_true(zip_finish(zip));
        zip_writer_free(zip);
        assert_null(zip_reader_open(fd, &problem));
        assert_string_equal(problem, "the name of an entry is not safe");
        close(fd);
    }
    tempdir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(other_readers),
        cmocka_unit_test(beyond_four_gigabytes),
        cmocka_unit_test(more_than_four_gigabytes),
        cmocka_unit_test(damaged),
        cmocka_unit_test(unsafe_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
