/* WARC files of all kinds, good and bad, through the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/gzip_member.h"
#include "archive/warc_read.h"
#include "base/io.h"
#include "web/url.h"

#define RECORD(type, url, len, block)                                          \
    "WARC/1.1\r\nWARC-Type: " type "\r\nWARC-Target-URI: " url                 \
    "\r\nContent-Length: " len "\r\n\r\n" block "\r\n\r\n"
#define ONE   RECORD("response", "http://a/1", "5", "first")
#define TWO   RECORD("request", "http://a/2", "6", "second")
#define THREE RECORD("revisit", "<http://a/3>", "0", "")

/* The file of a case: parts with a '|' between them. A part that begins with
 * '^' is a gzip member, any other is there as it is. */
static void put_part(struct buf *out, struct str part)
{
    static unsigned char packed[1 << 20];
    z_stream zlib = {0};

    if (!part.len || part.ptr[0] != '^') {
        assert_true(buf_put(out, part));
        return;
    }
    assert_int_equal(
        deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
        Z_OK);
    zlib.next_in = (unsigned char *)(uintptr_t)(part.ptr + 1);
    zlib.avail_in = (uInt)part.len - 1;
    zlib.next_out = packed;
    zlib.avail_out = sizeof(packed);
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    assert_true(buf_put(
        out, (struct str){(char *)packed, sizeof(packed) - zlib.avail_out}));
    deflateEnd(&zlib);
}

static void put_parts(struct buf *out, struct str parts)
{
    for (;;) {
        size_t len = str_find(parts, '|');
        put_part(out, str_first(parts, len));
        if (len == parts.len)
            return;
        parts = str_skip(parts, len + 1);
    }
}

static int file_of(struct str bytes)
{
    int fd = memfd_create("warc", 0);
    struct iovec part = {(char *)(uintptr_t)bytes.ptr, bytes.len};

    assert_true(fd >= 0);
    assert_true(io_write_all(fd, &part, 1));
    return fd;
}

/* What the reader says of a file, one word a call. */
static void list(struct buf *out, int fd)
{
    static const char letters[] = {
        [WARC_INFO] = 'I',    [WARC_RESPONSE] = 'A', [WARC_REQUEST] = 'Q',
        [WARC_REVISIT] = 'R', [WARC_RESOURCE] = 'S', [WARC_OTHER_TYPE] = '?',
    };
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    struct warc_record record;
    enum warc_got got;

    while ((got = warc_read(reader, &record)) != WARC_END) {
        assert_int_not_equal(got, WARC_FAILED);
        if (got == WARC_RECORD)
            buf_printf(out, "%c(%.*s %.*s) ", letters[record.type],
                       STR_ARGS(record.url), STR_ARGS(record.block));
        else
            buf_printf(out, "%s ", got == WARC_CUT ? "cut" : "broken");
        if (got == WARC_CUT)
            break;
    }
    warc_reader_free(reader);
}

