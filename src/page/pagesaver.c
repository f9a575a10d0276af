#include "page/pagesaver.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

void pagesaver_fail(struct webpage *page)
{
    page->save_errno = errno;
    page->outcome = NOT_SAVED;
    page->prepared = NULL;
}

void pagesaver_prepare(struct pagesaver *saver, struct webpage *page)
{
    assert(!page->prepared);
    if (!saver->type->prepare(saver, page))
        pagesaver_fail(page);
}

uint32_t pagesaver_commit(struct pagesaver *saver, struct webpage *page)
{
    assert(page->prepared);
    uint32_t id = saver->type->commit(saver, page);
    int why = errno;
    pagesaver_changed(saver); /* also if it failed in the middle */
    if (id)
        page->prepared = NULL;
    errno = why;
    return id;
}

void pagesaver_discard(struct pagesaver *saver, struct webpage *page)
{
    if (page->prepared)
        saver->type->discard(saver, page);
    page->prepared = NULL;
}

/* Syncing the file system costs less than syncing every file; an archive is on
 * the same one. Two threads may be here: at worst one of them syncs once more
 * than needed. */
bool pagesaver_sync(struct pagesaver *saver)
{
    unsigned changes = saver->changes;

    if (changes == saver->synced)
        return true;
    if (syncfs(saver->dir->fd))
        return false;
    saver->synced = changes;
    return true;
}
