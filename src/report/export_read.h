/* Every page of a record, by its number, or every link of every page; for the
 * files of crawler export. */
#ifndef REPORT_EXPORT_READ_H
#define REPORT_EXPORT_READ_H

#include "base/buf.h"
#include "store/store.h"

struct export_page {
    struct str url;
    struct str referrer;  /* NULL for a seed */
    uint32_t depth;       /* at which it was fetched */
    uint32_t referrer_id; /* 0 for a seed */
    const struct store_fetch *fetch;
};

/* `page` or `link` is set; false of it ends the reading. */
struct export_reader {
    void *user;
    void (*begin)(void *user); /* before the first, also if there is none */
    bool (*page)(void *user, const struct export_page *page);
    bool (*link)(void *user, struct str source, const struct store_link *link);
};

/* The memory it takes is some bytes a URL. False with `error` if it came to no
 * end. */
bool export_read(struct store *store, const struct export_reader *reader,
                 struct store_error *error);

#endif
