#include "page/pagenumbers.h"

#include <stdlib.h>

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
        numbers->first = numbers->saver.dir->last_id;
    numbers->url = mem_grow(numbers->url, numbers->urls, &numbers->room,
                            sizeof(*numbers->url));
    numbers->url[numbers->urls++] = arena_copy(&numbers->arena, url);
}

/* Page files of a crawl that is replaced go first: none of ours takes the
 * place of one. */
static uint32_t commit(struct pagesaver *saver, const struct webpage *page)
{
    struct pagenumbers *numbers = of(saver);

    if (saver->dir->holds_old)
        pagedir_drop_old(saver->dir);
    if (numbers->keeps_urls)
        keep_url(numbers, page->url);
    return ++saver->dir->last_id;
}

static void discard(struct pagesaver *saver, const struct webpage *page)
{
    (void)saver;
    (void)page;
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

void pagenumbers_init(struct pagenumbers *numbers, struct pagedir *dir)
{
    static const struct pagesaver_type type = {
        .prepare = prepare,
        .commit = commit,
        .discard = discard,
        .url_of = url_of,
    };

    *numbers = (struct pagenumbers){.saver = {.type = &type, .dir = dir}};
    arena_init(&numbers->arena);
}

void pagenumbers_release(struct pagenumbers *numbers)
{
    arena_release(&numbers->arena);
    free(numbers->url);
    *numbers = (struct pagenumbers){0};
}