static const struct {
    const char *name;
    const char *file;
    const char *wanted;
} cases[] = {
    {"nothing", "", ""},
    {"an empty member", "^", ""},
    {"plain", ONE TWO, "A(http://a/1 first) Q(http://a/2 second) "},
    {"a member a record", "^" ONE "|^" TWO "|^" THREE,
     "A(http://a/1 first) Q(http://a/2 second) R(http://a/3 ) "},
    {"one member for all", "^" ONE TWO THREE,
     "A(http://a/1 first) Q(http://a/2 second) R(http://a/3 ) "},
    {"two records in a member, then one", "^" ONE TWO "|^" THREE,
     "A(http://a/1 first) Q(http://a/2 second) R(http://a/3 ) "},
    {"LF only",
     "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: u\nContent-Length: "
     "2\n\nok\n\n" ONE,
     "A(u ok) A(http://a/1 first) "},
    {"an old version, names in other case, folded",
     "WARC/0.18\r\nwarc-type:response\r\nWARC-TARGET-URI: http://a/\r\n  "
     "b\r\ncontent-length : 2\r\n\r\nok\r\n\r\n",
     "A(http://a/    b ok) "},
    {"no type, no URL", "WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
     "?( x) "},
    {"no line end after the last block",
     "WARC/1.0\r\nContent-Length: 1\r\n\r\nx", "?( x) "},
    {"many empty lines", "\r\n\r\n" ONE "\r\n\n\r\n" TWO "\r\n\r\n",
     "A(http://a/1 first) Q(http://a/2 second) "},
    {"a length that is too small", RECORD("response", "u", "3", "abcdef") ONE,
     "A(u abc) broken A(http://a/1 first) "},
    {"a length that is too large, in a member",
     "^" RECORD("response", "u", "99", "abc") "|^" ONE,
     "broken A(http://a/1 first) "},
    {"a length that is too large, at the end",
     ONE RECORD("response", "u", "99", "abc"), "A(http://a/1 first) cut "},
    {"no length", "WARC/1.0\r\nWARC-Type: response\r\n\r\nabc\r\n\r\n" ONE,
     "broken A(http://a/1 first) "},
    {"a length that is no number", RECORD("response", "u", "1e3", "") ONE,
     "broken A(http://a/1 first) "},
    {"a length beyond all numbers",
     RECORD("response", "u", "99999999999999999999999", "") ONE,
     "broken A(http://a/1 first) "},
    {"no WARC at all", "<!doctype html>\nWARC is a format\n", "broken "},
    {"no version", "WARC/x\r\n\r\n" ONE, "broken A(http://a/1 first) "},
    {"rubbish before", "rubbish\n" ONE, "broken A(http://a/1 first) "},
    {"rubbish after a member", "^" ONE "|rubbish",
     "A(http://a/1 first) broken "},
    {"rubbish between members", "^" ONE "|rubbish|^" TWO,
     "A(http://a/1 first) broken Q(http://a/2 second) "},
    {"a member of something else", "^something\n|^" ONE,
     "broken A(http://a/1 first) "},
    {"cut in its fields", ONE "WARC/1.1\r\nWARC-Ty",
     "A(http://a/1 first) cut "},
    {"cut in its version", ONE "WA", "A(http://a/1 first) cut "},
};

static void records_of_good_and_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf file, got;

        buf_init(&file, 1 << 20);
        buf_init(&got, 1 << 20);
        put_parts(&file, str_of(cases[i].file));
        int fd = file_of(buf_str(&file));
        list(&got, fd);
        if (strcmp(buf_cstr(&got), cases[i].wanted) != 0)
            fail_msg("%s: got '%s', wanted '%s'", cases[i].name, buf_cstr(&got),
                     cases[i].wanted);
        close(fd);
        buf_release(&file);
        buf_release(&got);
    }
}

/* A file of members that ends anywhere is cut, except where it ends between
 * two of them. */
static void every_cut_is_noticed(void **state)
{
    struct buf file, got;
    size_t ends[4] = {0};

    (void)state;
    buf_init(&file, 1 << 20);
    buf_init(&got, 1 << 20);
    put_part(&file, STR("^" ONE));
    ends[1] = file.len;
    put_part(&file, STR("^" TWO));
    ends[2] = file.len;
    put_part(&file, STR("^" THREE));
    ends[3] = file.len;
    for (size_t len = 0, whole = 0; len <= file.len; len++) {
        char wanted[200] = "";
        while (whole < 3 && len >= ends[whole + 1])
            whole++;
        if (whole >= 1)
            strcat(wanted, "A(http://a/1 first) ");
        if (whole >= 2)
            strcat(wanted, "Q(http://a/2 second) ");
        if (whole >= 3)
            strcat(wanted, "R(http://a/3 ) ");
        if (len > ends[whole])
            strcat(wanted, "cut ");
        int fd = file_of(str_first(buf_str(&file), len));
        buf_clear(&got);
        list(&got, fd);
        if (strcmp(buf_cstr(&got), wanted) != 0)
            fail_msg("%zu bytes: got '%s', wanted '%s'", len, buf_cstr(&got),
                     wanted);
        close(fd);
    }
    buf_release(&file);
    buf_release(&got);
}

