/* The pagesaver: where saved pages go.
 *
 * A page is saved in two steps:
 *
 *     pagesaver_prepare(saver, page);    a worker, while the bytes of the
 *                                        exchange are at hand
 *     id = pagesaver_commit(saver, page) the crawler thread gives it the next
 *     pagesaver_discard(saver, page)     number, or drops it
 *
 * Whatever takes time is done by the workers, and numbers have no holes and
 * are in the order of the log, since one thread gives them.
 *
 * A place to save to is a table of functions. There is one, page files
 * (page/pagefiles.h); the workers, the crawler thread and the record know only
 * what is here.
 */
#ifndef PAGE_PAGESAVER_H
#define PAGE_PAGESAVER_H

#include "page/webpage.h"

struct pagesaver;

struct pagesaver_type {
    /* What it needs of an exchange beside the body and the facts: of enum
     * exchange_wish. The workers' fetchers keep that and no more. */
    unsigned wishes;

    /* On any worker, several at a time. Sets page->prepared, to anything in
     * the page's arena. False with errno: then nothing is left behind. */
    bool (*prepare)(struct pagesaver *saver, struct webpage *page);

    /* On the crawler thread. The number, or 0 with errno: then the page is
     * still prepared. */
    uint32_t (*commit)(struct pagesaver *saver, const struct webpage *page);
    void (*discard)(struct pagesaver *saver, const struct webpage *page);

    /* On the crawler thread: the number of the last page that was committed,
     * also by an earlier run of this crawl. */
    uint32_t (*last)(const struct pagesaver *saver);

    /* On the crawler thread: the last page of those that go with the next
     * commit, because another crawl saved them, or this one and nobody
     * remembers it. 0: there are none. */
    uint32_t (*holds_old)(const struct pagesaver *saver);

    /* They go now. */
    void (*drop_old)(struct pagesaver *saver);

    /* On the crawler thread, before anything else: go on after that number.
     * What was prepared and not committed goes; if the crawl was killed, pages
     * that were committed after it, which nobody remembers, are old. */
    void (*resume)(struct pagesaver *saver, uint32_t last, bool was_killed);

    /* On the crawler thread: the URL of a page that was committed, or empty. */
    struct str (*url_of)(const struct pagesaver *saver, uint32_t id,
                         struct arena *arena);

    /* On any thread: all that was committed before the call is there to stay
     * when it returns. False with errno. */
    bool (*sync)(struct pagesaver *saver);
};

/* The first member of what implements it. */
struct pagesaver {
    const struct pagesaver_type *type;
};

/* Where that fails the outcome is NOT_SAVED, with page->save_errno. */
void pagesaver_prepare(struct pagesaver *saver, struct webpage *page);

/* Give a page that is prepared the next number. 0 with errno: it has to be
 * discarded. */
uint32_t pagesaver_commit(struct pagesaver *saver, struct webpage *page);

/* Drop what was prepared, if anything was. */
void pagesaver_discard(struct pagesaver *saver, struct webpage *page);

static inline uint32_t pagesaver_last(const struct pagesaver *saver)
{
    return saver->type->last(saver);
}

static inline uint32_t pagesaver_holds_old(const struct pagesaver *saver)
{
    return saver->type->holds_old(saver);
}

static inline void pagesaver_drop_old(struct pagesaver *saver)
{
    saver->type->drop_old(saver);
}

static inline void pagesaver_resume(struct pagesaver *saver, uint32_t last,
                                    bool was_killed)
{
    saver->type->resume(saver, last, was_killed);
}

static inline struct str pagesaver_url_of(const struct pagesaver *saver,
                                          uint32_t id, struct arena *arena)
{
    return saver->type->url_of(saver, id, arena);
}

static inline bool pagesaver_sync(struct pagesaver *saver)
{
    return saver->type->sync(saver);
}

#endif
