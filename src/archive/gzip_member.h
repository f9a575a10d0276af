/* Gzip members: each can be read without the others, so that a reader finds a
 * record by its place.
 *
 * Level 1 is ISA-L's, the others are libdeflate's (zlib's above a megabyte). A
 * thread keeps its compressors until it ends: they are large, and to allocate
 * one takes longer than to store a page. */
#ifndef ARCHIVE_GZIP_MEMBER_H
#define ARCHIVE_GZIP_MEMBER_H

#include "base/buf.h"

enum {
    GZIP_STORED = 0,
    GZIP_LEVEL_MAX = 12,
    GZIP_SAMPLES = 4,
    GZIP_SAMPLE_LEN = 8 << 10,
};

/* Append one member with all the pieces. `out` must have room for it below its
 * cap. Beside the member it takes at most a few megabytes of memory. */
void gzip_member_put(struct buf *out, int level, const struct str *piece,
                     size_t count);

/* --- a member that is larger than memory ---------------------------------- *
 *
 * Pieces of `len` bytes in all are added one after the other. After each call
 * the caller may take away what is in `out`; there must be room in it for twice
 * the next piece, and GZIP_STEP. A thread makes one member at a time. */

enum { GZIP_STEP = 64 << 10 };

struct gzip_member {
    struct buf *out;
    uint64_t len;
    /* stored */
    uint64_t rest; /* in blocks that have not begun */
    size_t in_block;
    uint32_t crc;
    /* compressed */
    struct fast *fast;
    struct z_stream_s *zlib;
};

void gzip_member_begin(struct gzip_member *member, struct buf *out, int level,
                       uint64_t len);
void gzip_member_add(struct gzip_member *member, struct str piece);
void gzip_member_end(struct gzip_member *member);
void gzip_member_release(struct gzip_member *member);

/* Can these bytes not be compressed, by GZIP_SAMPLES pieces of GZIP_SAMPLE_LEN
 * of them? gzip_sample_at says where in all of them each piece is. */
bool gzip_is_noise(struct str sample);
uint64_t gzip_sample_at(uint64_t len, size_t number);

#endif
