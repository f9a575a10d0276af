/* What the files of crawler export share; nobody else includes this. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "base/buf.h"
#include "store/store.h"

/* As --format numbers them. */
enum export_format {
    EXPORT_NONE,
    EXPORT_JSONL,
    EXPORT_CSV,
    EXPORT_LINKS,
    EXPORT_SITEMAP,
};

/* A page with all that is known of it. */
struct export_page {
    struct str url;
    struct str referrer;  /* NULL for a seed */
    uint32_t depth;       /* at which it was fetched */
    uint32_t referrer_id; /* 0 for a seed */
    const struct store_fetch *fetch;
};

/* Every page, by its number, or every link of every page. The memory it takes
 * is some bytes a URL. A false of `page` or `link` ends it; false with `error`
 * where it came to no end. */
struct export_reader {
    void *user;
    bool (*page)(void *user, const struct export_page *page);
    bool (*link)(void *user, struct str source, const struct store_link *link);
};
bool export_read(struct store *store, const struct export_reader *reader,
                 struct store_error *error);

/* cli/export_lines.c: one page, or one link, as a line with its end. */
void export_put_json(struct buf *line, const struct export_page *page);
void export_put_csv(struct buf *line, const struct export_page *page);
void export_put_csv_head(struct buf *line);
void export_put_link(struct buf *line, struct str source,
                     const struct store_link *link);

/* cli/export_sitemap.c: a sitemap of all pages on standard output, or `part`
 * of it where that is not 0. The exit status. */
int export_sitemap(struct store *store, const char *dir_path, uint64_t part);

#endif
