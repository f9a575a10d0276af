#include "page/pagefiles.h"

#include <stdio.h>
#include <unistd.h>

#include "base/container.h"

/* page->prepared: the file has this name until it gets its number. */
struct prepared {
    char name[PAGEDIR_TEMP_MAX + 1];
};

static struct pagefiles *files_of(struct pagesaver *saver)
{
    return container_of(saver, struct pagefiles, saver);
}

static struct pagedir *dir_of(const struct pagesaver *saver)
{
    return container_of(saver, struct pagefiles, saver)->dir;
}

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
    return pagedir_save(dir_of(saver), part, ARRAY_LEN(part), prepared->name);
}

static uint32_t commit(struct pagesaver *saver, const struct webpage *page)
{
    struct pagedir *dir = dir_of(saver);

    files_of(saver)->changes++;
    return pagedir_publish(dir, name_of(page)) ? dir->last_id : 0;
}

static void discard(struct pagesaver *saver, const struct webpage *page)
{
    pagedir_discard(dir_of(saver), name_of(page));
}

static uint32_t last(const struct pagesaver *saver)
{
    return dir_of(saver)->last_id;
}

static uint32_t holds_old(const struct pagesaver *saver)
{
    const struct pagedir *dir = dir_of(saver);

    return dir->holds_old ? dir->old_last : 0;
}

static void drop_old(struct pagesaver *saver)
{
    files_of(saver)->changes++;
    pagedir_drop_old(dir_of(saver));
}

static void resume(struct pagesaver *saver, uint32_t last_id, bool was_killed)
{
    files_of(saver)->changes++;
    pagedir_resume(dir_of(saver), last_id, was_killed);
}

static struct str url_of(const struct pagesaver *saver, uint32_t id,
                         struct arena *arena)
{
    return pagedir_url(dir_of(saver), id, arena);
}

/* Syncing the file system costs less than syncing every file. Two threads may
 * be here: at worst one of them syncs once more than needed. */
static bool sync_files(struct pagesaver *saver)
{
    struct pagefiles *files = files_of(saver);
    unsigned changes = files->changes;

    if (changes == files->synced)
        return true;
    if (syncfs(files->dir->fd))
        return false;
    files->synced = changes;
    return true;
}

void pagefiles_init(struct pagefiles *files, struct pagedir *dir)
{
    static const struct pagesaver_type type = {
        .prepare = prepare,
        .commit = commit,
        .discard = discard,
        .last = last,
        .holds_old = holds_old,
        .drop_old = drop_old,
        .resume = resume,
        .url_of = url_of,
        .sync = sync_files,
    };

    *files = (struct pagefiles){.saver.type = &type, .dir = dir};
}
