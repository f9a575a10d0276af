#include "crawler/original.h"

#include <stdlib.h>

#include "archive/warc_read.h"
#include "archive/warc_source.h"
#include "base/mem.h"

/* The fields of a record are mostly in its first bytes. */
enum { PIECE = 4096 };

struct original_reader {
    struct warc_source source;
    struct buf fields;
};

struct original_reader *original_reader_new(void)
{
    struct original_reader *reader = NEW(struct original_reader);

    buf_init(&reader->fields, WARC_FIELDS_MAX);
    warc_source_init(&reader->source, -1, 0, 0);
    reader->source.read_max = PIECE;
    return reader;
}

void original_reader_free(struct original_reader *reader)
{
    if (!reader)
        return;
    warc_source_release(&reader->source);
    buf_release(&reader->fields);
    free(reader);
}

/* The fields end with an empty line. Empty: there is no such record. */
static struct str read_fields(struct original_reader *reader, uint64_t at)
{
    struct buf *got = &reader->fields;
    struct str bytes;

    buf_clear(got);
    warc_source_seek(&reader->source, at);
    if (warc_source_begin(&reader->source) != SOURCE_BYTES)
        return (struct str){0};
    while (warc_source_peek(&reader->source, &bytes) == SOURCE_BYTES &&
           buf_put(got, str_first(bytes, got->cap - got->len))) {
        const char *end = memmem(got->ptr, got->len, "\r\n\r\n", 4);
        if (end)
            return str_between(got->ptr, end + 2);
        if (got->len == got->cap)
            break;
        warc_source_take(&reader->source, bytes.len);
    }
    return (struct str){0};
}

bool original_read(struct original_reader *reader, int fd, uint64_t at,
                   struct str tail, uint64_t tail_at, struct str digest,
                   struct warc_original *original)
{
    warc_source_set_file(&reader->source, fd, tail, tail_at);
    struct str fields = read_fields(reader, at);
    struct str id = warc_head_field(fields, STR("WARC-Record-ID"));

    if (!str_eq(warc_head_field(fields, STR("WARC-Type")), STR("response")) ||
        !str_eq(warc_head_field(fields, STR("WARC-Payload-Digest")), digest) ||
        warc_head_field(fields, STR("WARC-Truncated")).len || id.len < 2)
        return false;
    *original = (struct warc_original){
        .id = {id.ptr + 1, id.len - 2}, /* without its brackets */
        .url = warc_head_field(fields, STR("WARC-Target-URI")),
    };
    return original->url.len &&
           warc_date_ms(warc_head_field(fields, STR("WARC-Date")),
                        &original->date_ms);
}
