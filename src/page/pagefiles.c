#include "page/pagesaver.h"

#include <errno.h>
#include <stdio.h>

#include "base/hash.h"

static bool save(struct pagedir *dir, struct webpage *page)
{
    char depth[16];
    int len = snprintf(depth, sizeof(depth), "\n%u\n", (unsigned)page->depth);
    struct iovec part[] = {
        {(void *)page->url.ptr, page->url.len},
        {depth, (size_t)len},
        {(void *)page->exchange.body.ptr, page->exchange.body.len},
    };

    return pagedir_save(dir, part, ARRAY_LEN(part), page->file);
}

void pagesaver_save(struct pagesaver *saver, struct webpage *page)
{
    if (saver->want_digest)
        page->digest = hash64(page->exchange.body, 0);
    if (save(saver->dir, page))
        return;
    page->save_errno = errno;
    page->outcome = NOT_SAVED;
    page->file[0] = '\0';
}
