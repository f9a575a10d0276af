/* A collection: all captures of an archive, found by their URL.
 *
 * It is made from WARC files (which are read through once), from a WACZ (by its
 * index), or from captures that somebody else knows, such as the record of a
 * crawl. It holds about 32 bytes a capture; URLs stay in the files.
 */
#ifndef ARCHIVE_COLLECTION_H
#define ARCHIVE_COLLECTION_H

#include "archive/warc_read.h"
#include "base/arena.h"

struct collection;

/* Where a capture is. */
struct capture_place {
    uint32_t file;
    uint64_t at;
    uint64_t date_ms;
};

struct collection_error {
    char text[200];
};

struct collection *collection_new(void);
void collection_free(struct collection *collection);

/* Add a file and, with `is_read`, all captures in it. A cut file is good up to
 * the cut; `note` (may be NULL) is told. The number of the file in `file`
 * (may be NULL). False with `error`. */
bool collection_add_warc(struct collection *collection, const char *path,
                         bool is_read, uint32_t *file,
                         void (*note)(void *user, const char *text), void *user,
                         struct collection_error *error);
bool collection_add_wacz(struct collection *collection, const char *path,
                         struct collection_error *error);

/* A capture that the caller knows. */
void collection_add(struct collection *collection, struct str url,
                    const struct capture_place *place);

/* The capture of a URL that is nearest to a time (UINT64_MAX: the latest). The
 * URL counts as it is, with an empty path as "/" and without its fragment. A
 * revisit is followed to its payload: `http` has the head of the revisit and
 * the body of the original. Valid until the next call. False if there is none,
 * or it cannot be read. */
struct captured {
    struct str url;
    uint64_t date_ms;
    struct warc_http http;
    struct str record_date; /* WARC-Date, as written */
};
bool collection_find(struct collection *collection, struct str url,
                     uint64_t near_ms, struct captured *captured);

/* Every capture in the order of the files, revisits followed too. False when
 * `each` returned false. */
bool collection_each(struct collection *collection,
                     bool (*each)(void *user, const struct captured *captured),
                     void *user);

size_t collection_count(const struct collection *collection);

#endif
