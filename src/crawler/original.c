#include "crawler/original.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/warc_read.h"
#include "base/mem.h"

enum {
    PIECE = 4096,
    FIELDS_MAX = 64 << 10,
    GZIP_WINDOW = 15 + 16, /* inflateInit2: gzip, not zlib */
};

struct original_reader {
    z_stream zlib;
    struct buf fields;
};

struct original_reader *original_reader_new(void)
{
    struct original_reader *reader = NEW(struct original_reader);

    buf_init(&reader->fields, FIELDS_MAX);
    if (inflateInit2(&reader->zlib, GZIP_WINDOW) != Z_OK)
        mem_checked(NULL);
    return reader;
}

void original_reader_free(struct original_reader *reader)
{
    if (!reader)
        return;
    inflateEnd(&reader->zlib);
    buf_release(&reader->fields);
    free(reader);
}

/* --- the fields --------------------------------------------------------- */

/* Bytes that begin at `at`; empty at the end. */
static struct str read_piece(int fd, uint64_t at, struct str tail,
                             uint64_t tail_at, char piece[PIECE])
{
    if (at >= tail_at && at - tail_at < tail.len)
        return str_first(str_skip(tail, (size_t)(at - tail_at)), PIECE);
    ssize_t len = at < tail_at ? pread(fd, piece, PIECE, (off_t)at) : 0;
    return (struct str){piece, len > 0 ? (size_t)len : 0};
}

/* Inflate some bytes. False at the end of the member, or if it is none. */
static bool inflate_piece(struct original_reader *reader, struct str bytes)
{
    z_stream *zlib = &reader->zlib;
    int said = Z_OK;

    zlib->next_in = (Bytef *)bytes.ptr;
    zlib->avail_in = (uInt)bytes.len;
    do {
        char *to = buf_reserve(&reader->fields, PIECE);
        if (!to)
            return false;
        zlib->next_out = (Bytef *)(void *)to;
        zlib->avail_out = PIECE;
        said = inflate(zlib, Z_NO_FLUSH);
        reader->fields.len += PIECE - zlib->avail_out;
    } while (said == Z_OK && !zlib->avail_out);
    return said == Z_OK || said == Z_BUF_ERROR;
}

/* The fields end with an empty line. Empty: there is no such record. */
static struct str read_fields(struct original_reader *reader, int fd,
                              uint64_t at, struct str tail, uint64_t tail_at)
{
    char piece[PIECE];
    bool more = true;

    buf_clear(&reader->fields);
    inflateReset(&reader->zlib);
    while (more) {
        struct str bytes = read_piece(fd, at, tail, tail_at, piece);
        more = bytes.len && inflate_piece(reader, bytes);
        at += bytes.len;
        const struct buf *got = &reader->fields;
        const char *end =
            got->len ? memmem(got->ptr, got->len, "\r\n\r\n", 4) : NULL;
        if (end)
            return str_between(got->ptr, end + 2);
    }
    return (struct str){0};
}

static struct str field(struct str fields, struct str name)
{
    while (fields.len) {
        struct str_pair lines = str_cut(fields, '\n');
        struct str_pair pair = str_cut(lines.head, ':');
        if (str_eq_nocase(pair.head, name))
            return str_trim(pair.tail);
        fields = lines.tail;
    }
    return (struct str){0};
}

bool original_read(struct original_reader *reader, int fd, uint64_t at,
                   struct str tail, uint64_t tail_at, struct str digest,
                   struct warc_original *original)
{
    struct str fields = read_fields(reader, fd, at, tail, tail_at);
    struct str id = field(fields, STR("WARC-Record-ID"));

    if (!str_eq(field(fields, STR("WARC-Type")), STR("response")) ||
        !str_eq(field(fields, STR("WARC-Payload-Digest")), digest) ||
        field(fields, STR("WARC-Truncated")).len || id.len < 2)
        return false;
    *original = (struct warc_original){
        .id = {id.ptr + 1, id.len - 2}, /* without its brackets */
        .url = field(fields, STR("WARC-Target-URI")),
    };
    return original->url.len &&
           warc_date_ms(field(fields, STR("WARC-Date")), &original->date_ms);
}
