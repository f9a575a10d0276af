#include "page/webpage.h"

#include <stdlib.h>

#include "archive/warc_write.h"
#include "page/bodies.h"
#include "page/mime.h"

/* A page with a million links must not hold its memory for ever. */
enum { ARENA_KEEP_MAX = 256 * 1024 };

void webpage_init(struct webpage *page)
{
    *page = (struct webpage){0};
    arena_init(&page->arena);
}

void webpage_release(struct webpage *page)
{
    webpage_drop_pair(page);
    arena_release(&page->arena);
}

/* Keep at most ARENA_KEEP_MAX. */
static void shrink(struct arena *arena)
{
    arena_clear(arena);
    if ((size_t)(arena->end - arena->at) > ARENA_KEEP_MAX)
        arena_release(arena);
}

void webpage_drop_pair(struct webpage *page)
{
    if (page->pair) {
        warc_pair_release(page->pair);
        free(page->pair);
        page->pair = NULL;
    }
    if (page->pair_held)
        body_budget_drop(page->pair_budget, page->pair_held);
    page->pair_held = 0;
}

void webpage_rest(struct webpage *page)
{
    webpage_drop_pair(page);
    shrink(&page->arena);
    page->links = page->requisites = (struct page_links){0};
    page->canonical = NULL;
    page->content = (struct page_content){0};
    page->title = (struct str){0};
}

void webpage_ask(struct webpage *page, struct str url, uint32_t depth,
                 bool want_links)
{
    struct arena arena = page->arena;

    webpage_drop_pair(page);
    shrink(&arena);
    *page = (struct webpage){
        .url = url,
        .depth = depth,
        .want_links = want_links,
        .arena = arena,
    };
}

void webpage_ask_parsed(struct webpage *page, const struct url *url,
                        uint32_t depth, bool want_links)
{
    webpage_ask(page, url->href, depth, want_links);
    page->parts = *url;
}

const struct url *webpage_url_parts(struct webpage *page)
{
    if (!page->parts.href.len &&
        url_parse(&page->parts, &page->arena, page->url, NULL, NULL))
        page->parts = (struct url){0};
    return page->parts.href.len ? &page->parts : NULL;
}

bool webpage_names_more(const struct webpage *page)
{
    struct str mime = str_of(page->exchange.mime);

    return page->want_requisites &&
           (str_eq_nocase(mime, STR("text/css")) ||
            (page->is_document && mime_verdict(mime) == MIME_PAGE));
}

void webpage_own_url(struct webpage *page)
{
    page->url = arena_copy(&page->arena, page->url);
}

void webpage_take_exchange(struct webpage *page)
{
    page->outcome = page->exchange.outcome;
    page->noindex = page->exchange.noindex;
    page->nofollow = page->exchange.nofollow;
    page->noarchive = page->exchange.noarchive;
}
