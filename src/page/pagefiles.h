/* Page files: a pagesaver that writes each page to a file of its own in the
 * page directory (page/pagedir.h). Line 1 is the URL, line 2 the depth, and the
 * rest is the page as served, nothing added. */
#ifndef PAGE_PAGEFILES_H
#define PAGE_PAGEFILES_H

#include "page/pagedir.h"
#include "page/pagesaver.h"

struct pagefiles {
    struct pagesaver saver;
    struct pagedir *dir;
    atomic_uint changes; /* files that got a number or were removed */
    atomic_uint synced;  /* of these, those that are on the disk */
};

/* `dir` is borrowed, and must be open before a page is saved. */
void pagefiles_init(struct pagefiles *files, struct pagedir *dir);

#endif
