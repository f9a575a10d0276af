/* The pagesaver: where saved pages go.
 *
 * A page is saved in two steps:
 *
 *     pagesaver_prepare(saver, page);    a worker, while the bytes of the
 *                                        exchange are at hand
 *     id = pagesaver_commit(saver, page) the crawler thread gives it the next
 *     pagesaver_discard(saver, page)     number, or drops it
 *
 * The workers do the slow part. One thread gives the numbers, so they have no
 * holes and follow the order of the log.
 *
 * The numbers are those of a page directory (page/pagedir.h). How a page is
 * kept is a table of functions: page files (page/pagefiles.h), or numbers alone
 * (page/pagenumbers.h). The workers, the crawler thread and the record know
 * only what is here.
 */
#ifndef PAGE_PAGESAVER_H
#define PAGE_PAGESAVER_H

#include <stdatomic.h>

#include "page/pagedir.h"
#include "page/webpage.h"

struct pagesaver;

struct pagesaver_type {
    /* On any worker, several at a time. Sets page->prepared, to anything in
     * the page's arena. False with errno: then nothing is left behind. */
    bool (*prepare)(struct pagesaver *saver, struct webpage *page);

    /* On the crawler thread. The number, or 0 with errno: then the page is
     * still prepared. */
    uint32_t (*commit)(struct pagesaver *saver, const struct webpage *page);
    void (*discard)(struct pagesaver *saver, const struct webpage *page);

    /* On the crawler thread: the URL of a page that was committed, or empty. */
    struct str (*url_of)(const struct pagesaver *saver, uint32_t id,
                         struct arena *arena);

    /* On any worker: the body of a page that was committed, in `file`. False if
     * it cannot be read, or is not of this URL. NULL: pages are elsewhere. */
    bool (*read)(const struct pagesaver *saver, uint32_t id, struct str url,
                 struct buf *file, struct str *body);
};

/* The first member of an implementation. */
struct pagesaver {
    const struct pagesaver_type *type;
    struct pagedir *dir; /* borrowed, and open before a page is saved */
    atomic_uint changes; /* of files in the page directory */
    atomic_uint synced;  /* of these, those that are on the disk */
};

/* The page cannot be saved, for what errno says: the outcome is NOT_SAVED, with
 * page->save_errno. So it is if pagesaver_prepare fails. */
void pagesaver_fail(struct webpage *page);
void pagesaver_prepare(struct pagesaver *saver, struct webpage *page);

/* Give a page that is prepared the next number. 0 with errno: it has to be
 * discarded. */
uint32_t pagesaver_commit(struct pagesaver *saver, struct webpage *page);

/* Drop the prepared page, if there is one. */
void pagesaver_discard(struct pagesaver *saver, struct webpage *page);

/* --- on the crawler thread ------------------------------------------------ */

/* The number of the last page that was committed, also by an earlier run of
 * this crawl. */
static inline uint32_t pagesaver_last(const struct pagesaver *saver)
{
    return saver->dir->last_id;
}

/* The last old page, or 0. Old pages were saved by another crawl, or by this
 * one without a record of them; the next commit removes them. */
static inline uint32_t pagesaver_holds_old(const struct pagesaver *saver)
{
    return saver->dir->holds_old ? saver->dir->old_last : 0;
}

/* Files of the page directory were changed, also by others than the pagesaver:
 * the next sync has something to do. To be called after the change: a sync that
 * runs meanwhile may not cover it. */
static inline void pagesaver_changed(struct pagesaver *saver)
{
    saver->changes++;
}

/* Remove the old pages now. */
static inline void pagesaver_drop_old(struct pagesaver *saver)
{
    pagedir_drop_old(saver->dir);
    pagesaver_changed(saver);
}

/* Before anything else: go on after page `last`. Prepared pages that were not
 * committed are removed. If the crawl was killed, the unrecorded pages after
 * `last` are old. */
static inline void pagesaver_resume(struct pagesaver *saver, uint32_t last,
                                    bool was_killed)
{
    pagedir_resume(saver->dir, last, was_killed);
    pagesaver_changed(saver);
}

static inline struct str pagesaver_url_of(const struct pagesaver *saver,
                                          uint32_t id, struct arena *arena)
{
    return saver->type->url_of(saver, id, arena);
}

static inline bool pagesaver_read(const struct pagesaver *saver, uint32_t id,
                                  struct str url, struct buf *file,
                                  struct str *body)
{
    return saver->type->read && saver->type->read(saver, id, url, file, body);
}

/* On any thread, several at a time: make durable what was changed before the
 * call. False with errno. */
bool pagesaver_sync(struct pagesaver *saver);

#endif
