/* Sitemaps and feeds: the URLs that a site lists for crawlers.
 *
 *     struct sitemap sitemap;
 *
 *     sitemap_read(&sitemap, &arena, body);
 *     for (size_t i = 0; i < sitemap.count; i++)
 *         if (sitemap.entry[i].is_sitemap)
 *             ... another sitemap to fetch: the caller limits the nesting
 *         else
 *             ... a seed
 *
 * Read are the XML of sitemaps.org (urlset and sitemapindex), RSS 0.9x, 1.0
 * and 2.0, Atom, and plain lists, one URL a line; each also as gzip, of one or
 * more members. The bytes say what it is: neither the MIME type nor the name
 * of the file is asked for, since servers get both wrong.
 *
 * Lenient where nothing can be mistaken: namespaces are not checked, but
 * elements of an extension (image:loc, atom:link) are not taken for those of
 * the sitemap; several loc in one url, a loc that is missing around the URL,
 * white space before the XML and around a URL, also Unicode's; the link of an
 * RSS item may be in its guid. Of an Atom entry the first alternate link
 * counts. Where a file is cut off or broken, what came before it counts; only
 * a gzip member that is cut off gives nothing.
 *
 * Hostile files cost little: no more than SITEMAP_BYTES_MAX of the file are
 * read (or written, of a compressed one), no more than SITEMAP_ENTRIES_MAX
 * entries are kept, the XML parser has 16 MB at most, and a document that
 * declares entities is refused. Nothing is ever fetched.
 *
 * Not here: lastmod, changefreq and priority, which nobody reads; the rule
 * that a sitemap speaks only of URLs below its own (a question of scope);
 * duplicates (the frontier knows).
 */
#ifndef PAGE_SITEMAP_H
#define PAGE_SITEMAP_H

#include "base/mem.h"
#include "base/str.h"
#include "web/url.h"

/* The limits of sitemaps.org. */
enum {
    SITEMAP_BYTES_MAX = 50 << 20,
    SITEMAP_ENTRIES_MAX = 50000,
};

enum sitemap_form {
    SITEMAP_NONE, /* not a sitemap */
    SITEMAP_URLSET,
    SITEMAP_INDEX,
    SITEMAP_RSS,
    SITEMAP_ATOM,
    SITEMAP_TEXT,
};

/* How the reading ended; in all cases what was read before counts. */
enum sitemap_end {
    SITEMAP_WHOLE,     /* read to its end */
    SITEMAP_CUT,       /* cut off, or broken there */
    SITEMAP_FULL,      /* it has more than SITEMAP_ENTRIES_MAX */
    SITEMAP_TOO_LARGE, /* it has more than SITEMAP_BYTES_MAX */
    SITEMAP_REFUSED,   /* it declares entities, or is nested too deep */
};

struct sitemap_entry {
    bool is_sitemap; /* of an index: to be read in its turn */
    struct str loc;  /* UTF-8, NUL-terminated, trimmed, not empty, at most
                        URL_LEN_MAX; as written: for url_parse with the
                        sitemap's URL as base */
};

struct sitemap {
    enum sitemap_form form;
    enum sitemap_end end;
    struct sitemap_entry *entry; /* in the order of the file */
    size_t count;
};

/* All that comes out lives in `arena`; nothing of `body` is kept. */
void sitemap_read(struct sitemap *sitemap, struct arena *arena,
                  struct str body);

#endif
