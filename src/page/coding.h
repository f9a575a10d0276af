/* Content codings of HTTP, and gzip files: whole buffers, decoded in one go.
 *
 * libcurl could decode a body while it comes, but it does not report a coded
 * stream that ends too early, and while a transfer is paused it holds what it
 * has decoded. Whole buffers are also faster to decode.
 */
#ifndef PAGE_CODING_H
#define PAGE_CODING_H

#include "base/buf.h"
#include "base/str.h"

/* The codings that we ask for: all that codings_undo knows. */
#define CODINGS_ACCEPTED "deflate, gzip, br, zstd"

enum coding {
    CODING_DEFLATE,
    CODING_GZIP,
    CODING_BROTLI,
    CODING_ZSTD,
};

enum { CODINGS_MAX = 4 };

/* In the order in which they were applied. */
struct codings {
    enum coding coding[CODINGS_MAX];
    size_t count;
};

/* Add the codings in the value of a Content-Encoding, but for "identity". False
 * if one is unknown, or if there are more than CODINGS_MAX. */
bool codings_add(struct codings *codings, struct str value);

enum coding_end {
    CODING_WHOLE,
    CODING_BROKEN,    /* bad data, or cut off */
    CODING_TOO_LARGE, /* more than the cap of the buffer */
};

/* Append to `out` the body without its codings. The memory used is in
 * proportion to what comes out, and at most a few times the cap of `out`. */
enum coding_end codings_undo(const struct codings *codings, struct str body,
                             struct buf *out);

/* A gzip file, as a site serves it by name (sitemap.xml.gz). */
bool gunzip_is_gzip(struct str bytes);

/* Append the contents of all members of `bytes`, up to the first that is broken
 * or does not fit; that one adds nothing. Bytes after the last member that are
 * no member are padding. */
enum coding_end gunzip(struct str bytes, struct buf *out);

#endif
