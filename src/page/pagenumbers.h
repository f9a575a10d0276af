/* A pagesaver that writes no page files: pages only get their numbers. The
 * archive of the crawl has their bytes. */
#ifndef PAGE_PAGENUMBERS_H
#define PAGE_PAGENUMBERS_H

#include "page/pagesaver.h"

struct pagenumbers {
    struct pagesaver saver; /* its interface */
    bool keeps_urls;        /* for pagesaver_url_of: of the pages of this run */
    struct arena arena;
    struct str *url; /* of page first + 1, ... */
    size_t urls, room;
    uint32_t first;
};

/* Set keeps_urls before the first page is prepared. */
void pagenumbers_init(struct pagenumbers *numbers, struct pagedir *dir);
void pagenumbers_release(struct pagenumbers *numbers);

#endif
