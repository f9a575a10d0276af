/* Page files: a pagesaver that writes each page to a file of its own in the
 * page directory (page/pagedir.h). Line 1 is the URL, line 2 the depth, and the
 * rest is the page as served, nothing added. */
#ifndef PAGE_PAGEFILES_H
#define PAGE_PAGEFILES_H

#include "page/pagesaver.h"

void pagefiles_init(struct pagesaver *saver, struct pagedir *dir);

#endif
