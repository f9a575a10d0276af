/* The archive of a recorded crawl, or the archives of several: their index, or
 * all of them as one package. Both are made of the rows of the record, so the
 * crawl may be finished, stopped, killed or at work. Only records that are
 * committed count. */
#ifndef REPORT_EXPORT_ARCHIVE_H
#define REPORT_EXPORT_ARCHIVE_H

#include "archive/wacz.h"
#include "report/report.h"

enum archive_status {
    ARCHIVE_DONE,
    ARCHIVE_NONE,        /* the crawl keeps no archive */
    ARCHIVE_NO_RECORD,   /* the record cannot be read: `store_error` */
    ARCHIVE_NOT_SORTED,  /* there is no room to sort the index */
    ARCHIVE_NO_FILE,     /* a WARC file cannot be read: `file`, `error` */
    ARCHIVE_NOT_WRITTEN, /* the package cannot be written: `error` */
    ARCHIVE_SAME_NAME,   /* two files of one name: `file` */
};

/* An archive: the record of a crawl, or of one machine of a fleet, and its page
 * directory. */
struct archive_source {
    struct store *store;
    int dir_fd;            /* -1: for an index none is needed */
    uint64_t pages_before; /* is added to the numbers of its pages */
};

struct archive_export {
    size_t source; /* the one that the status is about */
    struct store_error store_error;
    uint64_t captures;
    /* Payloads that are in the archive of another crawl only, and those of
     * them that were not found there. */
    uint64_t originals, originals_missing;
    uint64_t damaged; /* captures that are left out of the package's index */
    char file[300];
    int error;
};

/* Print the index on standard output, sorted. If that cannot be written it ends
 * early; that is no error here. */
enum archive_status export_cdxj(const struct archive_source *source,
                                size_t count, struct archive_export *done);

/* Write a package to a file that is empty. Payloads of another archive are
 * looked for in `elsewhere`: a page directory, an index, or NULL. */
enum archive_status export_wacz(const struct archive_source *source,
                                size_t count, const char *elsewhere, int fd,
                                const struct wacz_options *options,
                                struct archive_export *done);

#endif
