/* WARC files, plain and packed. Every record is found again at its place, with
 * the same bytes; lengths stay within the file. */
#include "fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/warc_read.h"
#include "base/io.h"

enum { RECORDS_MAX = 16, BLOCK_SUM_MAX = 8 << 20 };

/* Read the record at this place again, with a reader of its own, in steps. */
static void check_again(int fd, const struct warc_record *record)
{
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    struct warc_record again;
    struct str bytes;
    uint64_t at = 0;
    enum warc_got got;

    warc_reader_seek(reader, record->at, record->within);
    got = warc_begin(reader, &again);
    assert(got == WARC_RECORD);
    assert(again.at == record->at && again.within == record->within);
    assert(str_eq(again.fields, record->fields));
    while ((got = warc_block(reader, &bytes)) == WARC_RECORD) {
        assert(bytes.len);
        struct str start = str_first(str_skip(record->block, at), bytes.len);
        assert(str_eq(start, str_first(bytes, start.len)));
        at += bytes.len;
    }
    assert(got == WARC_END && at == record->block_len);
    got = warc_end(reader, &again);
    assert(got == WARC_RECORD && again.length == record->length);
    warc_reader_free(reader);
}

static void check_http(const struct warc_record *record, struct buf *scratch)
{
    struct warc_http http;

    if (!warc_http_parse(record, scratch, &http))
        return;
    assert(http.status >= 0 && http.status <= 999);
    assert(fuzz_is_inside(http.head, record->block));
    assert(http.body.len <= record->block.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("warc", 0);
    struct iovec part = {(void *)(uintptr_t)data, size};
    struct warc_record record;
    enum warc_got got;
    struct buf scratch;
    unsigned count = 0;
    size_t sum = 0;

    if (fd < 0 || !io_write_all(fd, &part, 1))
        abort();
    buf_init(&scratch, WARC_START_MAX);
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    while ((got = warc_read(reader, &record)) == WARC_RECORD ||
           got == WARC_BROKEN) {
        assert(record.at <= size);
        if (got == WARC_BROKEN) {
            assert(*warc_reader_problem(reader));
            continue;
        }
        assert(record.length <= size - record.at);
        assert(record.block.len == record.block_len ||
               (record.block.len == WARC_START_MAX && warc_is_long(&record)));
        check_http(&record, &scratch);
        sum += record.block.len;
        if (count++ < RECORDS_MAX && sum < BLOCK_SUM_MAX)
            check_again(fd, &record);
    }
    assert(got == WARC_END || got == WARC_CUT);
    warc_reader_free(reader);
    buf_release(&scratch);
    close(fd);
    return 0;
}
