#include "report/export_read.h"

#include <stdlib.h>

#include "base/mem.h"
#include "page/webpage.h"
#include "store/fold.h"

/* Pages come in the order of their fetches, what became of their URLs in that
 * of the URLs: so the record is read twice. A crawl at work may have saved
 * more in between; that is left out. */

struct page_entry {
    uint32_t number; /* of the URL; 0: there is no such page */
    uint32_t depth, referrer;
};

struct exporter {
    struct store *store;
    const struct export_reader *reader;
    struct page_entry *page; /* by number of the page */
    uint64_t urls;
    uint32_t last_page;  /* of the first reading, */
    uint32_t later_page; /* and of the second */
    struct buf url;
    struct buf source;    /* the URL of the page where it was found, */
    uint32_t source_page; /* and which page that is */
};

/* --- first: what became of URLs ----------------------------------------- */

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct exporter *exporter = user;

    exporter->urls = urls;
    exporter->page = mem_array(urls + 1, sizeof(*exporter->page));
    return last_number < UINT32_MAX;
}

static bool note_page(void *user, const struct store_fetch *row)
{
    struct exporter *exporter = user;

    if (row->page > exporter->urls)
        return false;
    if (row->page > exporter->last_page)
        exporter->last_page = row->page;
    return true;
}

static bool note_url(void *user, const struct url_record *url)
{
    struct exporter *exporter = user;

    if (!url->page)
        return true;
    exporter->page[url->page] = (struct page_entry){
        .number = (uint32_t)url->row->number,
        .depth = url->depth,
        .referrer = url->referrer,
    };
    return true;
}

/* --- then: their pages -------------------------------------------------- */

static bool find(struct exporter *exporter, uint64_t number, struct buf *text)
{
    struct store_url url;

    buf_clear(text);
    return store_find_url(exporter->store, number, &url) &&
           buf_put(text, url.url);
}

/* Where something was found; often the same page as the last time. */
static bool find_source(struct exporter *exporter, uint32_t page)
{
    if (page == exporter->source_page)
        return true;
    exporter->source_page = page;
    return page <= exporter->last_page && exporter->page[page].number &&
           find(exporter, exporter->page[page].number, &exporter->source);
}

static bool give_page(void *user, const struct store_fetch *row)
{
    struct exporter *exporter = user;

    if (row->page > exporter->later_page)
        exporter->later_page = row->page;
    if (!row->page || row->page > exporter->last_page ||
        !exporter->reader->page)
        return true;
    const struct page_entry *entry = &exporter->page[row->page];
    if (entry->number != row->number || row->mime.len > MIME_MAX ||
        !find(exporter, row->number, &exporter->url))
        return false;
    struct export_page page = {
        .url = buf_str(&exporter->url),
        .depth = entry->depth,
        .referrer_id = entry->referrer,
        .fetch = row,
    };
    if (page.referrer_id) {
        if (!find_source(exporter, page.referrer_id))
            return false;
        page.referrer = buf_str(&exporter->source);
    }
    return exporter->reader->page(exporter->reader->user, &page);
}

static bool give_link(void *user, const struct store_link *row)
{
    struct exporter *exporter = user;

    if (row->page > exporter->last_page && row->page <= exporter->later_page)
        return true;
    return row->page && find_source(exporter, row->page) &&
           exporter->reader->link(exporter->reader->user,
                                  buf_str(&exporter->source), row);
}

bool export_read(struct store *store, const struct export_reader *reader,
                 struct store_error *error)
{
    struct exporter exporter = {.store = store, .reader = reader};
    const struct fold_reader urls = {
        .rows = {.user = &exporter, .fetch = note_page},
        .pages = true,
        .begin = begin,
        .url = note_url,
    };
    const struct store_reader rows = {
        .user = &exporter,
        .fetch = give_page,
        .link = reader->link ? give_link : NULL,
    };

    buf_init(&exporter.url, URL_LEN_MAX);
    buf_init(&exporter.source, URL_LEN_MAX);
    bool good = store_fold(store, 0, &urls, error);
    if (good && reader->begin)
        reader->begin(reader->user);
    good = good && store_load(store, 0, &rows, error);
    free(exporter.page);
    buf_release(&exporter.url);
    buf_release(&exporter.source);
    return good;
}