/* A damaged member is broken, and the members after it are found. */
static void a_flipped_bit_breaks_one_record(void **state)
{
    struct buf file, got;

    (void)state;
    buf_init(&file, 1 << 20);
    buf_init(&got, 1 << 20);
    put_part(&file, STR("^" ONE));
    size_t from = file.len;
    put_part(&file, STR("^" TWO));
    file.ptr[file.len - 6] ^= 1; /* its checksum */
    put_part(&file, STR("^" THREE));
    int fd = file_of(buf_str(&file));
    list(&got, fd);
    assert_string_equal(buf_cstr(&got),
                        "A(http://a/1 first) broken R(http://a/3 ) ");
    close(fd);
    file.ptr[from + 3] = (char)0xff; /* its flags */
    fd = file_of(buf_str(&file));
    buf_clear(&got);
    list(&got, fd);
    assert_string_equal(buf_cstr(&got),
                        "A(http://a/1 first) broken R(http://a/3 ) ");
    close(fd);
    buf_release(&file);
    buf_release(&got);
}

/* Records are found again at their places, also in a part of a file. */
static void check_places(struct str parts, size_t before)
{
    struct buf file;
    struct {
        uint64_t at, within, length;
        char url[40];
    } seen[8];
    size_t count = 0;
    struct warc_record record;

    buf_init(&file, 1 << 20);
    for (size_t i = 0; i < before; i++)
        buf_put_char(&file, 'x');
    put_parts(&file, parts);
    size_t len = file.len - before;
    buf_put(&file, STR("more than counts"));
    int fd = file_of(buf_str(&file));
    struct warc_reader *reader = warc_reader_open(fd, before, len);
    while (warc_read(reader, &record) == WARC_RECORD) {
        seen[count].at = record.at;
        seen[count].within = record.within;
        seen[count].length = record.length;
        snprintf(seen[count].url, sizeof(seen[0].url), "%.*s",
                 STR_ARGS(record.url));
        count++;
    }
    assert_int_equal(count, 3);
    for (size_t i = count; i-- > 0;) {
        warc_reader_seek(reader, seen[i].at, seen[i].within);
        assert_int_equal(warc_read(reader, &record), WARC_RECORD);
        assert_int_equal(record.at, seen[i].at);
        assert_int_equal(record.within, seen[i].within);
        assert_true(str_eq(record.url, str_of(seen[i].url)));
        if (i + 1 < count && seen[i].length)
            assert_int_equal(seen[i].at + seen[i].length, seen[i + 1].at);
    }
    warc_reader_free(reader);
    close(fd);
    buf_release(&file);
}

static void records_are_found_again(void **state)
{
    (void)state;
    check_places(STR(ONE TWO THREE), 0);
    check_places(STR(ONE TWO THREE), 77);
    check_places(STR("^" ONE "|^" TWO "|^" THREE), 0);
    check_places(STR("^" ONE "|^" TWO "|^" THREE), 77);
    check_places(STR("^" ONE TWO THREE), 5);
    check_places(STR("^" ONE TWO "|^" THREE), 5);
}

enum { PIECE = 1 << 20, PIECES = 257 };

