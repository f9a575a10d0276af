/* The pagesaver: writes a page file. Line 1 the URL, line 2 the depth, from
 * line 3 the bytes of the page as served, nothing added. */
#ifndef PAGE_PAGESAVER_H
#define PAGE_PAGESAVER_H

#include "page/pagedir.h"
#include "page/webpage.h"

struct pagesaver {
    struct pagedir *dir;
    bool want_digest; /* set page->digest */
};

/* Write the page under a name of its own, page->file, to be published or
 * discarded. Where that fails nothing is left behind and the outcome is
 * NOT_SAVED, with page->save_errno. */
void pagesaver_save(struct pagesaver *saver, struct webpage *page);

#endif
