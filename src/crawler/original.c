#include "crawler/original.h"

#include <stdlib.h>

#include "archive/warc_read.h"
#include "archive/warc_source.h"
#include "base/date.h"
#include "base/head.h"
#include "base/mem.h"

/* The fields of a record are mostly in its first bytes. A head of HTTP that is
 * longer than the other half is not compared, so its record is no original. */
enum { PIECE = 4096, HEADS_MAX = 2 * WARC_FIELDS_MAX };

struct original_reader {
    struct warc_source source;
    struct buf heads; /* the fields, and the head of HTTP behind them */
};

struct original_reader *original_reader_new(void)
{
    struct original_reader *reader = NEW(struct original_reader);

    buf_init(&reader->heads, HEADS_MAX);
    warc_source_init(&reader->source, -1, 0, 0);
    reader->source.read_max = PIECE;
    return reader;
}

void original_reader_free(struct original_reader *reader)
{
    if (!reader)
        return;
    warc_source_release(&reader->source);
    buf_release(&reader->heads);
    free(reader);
}

/* Cut off the head at the front, which ends with an empty line. */
static bool take_head(struct str *bytes, struct str *head)
{
    *head = str_first(*bytes, head_len(*bytes));
    *bytes = str_skip(*bytes, head->len);
    return head->len;
}

/* False: there is no such record. */
static bool read_heads(struct original_reader *reader, uint64_t at,
                       struct str *fields, struct str *http)
{
    struct buf *got = &reader->heads;
    struct str bytes;

    buf_clear(got);
    warc_source_seek(&reader->source, at);
    if (warc_source_begin(&reader->source) != SOURCE_BYTES)
        return false;
    while (warc_source_peek(&reader->source, &bytes) == SOURCE_BYTES &&
           buf_put(got, str_first(bytes, got->cap - got->len))) {
        struct str rest = buf_str(got);
        if (take_head(&rest, fields) && take_head(&rest, http))
            return true;
        if (got->len == got->cap)
            break;
        warc_source_take(&reader->source, bytes.len);
    }
    return false;
}

static bool is_same_answer(struct str head, struct str other)
{
    struct str type = STR("Content-Type");

    return head_status(head) == head_status(other) &&
           str_eq(head_find(head, type), head_find(other, type));
}

bool original_read(struct original_reader *reader, int fd, uint64_t at,
                   struct str tail, uint64_t tail_at,
                   const struct warc_pair *pair, struct warc_original *original)
{
    struct str digest = str_of(pair->payload_digest), fields, http;

    warc_source_set_file(&reader->source, fd, tail, tail_at);
    if (!read_heads(reader, at, &fields, &http))
        return false;
    struct str id = head_find(fields, STR("WARC-Record-ID"));
    if (!str_eq(head_find(fields, STR("WARC-Type")), STR("response")) ||
        !str_eq(head_find(fields, STR("WARC-Payload-Digest")), digest) ||
        head_find(fields, STR("WARC-Truncated")).len || id.len < 2 ||
        !is_same_answer(http, buf_str(&pair->head)))
        return false;
    *original = (struct warc_original){
        .id = {id.ptr + 1, id.len - 2}, /* without its brackets */
        .url = head_find(fields, STR("WARC-Target-URI")),
    };
    return original->url.len &&
           date_read_iso(head_find(fields, STR("WARC-Date")),
                         &original->date_ms);
}
