#include "page/pagenumbers.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/container.h"
#include "base/mem.h"

static struct pagenumbers *of(const struct pagesaver *saver)
{
    return container_of(saver, struct pagenumbers, saver);
}

/* There is nothing to prepare, but this says that the page is. */
static bool prepare(struct pagesaver *saver, struct webpage *page)
{
    page->prepared = saver;
    return true;
}

static void keep_url(struct pagenumbers *numbers, struct str url)
{
    if (!numbers->urls)
        numbers->first = numbers->dir->last_id;
    numbers->url = mem_grow(numbers->url, numbers->urls, &numbers->room,
                            sizeof(*numbers->url));
    numbers->url[numbers->urls++] = arena_copy(&numbers->arena, url);
}

/* Page files of a crawl that is replaced go first: none of ours takes the
 * place of one. */
static uint32_t commit(struct pagesaver *saver, const struct webpage *page)
{
    struct pagenumbers *numbers = of(saver);

    if (numbers->dir->holds_old)
        pagedir_drop_old(numbers->dir);
    if (numbers->keeps_urls)
        keep_url(numbers, page->url);
    return ++numbers->dir->last_id;
}

static void discard(struct pagesaver *saver, const struct webpage *page)
{
    (void)saver;
    (void)page;
}

static uint32_t last(const struct pagesaver *saver)
{
    return of(saver)->dir->last_id;
}

static uint32_t holds_old(const struct pagesaver *saver)
{
    const struct pagedir *dir = of(saver)->dir;

    return dir->holds_old ? dir->old_last : 0;
}

static void drop_old(struct pagesaver *saver)
{
    pagedir_drop_old(of(saver)->dir);
}

static void resume(struct pagesaver *saver, uint32_t last_id, bool was_killed)
{
    pagedir_resume(of(saver)->dir, last_id, was_killed);
}

static struct str url_of(const struct pagesaver *saver, uint32_t id,
                         struct arena *arena)
{
    const struct pagenumbers *numbers = of(saver);

    (void)arena;
    if (id <= numbers->first || id - numbers->first > numbers->urls)
        return (struct str){0};
    return numbers->url[id - numbers->first - 1];
}

/* The archive is on the same file system. */
static bool sync_files(struct pagesaver *saver)
{
    return !syncfs(of(saver)->dir->fd);
}

void pagenumbers_init(struct pagenumbers *numbers, struct pagedir *dir)
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

    *numbers = (struct pagenumbers){.saver.type = &type, .dir = dir};
    arena_init(&numbers->arena);
}

void pagenumbers_release(struct pagenumbers *numbers)
{
    arena_release(&numbers->arena);
    free(numbers->url);
    *numbers = (struct pagenumbers){0};
}
