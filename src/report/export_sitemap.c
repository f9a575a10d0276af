#include <stdio.h>

#include "report/export.h"
#include "report/export_read.h"

/* The limits of sitemaps.org for a file. */
enum {
    FILE_URLS_MAX = 50000,
    FILE_BYTES_MAX = 50 << 20,
    ENTRY_MAX = 8 * SITEMAP_URL_MAX,
};

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
static const char tail[] = "</urlset>\n";

struct sitemap {
    uint64_t wanted;          /* the part to print; 0: none */
    struct sitemap_size size; /* so far */
    uint64_t urls;            /* of the last part */
    uint64_t bytes;           /* of it, with its end */
    struct buf entry;
};

static void put_escaped(struct buf *out, char c)
{
    switch (c) {
    case '&':
        buf_put(out, STR("&amp;"));
        break;
    case '<':
        buf_put(out, STR("&lt;"));
        break;
    case '>':
        buf_put(out, STR("&gt;"));
        break;
    case '"':
        buf_put(out, STR("&quot;"));
        break;
    case '\'':
        buf_put(out, STR("&apos;"));
        break;
    default:
        /* A URL has nothing else, but a record may have been changed. */
        buf_put_char(out, c > ' ' && c < 0x7f ? c : '?');
    }
}

static void put_entry(struct buf *out, struct str url)
{
    buf_clear(out);
    buf_put(out, STR("<url><loc>"));
    for (size_t i = 0; i < url.len; i++)
        put_escaped(out, url.ptr[i]);
    buf_put(out, STR("</loc></url>\n"));
}

static void begin_part(struct sitemap *sitemap)
{
    sitemap->size.parts++;
    sitemap->urls = 0;
    sitemap->bytes = sizeof(head) - 1 + sizeof(tail) - 1;
    if (sitemap->size.parts == sitemap->wanted)
        fputs(head, stdout);
}

static void end_part(const struct sitemap *sitemap)
{
    if (sitemap->size.parts && sitemap->size.parts == sitemap->wanted)
        fputs(tail, stdout);
}

static bool add_page(void *user, const struct export_page *page)
{
    struct sitemap *sitemap = user;
    const struct buf *entry = &sitemap->entry;

    if (page->url.len > SITEMAP_URL_MAX) {
        sitemap->size.left_out++;
        return true;
    }
    put_entry(&sitemap->entry, page->url);
    if (!sitemap->size.parts || sitemap->urls == FILE_URLS_MAX ||
        sitemap->bytes + entry->len > FILE_BYTES_MAX) {
        end_part(sitemap);
        begin_part(sitemap);
    }
    sitemap->urls++;
    sitemap->bytes += entry->len;
    if (sitemap->size.parts == sitemap->wanted)
        fwrite(entry->ptr, 1, entry->len, stdout);
    return !ferror(stdout);
}

static bool walk(struct store *store, struct sitemap *sitemap, uint64_t wanted,
                 struct store_error *error)
{
    const struct export_reader reader = {.user = sitemap, .page = add_page};

    *sitemap = (struct sitemap){.wanted = wanted};
    buf_init(&sitemap->entry, ENTRY_MAX);
    bool good = export_read(store, &reader, error) || ferror(stdout);
    if (good)
        end_part(sitemap);
    buf_release(&sitemap->entry);
    return good;
}

bool export_measure_sitemap(struct store *store, struct sitemap_size *size,
                            struct store_error *error)
{
    struct sitemap sitemap;

    if (!walk(store, &sitemap, 0, error))
        return false;
    *size = sitemap.size;
    return true;
}

bool export_sitemap(struct store *store, uint64_t part,
                    struct store_error *error)
{
    struct sitemap sitemap;

    return walk(store, &sitemap, part, error);
}