/* Append "deflate" bytes that others may follow. */
static void put_deflated(struct buf *out, struct str bytes, int flush)
{
    z_stream zlib = {0};
    char *to = buf_reserve(out, bytes.len + 1000);

    assert_int_equal(
        deflateInit2(&zlib, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_in = (unsigned char *)(uintptr_t)bytes.ptr;
    zlib.avail_in = (uInt)bytes.len;
    zlib.next_out = (unsigned char *)to;
    zlib.avail_out = (uInt)bytes.len + 1000;
    deflate(&zlib, flush);
    out->len += zlib.total_out;
    deflateEnd(&zlib);
}

/* A gzip member: the head, and PIECES times a megabyte of zeros. A piece is
 * packed once. */
static void put_bomb(struct buf *out, struct str head)
{
    static const char zeros[PIECE];
    uLong sum = crc32(0, (const unsigned char *)head.ptr, (uInt)head.len);
    uLong zeros_sum = crc32(0, (const unsigned char *)zeros, PIECE);
    uint32_t trailer[2];
    struct buf piece;

    buf_init(&piece, 2 * PIECE);
    buf_put(out, (struct str){"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10});
    put_deflated(out, head, Z_FULL_FLUSH);
    put_deflated(&piece, (struct str){zeros, PIECE}, Z_FULL_FLUSH);
    for (int i = 0; i < PIECES; i++) {
        assert_true(buf_put(out, buf_str(&piece)));
        sum = crc32_combine(sum, zeros_sum, PIECE);
    }
    put_deflated(out, STR(""), Z_FINISH);
    trailer[0] = (uint32_t)sum; /* of a little-endian machine */
    trailer[1] = (uint32_t)(head.len + (size_t)PIECE * PIECES);
    assert_true(buf_put(out, (struct str){(char *)trailer, sizeof(trailer)}));
    buf_release(&piece);
}

/* Of a gzip bomb the start is kept, and the next record is read. */
static void a_gzip_bomb_is_passed_over(void **state)
{
    char head[100];
    struct warc_record record;
    struct buf file;

    (void)state;
    buf_init(&file, 8 << 20);
    snprintf(head, sizeof(head), "WARC/1.1\r\nContent-Length: %d\r\n\r\n",
             PIECE * PIECES);
    put_bomb(&file, str_of(head));
    put_part(&file, STR("^" ONE));

    int fd = file_of(buf_str(&file));
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    assert_int_equal(warc_read(reader, &record), WARC_RECORD);
    assert_int_equal(record.block_len, PIECE * PIECES);
    assert_int_equal(record.block.len, WARC_START_MAX);
    assert_true(warc_is_long(&record));
    assert_int_equal(warc_read(reader, &record), WARC_RECORD);
    assert_true(str_eq(record.block, STR("first")));
    warc_reader_free(reader);
    close(fd);
    buf_release(&file);
}

/* A record in steps, whatever was kept of its start: the same bytes, and then
 * the next record. */
static void check_steps(struct str file, size_t block_len, bool keeps_start,
                        size_t most)
{
    int fd = file_of(file);
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    struct warc_record record;
    struct str bytes;
    struct buf got;

    buf_init(&got, 4 * PIECE);
    assert_int_equal(warc_begin(reader, &record), WARC_RECORD);
    assert_int_equal(record.block_len, block_len);
    assert_int_equal(record.block.len, 0);
    if (keeps_start)
        assert_int_equal(warc_keep_start(reader, &record), WARC_RECORD);
    buf_put(&got, record.block);
    while (got.len < most && warc_block(reader, &bytes) == WARC_RECORD)
        buf_put(&got, bytes);
    if (most >= block_len) {
        assert_int_equal(got.len, block_len);
        assert_int_equal(warc_block(reader, &bytes), WARC_END);
    }
    for (size_t i = 0; i < got.len; i++)
        assert_int_equal(got.ptr[i], (char)('a' + i % 26));
    assert_int_equal(warc_end(reader, &record), WARC_RECORD);
    assert_int_equal(record.at, 0);
    assert_true(record.length > 0);
    uint64_t end = record.end;
    assert_int_equal(warc_read(reader, &record), WARC_RECORD);
    assert_true(str_eq(record.block, STR("first")));
    assert_int_equal(record.at, end);
    warc_reader_free(reader);
    close(fd);
    buf_release(&got);
}

static void a_record_is_read_in_steps(void **state)
{
    static const size_t lengths[] = {
        0, 10, 200000, WARC_START_MAX, WARC_START_MAX + 1, 3 * WARC_START_MAX};

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(lengths); i++) {
        size_t len = lengths[i / 2];
        bool is_packed = i % 2;
        struct buf record, file;

        buf_init(&record, 4 * PIECE);
        buf_init(&file, 8 * PIECE);
        buf_printf(&record, "WARC/1.1\r\nContent-Length: %zu\r\n\r\n", len);
        for (size_t k = 0; k < len; k++)
            buf_put_char(&record, (char)('a' + k % 26));
        buf_put(&record, STR("\r\n\r\n"));
        const struct str one = buf_str(&record);
        if (is_packed)
            gzip_member_put(&file, 6, &one, 1);
        else
            buf_put(&file, one);
        put_part(&file, is_packed ? STR("^" ONE) : STR(ONE));
        check_steps(buf_str(&file), len, false, len);
        check_steps(buf_str(&file), len, true, len);
        check_steps(buf_str(&file), len, true, 0);
        check_steps(buf_str(&file), len, false, len / 2);
        buf_release(&record);
        buf_release(&file);
    }
}

/* Cut off or damaged within its block, which is told by whoever comes there. */
static void a_fault_in_a_long_block_is_told(void **state)
{
    struct warc_record record;
    struct str bytes;
    struct buf file;
    enum warc_got got;

    (void)state;
    buf_init(&file, 8 << 20);
    buf_printf(&file, "WARC/1.1\r\nContent-Length: %d\r\n\r\n", 2 * PIECE);
    for (size_t i = 0; i < PIECE + PIECE / 2; i++)
        buf_put_char(&file, 'x');
    int fd = file_of(buf_str(&file));
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    assert_int_equal(warc_begin(reader, &record), WARC_RECORD);
    assert_int_equal(warc_keep_start(reader, &record), WARC_RECORD);
    while ((got = warc_block(reader, &bytes)) == WARC_RECORD)
        ;
    assert_int_equal(got, WARC_CUT);
    warc_reader_seek(reader, 0, 0);
    assert_int_equal(warc_begin(reader, &record), WARC_RECORD);
    assert_int_equal(warc_end(reader, &record), WARC_CUT);
    warc_reader_free(reader);
    close(fd);
    buf_release(&file);
}

static void fields_have_a_cap(void **state)
{
    struct warc_record record;
    struct buf file;

    (void)state;
    buf_init(&file, 8 << 20);
    buf_put(&file, STR("WARC/1.1\r\n"));
    while (file.len < 2 * WARC_FIELDS_MAX)
        buf_put(&file, STR("X: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n"));
    buf_put(&file, STR("Content-Length: 0\r\n\r\n\r\n" ONE));
    int fd = file_of(buf_str(&file));
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    assert_int_equal(warc_read(reader, &record), WARC_BROKEN);
    assert_string_equal(warc_reader_problem(reader),
                        "the fields of the record are too long");
    assert_int_equal(warc_read(reader, &record), WARC_RECORD);
    assert_true(str_eq(record.url, STR("http://a/1")));
    warc_reader_free(reader);
    close(fd);
    buf_release(&file);
}

static const struct {
    const char *block;
    int status; /* 0: it is no response */
    const char *mime, *body;
} responses[] = {
    {"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\nbody", 200,
     "text/html", "body"},
    {"HTTP/1.0 404\nContent-Type:text/plain\n\nbody", 404, "text/plain",
     "body"},
    {"HTTP/1.1 200 OK\r\nA: b\r\n", 200, "", ""},
    {"HTTP/1.1 200 OK", 200, "", ""},
    {"HTTP/2 301 \r\n\r\n", 301, "", ""},
    {"HTTP/1.1 2000 OK\r\n\r\n", 0, "", ""},
    {"HTTP/1.1 OK\r\n\r\n", 0, "", ""},
    {"GET / HTTP/1.1\r\n\r\n", 0, "", ""},
    {"", 0, "", ""},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n"
     "\r\n",
     200, "", "body"},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked\r\n\r\n2;x=y\nbo\n"
     "02\r\ndy\r\n0\r\nTrailer: x\r\n\r\n",
     200, "", "body"},
    /* cut off within a chunk */
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nbod", 200, "",
     "bod"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "fffffffffffffff\r\nbod",
     200, "", "bod"},
    /* no chunks, though the head says so */
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>body\n", 200, "",
     "<p>body\n"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, "", ""},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, "",
     ""},
};

