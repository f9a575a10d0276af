/* The page of a crawl that saves into an archive alone. */
#ifndef PAGE_ARCHIVED_PAGE_H
#define PAGE_ARCHIVED_PAGE_H

#include "base/buf.h"

/* Where its response is. */
struct archived_page {
    struct str file; /* NAME of archive/archive_name.h; empty: in none */
    uint64_t at;
};

/* Append its body to `out`, without its content coding. False if it cannot be
 * read. */
bool archived_page_read(const struct archived_page *page, int dir_fd,
                        struct buf *out);

#endif
