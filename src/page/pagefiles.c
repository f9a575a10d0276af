#include "page/pagefiles.h"

#include <stdio.h>

/* page->prepared: the file has this name until it gets its number. */
struct prepared {
    char name[PAGEDIR_TEMP_MAX + 1];
};

static const char *name_of(const struct webpage *page)
{
    return ((const struct prepared *)page->prepared)->name;
}

static bool prepare(struct pagesaver *saver, struct webpage *page)
{
    struct prepared *prepared = arena_new(&page->arena, sizeof(*prepared));
    char depth[16];
    int len = snprintf(depth, sizeof(depth), "\n%u\n", (unsigned)page->depth);
    struct iovec part[] = {
        {(void *)page->url.ptr, page->url.len},
        {depth, (size_t)len},
        {(void *)page->exchange.body.ptr, page->exchange.body.len},
    };

    page->prepared = prepared;
    return pagedir_save_spooled(saver->dir, part, ARRAY_LEN(part),
                                page->exchange.spooled, prepared->name);
}

static uint32_t commit(struct pagesaver *saver, const struct webpage *page)
{
    struct pagedir *dir = saver->dir;

    return pagedir_publish(dir, name_of(page)) ? dir->last_id : 0;
}

static void discard(struct pagesaver *saver, const struct webpage *page)
{
    pagedir_discard(saver->dir, name_of(page));
}

static struct str url_of(const struct pagesaver *saver, uint32_t id,
                         struct arena *arena)
{
    return pagedir_url(saver->dir, id, arena);
}

static bool read_body(const struct pagesaver *saver, uint32_t id,
                      struct str url, struct buf *file, struct str *body)
{
    return pagedir_read(saver->dir, id, url, file, body);
}

void pagefiles_init(struct pagesaver *saver, struct pagedir *dir)
{
    static const struct pagesaver_type type = {
        .prepare = prepare,
        .commit = commit,
        .discard = discard,
        .url_of = url_of,
        .read = read_body,
    };

    *saver = (struct pagesaver){.type = &type, .dir = dir};
}
