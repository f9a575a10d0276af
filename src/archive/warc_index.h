/* The captures in a WARC file of any writer, as an index has them. */
#ifndef ARCHIVE_WARC_INDEX_H
#define ARCHIVE_WARC_INDEX_H

#include "archive/cdxj.h"
#include "archive/warc_read.h"

/* What was found in a file. */
struct warc_indexed {
    uint64_t records;
    uint64_t shared;  /* captures that share a gzip member with another record:
                       * they have no place of their own, so no line */
    uint64_t undated; /* captures without a WARC-Date that can be read: an
                       * index finds captures by URL and date, so no line */
    uint64_t broken;  /* places that are no record */
    uint64_t end;     /* of the last whole record, or its gzip member */
    bool is_cut;
    uint64_t cut_at;
};

/* `each` gets every response, revisit and resource of an http or https URL that
 * has a place; its false ends the reading. `name` is the file's name in the
 * index. Returns WARC_END, WARC_FAILED with errno, or WARC_RECORD if `each`
 * ended it. */
enum warc_got warc_index(int fd, struct str name,
                         bool (*each)(void *user,
                                      const struct cdxj_entry *entry,
                                      const struct warc_record *record),
                         void *user, struct warc_indexed *indexed);

/* Is it a page: HTML that came with status 200? */
bool warc_index_is_page(const struct cdxj_entry *entry);

#endif
