/* The HTTP response in a record's block. */
#include "archive/warc_read.h"
#include "base/head.h"
#include "web/url.h"

/* The number in a chunk's first line; false if there is none. */
static bool chunk_len(struct str line, uint64_t *len)
{
    line = str_trim(line);
    *len = 0;
    if (line.len == 0 || line.len > 15)
        return false;
    for (size_t i = 0; i < line.len; i++) {
        int digit = hex_value(line.ptr[i]);
        if (digit < 0)
            return false;
        *len = *len * 16 + (uint64_t)digit;
    }
    return true;
}

/* A line is whole: that of a chunk, or the end of the line behind its bytes. */
static void take_line(struct warc_chunks *chunks)
{
    struct str line = {chunks->line, chunks->line_len};
    bool is_separator =
        chunks->is_behind_bytes && (!line.len || str_eq(line, STR("\r")));

    chunks->is_behind_bytes = chunks->in_extension = false;
    chunks->line_len = 0;
    if (is_separator)
        return;
    if (!chunk_len(line, &chunks->left)) {
        chunks->is_over = true;
        return;
    }
    chunks->has_begun = true;
    chunks->is_over = !chunks->left;
}

/* Up to the end of the line, or of the bytes. */
static void read_line(struct warc_chunks *chunks, struct str *bytes)
{
    struct str part = str_first(*bytes, str_find(*bytes, '\n'));
    bool is_whole = part.len < bytes->len;

    *bytes = str_skip(*bytes, part.len + is_whole);
    for (size_t i = 0; i < part.len; i++) {
        chunks->in_extension |= part.ptr[i] == ';';
        if (chunks->in_extension)
            break;
        if (chunks->line_len == sizeof(chunks->line)) {
            chunks->is_over = true; /* no number is so long */
            return;
        }
        chunks->line[chunks->line_len++] = part.ptr[i];
    }
    if (is_whole)
        take_line(chunks);
}

bool warc_chunks_next(struct warc_chunks *chunks, struct str *bytes,
                      struct str *piece)
{
    while (bytes->len && !chunks->is_over) {
        if (!chunks->left) {
            read_line(chunks, bytes);
            continue;
        }
        *piece = chunks->left < bytes->len
                     ? str_first(*bytes, (size_t)chunks->left)
                     : *bytes;
        *bytes = str_skip(*bytes, piece->len);
        chunks->left -= piece->len;
        chunks->is_behind_bytes = true;
        return true;
    }
    return false;
}

/* What is cut off within the chunks is good as far as it goes. False if they
 * are none, or pass the cap of `out`. */
static bool undo_chunks(struct str bytes, struct buf *out)
{
    struct warc_chunks chunks = {0};
    struct str piece;

    while (warc_chunks_next(&chunks, &bytes, &piece))
        if (!buf_put(out, piece))
            return false;
    return chunks.has_begun;
}

static bool is_chunked(struct str head)
{
    struct str codings = head_find(head, STR("Transfer-Encoding")), last = {0};

    while (codings.len)
        last = head_take_item(&codings);
    return str_eq_nocase(last, STR("chunked"));
}

/* A head may be as long as a block. */
static struct str unless_longer(struct str value, size_t max)
{
    if (value.len <= max)
        return value;
    return (struct str){0};
}

bool warc_http_parse(const struct warc_record *record, struct buf *scratch,
                     struct warc_http *http)
{
    struct str block = record->block;

    *http = (struct warc_http){0};
    if (!str_starts_nocase(block, STR("HTTP/")))
        return false;
    size_t len = head_len(block);
    http->head = len ? str_first(block, len) : block;
    http->status = head_status(block);
    if (http->status == 0)
        return false;
    http->body = str_skip(block, http->head.len);
    struct str type = head_find(http->head, STR("Content-Type"));
    http->mime =
        unless_longer(str_trim(str_cut(type, ';').head), WARC_MIME_MAX);
    http->location =
        unless_longer(head_find(http->head, STR("Location")), URL_LEN_MAX);
    http->content_encoding = head_find(http->head, STR("Content-Encoding"));
    buf_clear(scratch);
    http->is_chunked =
        is_chunked(http->head) && undo_chunks(http->body, scratch);
    if (http->is_chunked)
        http->body = buf_str(scratch);
    return true;
}
