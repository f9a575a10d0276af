/* A line of a CDXJ index: "KEY TIMESTAMP {JSON}", and where to sort them.
 *
 *     struct cdxj_sorter *sorter = cdxj_sorter_new();
 *     cdxj_sorter_add(sorter, &entry);            one line under each key
 *     cdxj_sorter_each(sorter, print, user);      in order
 *     cdxj_sorter_free(sorter);
 *
 * SQLite sorts in a temporary file, so that memory stays small whatever the
 * number of lines. */
#ifndef ARCHIVE_CDXJ_H
#define ARCHIVE_CDXJ_H

#include "base/buf.h"

struct cdxj_entry {
    struct str url;
    uint64_t date_ms;
    unsigned status;      /* 0: none */
    struct str mime;      /* "warc/revisit" for a revisit */
    struct str digest;    /* "sha1:...", or empty */
    struct str file_name; /* of the WARC, without a directory */
    uint64_t at, length;
    struct str method; /* mostly left out: empty */
};

/* Append the line under a key, with its line feed. False past the buffer's cap.
 */
bool cdxj_put(struct buf *out, struct str key, const struct cdxj_entry *entry);

/* The fields of a line, with or without its line feed; `scratch` is as in
 * base/json.h. A status, MIME type, digest or length that the line does not
 * have is 0 or empty. False if it is no such line. */
bool cdxj_parse(struct str line, struct buf *scratch, struct cdxj_entry *entry);

struct cdxj_sorter;

/* NULL if there is no room for a temporary file. */
struct cdxj_sorter *cdxj_sorter_new(void);
void cdxj_sorter_free(struct cdxj_sorter *sorter);

/* A URL with "|" in its path gets a line for its other spelling too, with the
 * method GET: replayweb.page compares the URL of such a line with that of the
 * record without regard to escapes. False with errno: EFBIG if a line is too
 * long, ENOSPC if there is no room for it. */
bool cdxj_sorter_add(struct cdxj_sorter *sorter,
                     const struct cdxj_entry *entry);

/* How many lines were added, and their bytes. */
uint64_t cdxj_sorter_lines(const struct cdxj_sorter *sorter);
uint64_t cdxj_sorter_bytes(const struct cdxj_sorter *sorter);

/* Each line, with its line feed, in the order of the lines' bytes; equal lines
 * once. False if the sorter failed or `each` returned false. */
bool cdxj_sorter_each(struct cdxj_sorter *sorter,
                      bool (*each)(void *user, struct str line), void *user);

#endif
