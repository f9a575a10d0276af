#include <stdio.h>

#include "cli/commands.h"
#include "cli/export.h"
#include "cli/recorded.h"

/* What sitemaps.org allows: in a file, and of a URL. */
enum {
    FILE_URLS_MAX = 50000,
    FILE_BYTES_MAX = 50 << 20,
    LOC_LEN_MAX = 2047,
    ENTRY_MAX = 8 * LOC_LEN_MAX,
};

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
static const char tail[] = "</urlset>\n";

struct sitemap {
    uint64_t wanted;   /* the part to print; 0: none */
    uint64_t parts;    /* so far */
    uint64_t urls;     /* of the last one */
    uint64_t bytes;    /* of it, with its end */
    uint64_t left_out; /* pages */
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
        /* A URL has nothing else; a state that was changed may have. */
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
    sitemap->parts++;
    sitemap->urls = 0;
    sitemap->bytes = sizeof(head) - 1 + sizeof(tail) - 1;
    if (sitemap->parts == sitemap->wanted)
        fputs(head, stdout);
}

static void end_part(const struct sitemap *sitemap)
{
    if (sitemap->parts && sitemap->parts == sitemap->wanted)
        fputs(tail, stdout);
}

static bool add_page(void *user, const struct export_page *page)
{
    struct sitemap *sitemap = user;
    const struct buf *entry = &sitemap->entry;

    if (page->url.len > LOC_LEN_MAX) {
        sitemap->left_out++;
        return true;
    }
    put_entry(&sitemap->entry, page->url);
    if (!sitemap->parts || sitemap->urls == FILE_URLS_MAX ||
        sitemap->bytes + entry->len > FILE_BYTES_MAX) {
        end_part(sitemap);
        begin_part(sitemap);
    }
    sitemap->urls++;
    sitemap->bytes += entry->len;
    if (sitemap->parts == sitemap->wanted)
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

/* Is there such a part? One line where not. */
static bool choose(const struct sitemap *sitemap, const char *dir_path,
                   uint64_t part)
{
    unsigned long long parts = sitemap->parts;

    if (!parts)
        usage_error("no page in '%s' can be in a sitemap, which must have one",
                    dir_path);
    else if (!part && parts > 1)
        usage_error("the pages do not fit into one sitemap: print it with "
                    "--part 1 to --part %llu, each into a file of its own",
                    parts);
    else if (part > parts)
        usage_error("there is no --part %llu: the sitemap has %llu",
                    (unsigned long long)part, parts);
    else
        return true;
    return false;
}

int export_sitemap(struct store *store, const char *dir_path, uint64_t part)
{
    struct sitemap sitemap;
    struct store_error error;

    if (!walk(store, &sitemap, 0, &error))
        return recorded_failed(dir_path, &error);
    if (!choose(&sitemap, dir_path, part))
        return sitemap.parts ? EXIT_USAGE : 1;
    if (sitemap.left_out && part <= 1)
        usage_error("%llu pages are left out: a sitemap has no URLs of more "
                    "than %d characters",
                    (unsigned long long)sitemap.left_out, LOC_LEN_MAX);
    if (!walk(store, &sitemap, part ? part : 1, &error))
        return recorded_failed(dir_path, &error);
    return 0;
}