/* However the bytes are cut, chunks are undone as when all are there. */
static void chunks_are_undone_piece_by_piece(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
        struct str block = str_of(responses[i].block);
        const char *body = strstr(block.ptr, "chunked\r\n\r\n");
        if (!body || !strcmp(responses[i].body, "<p>body\n"))
            continue;
        for (size_t piece = 1; piece < 8; piece++) {
            struct str rest = str_of(body + 11), part;
            struct warc_chunks chunks = {0};
            struct buf got;

            buf_init(&got, 1000);
            while (rest.len) {
                struct str bytes = str_first(rest, piece);
                rest = str_skip(rest, bytes.len);
                while (warc_chunks_next(&chunks, &bytes, &part))
                    buf_put(&got, part);
            }
            if (!str_eq(buf_str(&got), str_of(responses[i].body)))
                fail_msg("case %zu by %zu: '%.*s'", i, piece, (int)got.len,
                         got.ptr);
            buf_release(&got);
        }
    }
}

static void responses_are_taken_apart(void **state)
{
    struct buf scratch;

    (void)state;
    buf_init(&scratch, 1 << 20);
    for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
        struct warc_record record = {.block = str_of(responses[i].block)};
        struct warc_http http;

        bool is_http = warc_http_parse(&record, &scratch, &http);
        if (is_http != (responses[i].status != 0) ||
            http.status != responses[i].status ||
            !str_eq(http.mime, str_of(responses[i].mime)) ||
            !str_eq(http.body, str_of(responses[i].body)))
            fail_msg("case %zu: %d '%.*s' '%.*s'", i, http.status,
                     STR_ARGS(http.mime), STR_ARGS(http.body));
    }
    buf_release(&scratch);
}

