/* Pages with equal content: the digest of the body and its length are those of
 * a page that was saved before. */
#ifndef REPORT_EQUAL_H
#define REPORT_EQUAL_H

#include "base/hashtable.h"
#include "store/rows.h"

struct equal_pages {
    struct hashtable first; /* the number of the first page, by its content */
    uint64_t count;         /* pages that equal an earlier one */
};

void equal_init(struct equal_pages *equal);
void equal_release(struct equal_pages *equal);

/* Add the fetch of a page, in the order in which they were saved. Returns the
 * first page with this content, or 0: this is the first. */
uint32_t equal_add(struct equal_pages *equal, const struct store_fetch *fetch);

#endif
