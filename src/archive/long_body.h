/* The body of a response that is too long for memory, piece by piece. It has a
 * file of its own open, and some 200 KB of memory.
 *
 *     struct long_body *body = long_body_open(&place);
 *     while (long_body_read(body, &bytes) == LONG_BODY_BYTES)
 *         ...
 *     long_body_free(body);
 */
#ifndef ARCHIVE_LONG_BODY_H
#define ARCHIVE_LONG_BODY_H

#include "archive/warc_read.h"

/* Where it is. */
struct long_body_place {
    const char *path;
    uint64_t from, len;  /* the part of the file that is the WARC; `len` 0: to
                          * its end */
    uint64_t at, within; /* the record, as warc_reader_seek has it */
    uint64_t head_len;   /* of HTTP, before the body */
    bool is_chunked;     /* the chunks must be undone */
};

struct long_body;

/* NULL with errno. The path is not needed after this. */
struct long_body *long_body_open(const struct long_body_place *place);
void long_body_free(struct long_body *body); /* NULL is allowed */

enum long_body_got {
    LONG_BODY_BYTES,  /* some, at least one, valid until the next call */
    LONG_BODY_END,    /* it was whole */
    LONG_BODY_BROKEN, /* the record is damaged or cut off, or cannot be read */
};
enum long_body_got long_body_read(struct long_body *body, struct str *bytes);

#endif
