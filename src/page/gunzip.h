/* gzip files, as a site serves them by name (sitemap.xml.gz): whole buffers.
 * Content codings of HTTP are libcurl's business. */
#ifndef PAGE_GUNZIP_H
#define PAGE_GUNZIP_H

#include "base/buf.h"
#include "base/str.h"

enum gunzip_end {
    GUNZIP_WHOLE,
    GUNZIP_BROKEN,    /* bad data, or cut off */
    GUNZIP_TOO_LARGE, /* more than the cap of the buffer */
};

static inline bool gunzip_is_gzip(struct str bytes)
{
    return str_starts(bytes, STR("\x1f\x8b"));
}

/* Append what all members of `bytes` hold, up to the first that is not good
 * or does not fit; of that one comes nothing. What follows the last member
 * and is none is padding. The memory used is `out`'s: at most its cap and a
 * half, and in proportion to what really comes out. */
enum gunzip_end gunzip(struct str bytes, struct buf *out);

#endif
