#include "archive/long_body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

struct long_body {
    int fd;
    struct warc_reader *reader;
    struct warc_record record;
    bool is_begun, is_chunked;
    uint64_t head_left;
    struct warc_chunks chunks;
    struct str rest; /* of the block, read and not given yet */
};

struct long_body *long_body_open(const struct long_body_place *place)
{
    int fd = open(place->path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return NULL;
    struct long_body *body = NEW(struct long_body);
    body->fd = fd;
    body->reader = warc_reader_open(fd, place->from, place->len);
    body->head_left = place->head_len;
    body->is_chunked = place->is_chunked;
    warc_reader_seek(body->reader, place->at, place->within);
    return body;
}

void long_body_free(struct long_body *body)
{
    if (!body)
        return;
    warc_reader_free(body->reader);
    close(body->fd);
    free(body);
}

/* The next bytes of the body, chunks and all. */
static enum warc_got read_block(struct long_body *body)
{
    enum warc_got got = WARC_RECORD;

    if (!body->is_begun)
        got = warc_begin(body->reader, &body->record);
    body->is_begun = true;
    while (got == WARC_RECORD && !body->rest.len) {
        got = warc_block(body->reader, &body->rest);
        if (got != WARC_RECORD)
            break;
        size_t head = body->head_left < body->rest.len ? (size_t)body->head_left
                                                       : body->rest.len;
        body->rest = str_skip(body->rest, head);
        body->head_left -= head;
    }
    return got;
}

/* Bytes behind the last chunk are no part of it. */
static enum long_body_got end(struct long_body *body)
{
    return warc_end(body->reader, &body->record) == WARC_RECORD
               ? LONG_BODY_END
               : LONG_BODY_BROKEN;
}

enum long_body_got long_body_read(struct long_body *body, struct str *bytes)
{
    for (;;) {
        enum warc_got got = body->rest.len ? WARC_RECORD : read_block(body);
        if (got == WARC_END)
            return end(body);
        if (got != WARC_RECORD)
            return LONG_BODY_BROKEN;
        if (!body->is_chunked) {
            *bytes = body->rest;
            body->rest = (struct str){0};
            return LONG_BODY_BYTES;
        }
        if (warc_chunks_next(&body->chunks, &body->rest, bytes))
            return LONG_BODY_BYTES;
        if (body->chunks.is_over)
            return end(body);
    }
}
