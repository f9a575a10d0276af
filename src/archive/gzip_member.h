/* Gzip members: each can be read without the others, so that a reader finds a
 * record by its place.
 *
 * Level 1 is ISA-L's, the others are libdeflate's (zlib's above a megabyte). A
 * thread keeps its compressors until it ends: they are large, and to allocate
 * one takes longer than to store a page. */
#ifndef ARCHIVE_GZIP_MEMBER_H
#define ARCHIVE_GZIP_MEMBER_H

#include "base/buf.h"

enum { GZIP_STORED = 0, GZIP_LEVEL_MAX = 12 };

/* Append one member with all the pieces. `out` must have room for it below its
 * cap. Beside the member it takes at most a few megabytes of memory. */
void gzip_member_put(struct buf *out, int level, const struct str *piece,
                     size_t count);

#endif
