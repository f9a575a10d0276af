/* Content codings of HTTP: whole bodies, decoded in one go once all is there.
 *
 * libcurl could decode while a body comes, but it does not tell when a coded
 * stream ends too early, and it holds what it has decoded for a transfer that
 * is paused. Whole buffers are also faster to decode.
 */
#ifndef PAGE_CODING_H
#define PAGE_CODING_H

#include "base/buf.h"
#include "base/str.h"

/* What we ask for: all that codings_undo knows. */
#define CODINGS_ACCEPTED "deflate, gzip, br, zstd"

enum coding {
    CODING_DEFLATE,
    CODING_GZIP,
    CODING_BROTLI,
    CODING_ZSTD,
    CODINGS,
};

enum { CODINGS_MAX = 4 };

/* In the order in which they were applied. */
struct codings {
    enum coding coding[CODINGS_MAX];
    size_t count;
};

/* Add what the value of a Content-Encoding names; "identity" is nothing. False
 * where one is unknown, or there are more than anybody means. */
bool codings_add(struct codings *codings, struct str value);

enum coding_end {
    CODING_WHOLE,
    CODING_BROKEN,    /* bad data, or cut off */
    CODING_TOO_LARGE, /* more than the cap of the buffer */
};

/* Append to `out` what `body` is without its codings. The memory used is in
 * proportion to what comes out, and at most a few times the cap of `out`. */
enum coding_end codings_undo(const struct codings *codings, struct str body,
                             struct buf *out);

#endif