/* A head may have as many bytes as a block; what programs print may not. */
static void heads_have_caps(void **state)
{
    static const struct {
        const char *name;
        size_t max;
    } rows[] = {{"Content-Type", WARC_MIME_MAX}, {"Location", URL_LEN_MAX}};
    struct buf block, scratch;

    (void)state;
    buf_init(&block, 1 << 20);
    buf_init(&scratch, 1 << 20);
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        size_t max = rows[i / 2].max, len = max + i % 2;
        struct warc_http http;

        buf_clear(&block);
        buf_printf(&block, "HTTP/1.1 200 OK\r\n%s: ", rows[i / 2].name);
        for (size_t k = 0; k < len; k++)
            buf_put_char(&block, 'x');
        buf_put(&block, STR("\r\n\r\nbody"));
        struct warc_record record = {.block = buf_str(&block)};
        assert_true(warc_http_parse(&record, &scratch, &http));
        assert_int_equal(http.mime.len + http.location.len,
                         len > max ? 0 : len);
        assert_true(str_eq(http.body, STR("body")));
    }
    buf_release(&block);
    buf_release(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_good_and_bad_files),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(a_flipped_bit_breaks_one_record),
        cmocka_unit_test(records_are_found_again),
        cmocka_unit_test(a_gzip_bomb_is_passed_over),
        cmocka_unit_test(a_record_is_read_in_steps),
        cmocka_unit_test(a_fault_in_a_long_block_is_told),
        cmocka_unit_test(fields_have_a_cap),
        cmocka_unit_test(chunks_are_undone_piece_by_piece),
        cmocka_unit_test(responses_are_taken_apart),
        cmocka_unit_test(heads_have_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
