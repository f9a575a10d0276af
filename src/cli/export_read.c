#include <stdlib.h>

#include "base/mem.h"
#include "cli/export.h"
#include "page/webpage.h"

/* Numbers are given without gaps, so they are indices. */
enum { NUMBER_SLACK = 1000 };

/* Where a URL was found again, nearer than at first. */
struct latest {
    uint32_t depth, referrer;
    bool changed;
};

struct exporter {
    struct store *store;
    const struct export_reader *reader;
    struct latest *latest; /* by number */
    uint32_t *number_of;   /* the URL of a page; 0: none so far */
    uint64_t urls, last_number;
    struct buf url;
    struct buf source; /* the URL of the page where it was found, */
    uint32_t page;     /* and which page that is */
};

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct exporter *exporter = user;

    if (last_number > urls + NUMBER_SLACK || last_number >= UINT32_MAX)
        return false;
    exporter->urls = urls;
    exporter->last_number = last_number;
    exporter->latest = mem_array(last_number + 1, sizeof(*exporter->latest));
    exporter->number_of = mem_array(urls + 1, sizeof(*exporter->number_of));
    return true;
}

static bool read_change(void *user, const struct store_change *row)
{
    struct exporter *exporter = user;

    if (row->number > exporter->last_number)
        return false;
    exporter->latest[row->number] = (struct latest){
        .depth = row->depth,
        .referrer = row->referrer,
        .changed = true,
    };
    return true;
}

static bool find(struct exporter *exporter, uint64_t number, struct buf *text,
                 struct store_url *url)
{
    buf_clear(text);
    return store_find_url(exporter->store, number, url) &&
           buf_put(text, url->url);
}

/* Where something was found; often the same page as the last time. */
static bool find_source(struct exporter *exporter, uint32_t page)
{
    struct store_url url;

    if (page == exporter->page)
        return true;
    exporter->page = page;
    return page <= exporter->urls && exporter->number_of[page] &&
           find(exporter, exporter->number_of[page], &exporter->source, &url);
}

static bool give_page(struct exporter *exporter, const struct store_fetch *row)
{
    const struct latest *latest = &exporter->latest[row->number];
    struct store_url url;

    if (!find(exporter, row->number, &exporter->url, &url))
        return false;
    struct export_page page = {
        .url = buf_str(&exporter->url),
        .depth = latest->changed ? latest->depth : url.depth,
        .referrer_id = latest->changed ? latest->referrer : url.referrer,
        .fetch = row,
    };
    if (page.referrer_id) {
        if (!find_source(exporter, page.referrer_id))
            return false;
        page.referrer = buf_str(&exporter->source);
    }
    return exporter->reader->page(exporter->reader->user, &page);
}

/* Pages come by their number, and after the page where they were found. */
static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct exporter *exporter = user;

    if (!row->page)
        return true;
    if (row->number > exporter->last_number || row->page > exporter->urls ||
        row->mime.len > MIME_MAX)
        return false;
    exporter->number_of[row->page] = (uint32_t)row->number;
    return !exporter->reader->page || give_page(exporter, row);
}

static bool read_link(void *user, const struct store_link *row)
{
    struct exporter *exporter = user;

    return row->page && find_source(exporter, row->page) &&
           exporter->reader->link(exporter->reader->user,
                                  buf_str(&exporter->source), row);
}

bool export_read(struct store *store, const struct export_reader *reader,
                 struct store_error *error)
{
    struct exporter exporter = {.store = store, .reader = reader};
    const struct store_reader rows = {
        .user = &exporter,
        .begin = begin,
        .change = reader->page ? read_change : NULL,
        .fetch = read_fetch,
        .link = reader->link ? read_link : NULL,
    };

    buf_init(&exporter.url, URL_LEN_MAX);
    buf_init(&exporter.source, URL_LEN_MAX);
    bool good = store_load(store, &rows, error);
    free(exporter.latest);
    free(exporter.number_of);
    buf_release(&exporter.url);
    buf_release(&exporter.source);
    return good;
}
