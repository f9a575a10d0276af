/* The pagesaver: writes a page file. Line 1 the URL, line 2 the depth, from
 * line 3 the bytes of the page as served, nothing added. */
#ifndef PAGE_PAGESAVER_H
#define PAGE_PAGESAVER_H

#include "page/pagedir.h"
#include "page/webpage.h"

/* Each thread that saves has its own, told apart by `hand`. */
struct pagesaver {
    int dir_fd;
    unsigned hand;
    bool want_digest; /* set page->digest */
    unsigned long count;
};

/* Write the page under a name of its own, page->file, to be published or
 * discarded. Where that fails nothing is left behind and the outcome is
 * NOT_SAVED, with page->save_errno. */
void pagesaver_save(struct pagesaver *saver, struct webpage *page);

#endif
