/* Content codings, of whole bodies. */
#ifndef PLAYGROUND_ENCODE_H
#define PLAYGROUND_ENCODE_H

#include "base/buf.h"

/* "gzip", "deflate" (the zlib format, as the standard says) or "deflate-raw"
 * (what some servers send for it). */
bool encode_knows(struct str coding);

/* Append the coded body; false for an unknown coding or past the cap. */
bool encode(struct str coding, struct str body, struct buf *out);

#endif
