/* Archives that are read: by serve, --from and export --format pages. */
#ifndef CLI_ADD_ARCHIVE_H
#define CLI_ADD_ARCHIVE_H

#include "archive/collection.h"

/* Add a page directory, a WACZ or a WARC file to the collection; with a page
 * directory, whatever its crawl refers to in another archive (--warc-dedup).
 * `note` may be NULL. False with `error`. */
bool add_archive(struct collection *collection, const char *path,
                 collection_note *note, void *user,
                 struct collection_error *error);

#endif
