/* A collection: all captures of an archive, found by their URL.
 *
 *     struct collection *collection = collection_new();
 *     if (!collection_add_path(collection, path, note, user, &error))
 *         ... error.text
 *     if (collection_find(collection, url, UINT64_MAX, &captured))
 *         ... captured.http.body
 *     collection_free(collection);
 *
 * It is made from WARC files, also those in a WACZ, which are read through
 * once. It holds about 60 bytes a capture; URLs stay in the files. One thread
 * at a time may use it.
 */
#ifndef ARCHIVE_COLLECTION_H
#define ARCHIVE_COLLECTION_H

#include "archive/long_body.h"

struct collection;

struct collection_error {
    char text[600];
};

/* It is told of files that are cut off or damaged; their good records count. */
typedef void collection_note(void *user, const char *text);

struct collection *collection_new(void);
void collection_free(struct collection *collection);

/* Add a WARC file, a WACZ, or the archive of a page directory: the files
 * archive/NAME.warc, .warc.gz and those with .open behind it, in the order of
 * their names. `note` may be NULL. False with `error`. */
bool collection_add_path(struct collection *collection, const char *path,
                         collection_note *note, void *user,
                         struct collection_error *error);

/* Payloads in other archives. collection_revisited lists the digests that
 * revisits have, each by its key, once for each revisit. A response with such a
 * payload in another file is added by its digest and its place; it is looked at
 * only if the files of the collection have no such payload. */
uint64_t collection_digest_key(struct str digest);
const uint64_t *collection_revisited(const struct collection *collection,
                                     size_t *count);
void collection_add_original(struct collection *collection, struct str digest,
                             const char *path, uint64_t at);

#define CAPTURED_LEN_UNKNOWN UINT64_MAX

struct captured_body {
    bool is_long; /* it is at `place`, not in memory */
    uint64_t len; /* CAPTURED_LEN_UNKNOWN: it is long, and in chunks */
    struct long_body_place place;
};

/* The capture of a URL that is nearest to a time (UINT64_MAX: the latest). One
 * that is whole goes before one of which a part is missing. URLs
 * are compared as url_parse writes them, so without a fragment. A revisit is
 * followed to its payload: `http` has the head of the revisit and the body of
 * the original; without a head, or with status 304, all is the original's.
 * Valid until the next call. A body that is too long for memory is not in
 * `http`; it can be opened before the next call, and is valid after it. */
struct captured {
    struct str url;   /* as written */
    uint64_t date_ms; /* 0: the record has no date that can be read */
    struct warc_http http;
    struct captured_body body;
    struct str truncated; /* WARC-Truncated: why the body is not whole; of
                           * a revisit, that of its original */
    bool is_revisit;
    /* Of our own archives: it was saved as a page, at this depth. If a later
     * capture of the URL is a page too, this one came back when the crawl was
     * told to stop, and was not saved. */
    bool is_page, is_replaced;
    uint32_t page_depth;
    /* Records of the same archive say which of them were saved as pages. */
    bool is_marked;
};
enum collection_answer {
    CAPTURE_FOUND,
    CAPTURE_NONE,       /* there is no capture of the URL */
    CAPTURE_UNREADABLE, /* there is, but see collection_problem */
};
enum collection_answer collection_find(struct collection *collection,
                                       struct str url, uint64_t near_ms,
                                       struct captured *captured);
const char *collection_problem(const struct collection *collection);

/* Every capture in the order in which it was added, revisits followed too;
 * those that cannot be read are left out. False when `each` returned false. */
bool collection_each(struct collection *collection,
                     bool (*each)(void *user, const struct captured *captured),
                     void *user);

/* How many captures the last collection_each left out though they may be pages:
 * their URL is of http or https, and if records say which are pages, theirs
 * do. */
uint64_t collection_unreadable(const struct collection *collection);

/* How many captures there are. */
size_t collection_count(const struct collection *collection);

#endif
