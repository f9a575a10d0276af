/* Result pages of a search. The first byte gives the status and the
 * charset. */
#include "fuzz.h"

#include "page/searchpage.h"

static void check(const struct searchpage *page, struct arena *arena)
{
    assert((page->count > 0) == (page->kind == SEARCH_RESULTS));
    assert(page->count <= SEARCHPAGE_LINKS_MAX);
    for (size_t i = 0; i < page->count; i++) {
        struct url url;

        /* What comes out is what url_parse makes of it. */
        enum err err = url_parse(&url, arena, page->link[i], NULL, NULL);
        assert(err == ERR_NONE && str_eq(url.href, page->link[i]));
        (void)err;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 0, 202, 500};
    struct searchpage page;
    struct arena arena;
    struct url base;

    if (!size)
        return 0;
    arena_init(&arena);
    if (url_parse(&base, &arena, STR("https://html.duckduckgo.com/html/?q=x"),
                  NULL, NULL))
        return 0;
    struct searchpage_answer answer = {
        .body = {(const char *)data + 1, size - 1},
        .http_charset = data[0] & 8 ? STR("shift_jis") : STR("utf-8"),
        .status = statuses[data[0] & 3],
        .base = &base,
    };
    searchpage_read(&page, &arena, &answer);
    check(&page, &arena);
    arena_release(&arena);
    return 0;
}
