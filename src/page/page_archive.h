/* An archive that pages come from instead of the web (--from). The fetchers of
 * all threads share it. */
#ifndef PAGE_PAGE_ARCHIVE_H
#define PAGE_PAGE_ARCHIVE_H

#include <pthread.h>

#include "archive/collection.h"

struct page_archive {
    pthread_mutex_t lock; /* around every use of the collection */
    struct collection *collection;
};

#endif
