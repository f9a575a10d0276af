/* The archive of a recorded crawl: its index, or all of it as a package. Both
 * are made of the rows of the record, so the crawl may be finished, stopped,
 * killed or at work. Only records that are committed count. */
#ifndef REPORT_EXPORT_ARCHIVE_H
#define REPORT_EXPORT_ARCHIVE_H

#include "archive/wacz.h"
#include "report/report.h"

enum archive_status {
    ARCHIVE_DONE,
    ARCHIVE_NONE,       /* the crawl keeps no archive */
    ARCHIVE_NO_RECORD,  /* the record cannot be read: `report->error` */
    ARCHIVE_NOT_SORTED, /* there is no room to sort the index */
    ARCHIVE_NO_FILE,    /* a WARC file cannot be read: `file`, `error` */
    ARCHIVE_NOT_WRITTEN /* the package cannot be written: `error` */
};

struct archive_export {
    uint64_t captures;
    /* Payloads that are in the archive of another crawl only, and those of
     * them that were not found there. */
    uint64_t originals, originals_missing;
    char file[300];
    int error;
};

/* Print the index on standard output, sorted. If that cannot be written it ends
 * early; that is no error here. */
enum archive_status export_cdxj(struct report *report,
                                struct archive_export *done);

/* Write a package to a file that is empty. `dir_fd` is the page directory.
 * Payloads of another archive are looked for in `elsewhere`: a page directory,
 * an index, or NULL. */
enum archive_status export_wacz(struct report *report, int dir_fd,
                                const char *elsewhere, int fd,
                                const struct wacz_options *options,
                                struct archive_export *done);

#endif
