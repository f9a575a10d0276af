#include "page/pagesaver.h"

#include <assert.h>
#include <errno.h>

void pagesaver_prepare(struct pagesaver *saver, struct webpage *page)
{
    assert(!page->prepared);
    if (saver->type->prepare(saver, page))
        return;
    page->save_errno = errno;
    page->outcome = NOT_SAVED;
    page->prepared = NULL;
}

uint32_t pagesaver_commit(struct pagesaver *saver, struct webpage *page)
{
    assert(page->prepared);
    uint32_t id = saver->type->commit(saver, page);
    if (id)
        page->prepared = NULL;
    return id;
}

void pagesaver_discard(struct pagesaver *saver, struct webpage *page)
{
    if (page->prepared)
        saver->type->discard(saver, page);
    page->prepared = NULL;
}
