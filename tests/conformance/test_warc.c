/* 42 files of six projects' tests: as many records as warcio.js finds, and the
 * files that are cut off or damaged are named as such. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "archive/warc_read.h"
#include "base/io.h"
#include "support/conformance.h"

#define FOLDER "warc/"

enum { FILE_MAX = 1 << 20 };

static const struct {
    const char *file;
    uint64_t at;
    const char *problem;
} damaged[] = {
    {"samples-gowarc/corrupted-mid-record.warc.gz.open", 1219,
     "no gzip member begins here"},
    {"samples-gowarc/corrupted-trailing-bytes.warc.gz.open", 2362,
     "no gzip member begins here"},
    {"samples-warcio.js/example-bad-length.warc", 2561,
     "no record begins here"},
    {"samples-warcio/example-trunc.warc", 2560, "no record begins here"},
    {"samples-warcio/example-wrong-chunks.warc.gz", 0,
     "the gzip member ends within the record"},
};

static const char *problem_of(const char *file, uint64_t *at)
{
    for (size_t i = 0; i < ARRAY_LEN(damaged); i++)
        if (!strcmp(damaged[i].file, file)) {
            *at = damaged[i].at;
            return damaged[i].problem;
        }
    *at = 0;
    return "";
}

struct findings {
    unsigned records, broken;
    bool is_cut;
    uint64_t at;
    const char *problem;
};

static struct findings read_all(struct str bytes)
{
    struct findings found = {.problem = ""};
    struct warc_record record;
    enum warc_got got;
    struct buf scratch;
    struct warc_http http;
    struct iovec part = {(char *)(uintptr_t)bytes.ptr, bytes.len};
    int fd = memfd_create("warc", 0);

    assert_true(fd >= 0 && io_write_all(fd, &part, 1));
    buf_init(&scratch, WARC_START_MAX);
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    while ((got = warc_read(reader, &record)) == WARC_RECORD ||
           got == WARC_BROKEN) {
        if (got == WARC_RECORD) {
            found.records++;
            warc_http_parse(&record, &scratch, &http);
        } else if (!found.broken++) {
            found.at = record.at;
            found.problem = warc_reader_problem(reader);
        }
    }
    found.is_cut = got == WARC_CUT;
    assert_int_not_equal(got, WARC_FAILED);
    warc_reader_free(reader);
    buf_release(&scratch);
    close(fd);
    return found;
}

static void check_file(struct str file, uint64_t records)
{
    char path[512], name[400];
    struct buf bytes;
    uint64_t at;

    snprintf(name, sizeof(name), "%.*s", STR_ARGS(file));
    snprintf(path, sizeof(path), FOLDER "%s", name);
    buf_init(&bytes, FILE_MAX);
    assert_true(conformance_read(path, &bytes));
    struct findings found = read_all(buf_str(&bytes));
    const char *problem = problem_of(name, &at);
    if (found.records != records || found.is_cut || found.at != at ||
        strcmp(found.problem, problem) != 0)
        fail_msg("%s: %u records%s, at byte %llu: %s", name, found.records,
                 found.is_cut ? ", cut" : "", (unsigned long long)found.at,
                 found.problem);
    if (bytes.len > 1)
        for (size_t cuts = 1; cuts < 20; cuts++)
            read_all(str_first(buf_str(&bytes), bytes.len * cuts / 20));
    buf_release(&bytes);
}

static void records_are_counted(void **state)
{
    struct buf table;
    unsigned files = 0;

    (void)state;
    buf_init(&table, FILE_MAX);
    if (!conformance_read(FOLDER "sample_verdicts.tsv", &table)) {
        buf_release(&table);
        skip();
    }
    struct str_pair line = str_cut(buf_str(&table), '\n');
    while (line.tail.len) {
        line = str_cut(line.tail, '\n');
        struct str_pair name = str_cut(line.head, '\t');
        struct str_pair rest = str_cut(name.tail, '\t');
        uint64_t records;
        assert_true(str_to_u64(str_cut(rest.tail, '\t').head, &records));
        check_file(name.head, records);
        files++;
    }
    assert_int_equal(files, 42);
    buf_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
