/* Reading the rows of an archive. Private to report/. */
#ifndef REPORT_ARCHIVE_ROWS_H
#define REPORT_ARCHIVE_ROWS_H

#include "archive/wacz.h"
#include "report/report.h"

/* A WARC file, in archive/. */
struct archive_file {
    const char *name;
    uint64_t length; /* that is committed */
};

struct archive_rows {
    struct store *store;
    struct store_error *error;
    void *user;
    /* Every page that is in the archive, in order; may be NULL. Then every
     * capture. False ends the reading. The pages of a fleet's machine come in
     * the order of their URLs, partition by partition. */
    bool (*page)(void *user, const struct wacz_page *page);
    bool (*capture)(void *user, const struct cdxj_entry *entry,
                    const struct store_capture *row);

    /* Found by archive_rows_read; release with archive_rows_release. */
    struct arena arena;
    struct archive_file *file; /* file[0] is number 1 */
    size_t file_count, file_room;
    bool is_ended; /* by `page` or `capture` */

    /* While reading, of one slice. */
    uint32_t *depth; /* of a URL that was found again, and 1; else 0 */
    uint64_t base, last_number;
    struct archived_page *saved; /* in a fleet: by number of the URL */
    struct arena titles;
};

/* False if a function ended it, or with `error`. */
bool archive_rows_read(struct archive_rows *rows);
void archive_rows_release(struct archive_rows *rows);

#endif
