/* Page files out of an archive: the pages as a crawl would have saved them. */
#ifndef REPORT_EXPORT_PAGES_H
#define REPORT_EXPORT_PAGES_H

#include "archive/collection.h"
#include "page/pagedir.h"

struct exported_pages {
    uint32_t pages;
    uint64_t undecodable; /* left out: a coding is unknown, or broken */
    uint64_t unreadable;  /* left out: a record without what it refers to, with
                           * a body that is too long, or damaged */
};

/* Write the pages of the collection, in its order, into a directory that has
 * none. If the records of an archive say which of them were pages, and at which
 * depth, these are taken; of other archives every HTML response with status
 * 200, each URL once, with depth 0. False with errno. */
bool export_pages(struct collection *collection, struct pagedir *dir,
                  struct exported_pages *exported);

#endif
