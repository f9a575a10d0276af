/* Content codings for whole bodies. */
#ifndef TESTSERVER_ENCODE_H
#define TESTSERVER_ENCODE_H

#include "base/buf.h"

/* "gzip", "deflate" (the zlib format, as the standard says) or "deflate-raw"
 * (what some servers send for it). */
bool encode_knows(struct str coding);

/* The compressor, which is expensive to set up and cheap to use again. */
struct encoder;
struct encoder *encoder_new(void);
void encoder_free(struct encoder *encoder);

/* Append the coded body; false for an unknown coding or past the cap. */
bool encode(struct encoder *encoder, struct str coding, struct str body,
            struct buf *out);

#endif
