/* The bytes of a WARC file, unpacked: plain, or gzip members one after the
 * other. Memory is fixed: nothing in the file decides how much is used.
 *
 * A unit is a gzip member, or all of a plain file. warc_source_begin opens the
 * next unit; warc_source_peek and warc_source_take go through its bytes.
 */
#ifndef ARCHIVE_WARC_SOURCE_H
#define ARCHIVE_WARC_SOURCE_H

#include <zlib.h>

#include "base/str.h"

enum { WARC_SOURCE_WINDOW = 64 << 10 };

enum source_got {
    SOURCE_BYTES,
    SOURCE_BOUNDARY, /* the gzip member is at its end */
    SOURCE_END,      /* the file is at its end, outside of any member */
    SOURCE_CUT,      /* the file ends within a gzip member */
    SOURCE_BROKEN,   /* no gzip, or a gzip member that is damaged */
    SOURCE_FAILED,   /* errno */
};

struct warc_source {
    int fd;
    uint64_t from, end; /* the part of the file that counts */
    size_t read_max;    /* bytes of the file that are read at a time */
    struct str tail;    /* the file from `tail_at` on, not written yet */
    uint64_t tail_at;
    uint64_t unit_at; /* where the unit begins, counted from `from` */
    uint64_t taken;   /* bytes of the unit that were taken */
    bool is_packed, has_packed;
    enum source_got state; /* of the unit; SOURCE_BYTES while it is open */
    z_stream zlib;
    uint64_t in_place; /* of `in`, counted from `from` */
    size_t in_at, in_len, out_at, out_len;
    unsigned char in[WARC_SOURCE_WINDOW], out[WARC_SOURCE_WINDOW];
};

/* `len` 0: to the end of the file. */
void warc_source_init(struct warc_source *source, int fd, uint64_t from,
                      uint64_t len);
void warc_source_release(struct warc_source *source);

/* Read another file, of which the bytes from `tail_at` on are in memory; they
 * stay the caller's. */
void warc_source_set_file(struct warc_source *source, int fd, struct str tail,
                          uint64_t tail_at);

/* The next unit is the one that begins here. */
void warc_source_seek(struct warc_source *source, uint64_t at);

/* Open the next unit: SOURCE_BYTES, SOURCE_END, SOURCE_BROKEN, SOURCE_FAILED.
 */
enum source_got warc_source_begin(struct warc_source *source);

/* Look at the next bytes of the unit, one at least with SOURCE_BYTES, and take
 * some of them. */
enum source_got warc_source_peek(struct warc_source *source, struct str *bytes);
void warc_source_take(struct warc_source *source, size_t count);

/* Pass over bytes of the unit. */
enum source_got warc_source_skip(struct warc_source *source, uint64_t count);

/* After SOURCE_BROKEN: the next unit is the next place that looks like the
 * start of a gzip member. SOURCE_END if there is none. */
enum source_got warc_source_recover(struct warc_source *source);

/* The place in the file behind the bytes that were used so far. */
uint64_t warc_source_place(const struct warc_source *source);

#endif
