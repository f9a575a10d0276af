/* The declared charset, the tokenizer, the scanner and the URLs of its links
 * and requisites. The first byte says whether the header has a charset, whether
 * it says that the page is XHTML, and whether it leads on. */
#include "fuzz.h"

#include "page/pagescanner.h"

static void scan(struct webpage *page, struct str body, bool want_text,
                 uint8_t headers)
{
    const struct scan_options options = {
        .want_text = want_text,
        .robots_agent = STR("mybot"),
    };

    webpage_init(page);
    webpage_ask(page, STR("http://example.org/a/b?c"), 0, true);
    page->want_requisites = want_text;
    page->exchange.body = body;
    if (headers & 1)
        memcpy(page->exchange.charset_label, "shift_jis", sizeof("shift_jis"));
    if (headers & 2)
        strcpy(page->exchange.mime, "application/xhtml+xml");
    if (headers & 4)
        page->exchange.refresh = str_first(body, 100);
    pagescanner_scan(page, &options);
}

/* Asking for the text and for requisites changes no link. */
static void check_same(const struct webpage *a, const struct webpage *b)
{
    assert(a->links.count == b->links.count && a->links.bad == b->links.bad);
    assert(a->noindex == b->noindex && a->nofollow == b->nofollow &&
           a->noarchive == b->noarchive);
    for (size_t i = 0; i < a->links.count; i++) {
        assert(str_eq(a->links.link[i].url.href, b->links.link[i].url.href));
        assert(a->links.link[i].fingerprint == b->links.link[i].fingerprint);
        assert(a->links.link[i].nofollow == b->links.link[i].nofollow);
    }
}

static void check_links(const struct webpage *page, size_t body_len)
{
    assert(page->links.count <= HTML_LINKS_MAX);
    assert(page->links.count <= body_len + 1);
    for (size_t i = 0; i < page->links.count; i++) {
        const struct page_link *link = &page->links.link[i];
        assert(link->url.href.len <= URL_LEN_MAX);
        assert(link->html->text.len <= HTML_LINK_TEXT_MAX);
    }
    assert(page->requisites.count <= HTML_REQUISITES_MAX);
    for (size_t i = 0; i < page->requisites.count; i++)
        assert(page->requisites.link[i].url.href.len <= URL_LEN_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct webpage with_text, without;

    if (!size)
        return 0;
    struct str body = fuzz_input(data + 1, size - 1);
    scan(&with_text, body, true, data[0]);
    scan(&without, body, false, data[0]);
    check_links(&with_text, body.len);
    check_same(&with_text, &without);
    webpage_release(&with_text);
    webpage_release(&without);
    return 0;
}
