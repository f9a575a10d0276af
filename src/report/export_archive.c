#include "report/export_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "report/archive_rows.h"
#include "report/originals.h"

struct exporter {
    struct archive_export *done;
    struct cdxj_sorter *sorter; /* of an index */
    struct wacz *wacz;          /* of a package */
    struct originals originals; /* of a package, that it lacks */
};

/* --- the index ------------------------------------------------------------ */

static bool sort_capture(void *user, const struct cdxj_entry *entry,
                         const struct store_capture *row)
{
    struct exporter *exporter = user;

    (void)row;
    exporter->done->captures++;
    return cdxj_sorter_add(exporter->sorter, entry);
}

static bool print_line(void *user, struct str line)
{
    (void)user;
    return fwrite(line.ptr, 1, line.len, stdout) == line.len;
}

enum archive_status export_cdxj(struct report *report,
                                struct archive_export *done)
{
    struct exporter exporter = {.done = done, .sorter = cdxj_sorter_new()};
    struct archive_rows rows = {
        .report = report, .user = &exporter, .capture = sort_capture};
    enum archive_status status = ARCHIVE_DONE;

    *done = (struct archive_export){0};
    if (!exporter.sorter)
        return ARCHIVE_NOT_SORTED;
    if (!archive_rows_read(&rows))
        status = rows.is_ended ? ARCHIVE_NOT_SORTED : ARCHIVE_NO_RECORD;
    else if (!rows.file_count)
        status = ARCHIVE_NONE;
    else if (!cdxj_sorter_each(exporter.sorter, print_line, NULL) &&
             !ferror(stdout))
        status = ARCHIVE_NOT_SORTED;
    archive_rows_release(&rows);
    cdxj_sorter_free(exporter.sorter);
    return status;
}

/* --- a package ------------------------------------------------------------ */

static bool package_page(void *user, const struct wacz_page *page)
{
    struct exporter *exporter = user;

    errno = 0;
    bool good = wacz_add_page(exporter->wacz, page);
    exporter->done->error = errno;
    return good;
}

static bool add_entry(void *user, const struct cdxj_entry *entry)
{
    struct exporter *exporter = user;
    bool good = wacz_add_capture(exporter->wacz, entry);

    exporter->done->error = errno;
    return good;
}

static bool package_capture(void *user, const struct cdxj_entry *entry,
                            const struct store_capture *row)
{
    struct exporter *exporter = user;

    exporter->done->captures++;
    if (row->kind == CAPTURE_REVISIT && !row->refers)
        originals_want(&exporter->originals, row->digest);
    return add_entry(exporter, entry);
}

/* Is the file as long as the record says? */
static bool is_long_enough(int fd, uint64_t length)
{
    struct stat stat;

    if (fstat(fd, &stat))
        return false;
    errno = ENODATA;
    return stat.st_size >= 0 && (uint64_t)stat.st_size >= length;
}

static enum archive_status copy_file(struct exporter *exporter, int dir_fd,
                                     const struct archive_file *file)
{
    struct archive_export *done = exporter->done;
    enum archive_status status = ARCHIVE_DONE;
    int fd = archive_open_below(dir_fd, str_of(file->name),
                                O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    snprintf(done->file, sizeof(done->file), ARCHIVE_DIR "/%s", file->name);
    if (fd < 0 || !is_long_enough(fd, file->length))
        status = ARCHIVE_NO_FILE;
    else if (!wacz_add_file(exporter->wacz, file->name, fd, file->length))
        status = errno == ENODATA ? ARCHIVE_NO_FILE : ARCHIVE_NOT_WRITTEN;
    done->error = errno;
    if (fd >= 0)
        close(fd);
    return status;
}

/* Copy all WARC files, then what revisits refer to, then write the rest. */
static enum archive_status fill_package(struct exporter *exporter,
                                        struct archive_rows *rows, int dir_fd,
                                        const char *elsewhere)
{
    struct archive_export *done = exporter->done;
    struct originals *originals = &exporter->originals;
    enum archive_status status = ARCHIVE_DONE;

    if (!archive_rows_read(rows))
        return rows->is_ended ? ARCHIVE_NOT_WRITTEN : ARCHIVE_NO_RECORD;
    if (!rows->file_count)
        return ARCHIVE_NONE;
    if (!originals_find(originals, elsewhere, store_codes(rows->report->store),
                        add_entry, exporter))
        return ARCHIVE_NOT_WRITTEN;
    for (size_t i = 0; i < rows->file_count && status == ARCHIVE_DONE; i++)
        status = copy_file(exporter, dir_fd, &rows->file[i]);
    if (status == ARCHIVE_DONE &&
        (!originals_write(originals, exporter->wacz) ||
         !wacz_finish(exporter->wacz))) {
        done->error = errno;
        status = ARCHIVE_NOT_WRITTEN;
    }
    done->originals = originals->wanted_count;
    done->originals_missing = originals_missing(originals);
    return status;
}

enum archive_status export_wacz(struct report *report, int dir_fd,
                                const char *elsewhere, int fd,
                                const struct wacz_options *options,
                                struct archive_export *done)
{
    struct exporter exporter = {.done = done, .wacz = wacz_new(fd, options)};
    struct archive_rows rows = {.report = report,
                                .user = &exporter,
                                .page = package_page,
                                .capture = package_capture};

    *done = (struct archive_export){.error = errno};
    if (!exporter.wacz)
        return ARCHIVE_NOT_WRITTEN;
    originals_init(&exporter.originals);
    enum archive_status status =
        fill_package(&exporter, &rows, dir_fd, elsewhere);
    originals_release(&exporter.originals);
    archive_rows_release(&rows);
    wacz_free(exporter.wacz);
    return status;
}
