/* The HTTP response in a record's block. */
#include "archive/warc_read.h"
#include "base/head.h"
#include "url/url.h"

/* The number in a chunk's first line; false if there is none. */
static bool chunk_len(struct str line, uint64_t *len)
{
    line = str_trim(str_cut(line, ';').head);
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

/* Undo the chunks. What is cut off within them is good as far as it goes. False
 * if they are none, or pass the cap of `out`. */
static bool undo_chunks(struct str bytes, struct buf *out)
{
    uint64_t len;
    bool is_first = true;

    while (bytes.len) {
        size_t line_len = str_find(bytes, '\n');
        if (line_len == bytes.len ||
            !chunk_len(str_first(bytes, line_len), &len))
            return !is_first;
        bytes = str_skip(bytes, line_len + 1);
        if (len == 0)
            return true;
        struct str part =
            len < bytes.len ? str_first(bytes, (size_t)len) : bytes;
        if (!buf_put(out, part))
            return false;
        bytes = str_skip(bytes, part.len);
        if (str_starts(bytes, STR("\r\n")))
            bytes = str_skip(bytes, 2);
        else if (str_starts(bytes, STR("\n")))
            bytes = str_skip(bytes, 1);
        is_first = false;
    }
    return !is_first;
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
    if (is_chunked(http->head) && undo_chunks(http->body, scratch))
        http->body = buf_str(scratch);
    return true;
}
