#include "report/export_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "archive/warc_read.h"
#include "base/mem.h"
#include "report/archive_rows.h"
#include "report/originals.h"

/* A WARC file whose captures are looked at in their order. */
struct checked_file {
    uint32_t number; /* 0: none */
    int fd;          /* -1: it cannot be opened */
    struct warc_reader *reader;
    uint64_t at; /* where the reader is; UINT64_MAX: not known */
};

struct exporter {
    struct archive_export *done;
    const struct archive_source *source; /* whose rows are being read */
    struct checked_file checked;
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

static enum archive_status sort_captures(struct exporter *exporter,
                                         struct archive_rows *rows)
{
    *rows = (struct archive_rows){.store = exporter->source->store,
                                  .error = &exporter->done->store_error,
                                  .user = exporter,
                                  .capture = sort_capture};
    if (archive_rows_read(rows))
        return ARCHIVE_DONE;
    return rows->is_ended ? ARCHIVE_NOT_SORTED : ARCHIVE_NO_RECORD;
}

/* An index and a package find a file by its name. */
static bool has_file(const struct archive_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->file_count; i++)
        if (!strcmp(rows->file[i].name, name))
            return true;
    return false;
}

static enum archive_status check_names(struct exporter *exporter,
                                       const struct archive_rows *rows,
                                       size_t count)
{
    struct archive_export *done = exporter->done;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            for (size_t at = 0; at < rows[i].file_count; at++)
                if (has_file(&rows[k], rows[i].file[at].name)) {
                    snprintf(done->file, sizeof(done->file), ARCHIVE_DIR "/%s",
                             rows[i].file[at].name);
                    done->source = i;
                    return ARCHIVE_SAME_NAME;
                }
    return ARCHIVE_DONE;
}

static void release_rows(struct archive_rows *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].store)
            archive_rows_release(&rows[i]);
    free(rows);
}

enum archive_status export_cdxj(const struct archive_source *source,
                                size_t count, struct archive_export *done)
{
    struct exporter exporter = {.done = done, .sorter = cdxj_sorter_new()};
    enum archive_status status = ARCHIVE_DONE;
    size_t files = 0;

    *done = (struct archive_export){0};
    if (!exporter.sorter)
        return ARCHIVE_NOT_SORTED;
    struct archive_rows *rows = mem_array(count, sizeof(*rows));
    for (size_t i = 0; i < count && status == ARCHIVE_DONE; i++) {
        exporter.source = &source[i];
        done->source = i;
        status = sort_captures(&exporter, &rows[i]);
        files += rows[i].file_count;
    }
    if (status == ARCHIVE_DONE)
        status = files ? check_names(&exporter, rows, count) : ARCHIVE_NONE;
    release_rows(rows, count);
    if (status == ARCHIVE_DONE &&
        !cdxj_sorter_each(exporter.sorter, print_line, NULL) && !ferror(stdout))
        status = ARCHIVE_NOT_SORTED;
    cdxj_sorter_free(exporter.sorter);
    return status;
}

/* --- a package ------------------------------------------------------------ */

static bool package_page(void *user, const struct wacz_page *page)
{
    struct exporter *exporter = user;
    struct wacz_page numbered = *page;

    errno = 0;
    numbered.number += exporter->source->pages_before;
    bool good = wacz_add_page(exporter->wacz, &numbered);
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

static void close_checked(struct checked_file *checked)
{
    if (!checked->number)
        return;
    if (checked->fd >= 0) {
        warc_reader_free(checked->reader);
        close(checked->fd);
    }
    checked->number = 0;
}

/* A file that is missing is told when it is copied. */
static void open_checked(struct exporter *exporter, uint32_t number,
                         struct str name)
{
    struct checked_file *checked = &exporter->checked;

    if (checked->number == number)
        return;
    close_checked(checked);
    *checked = (struct checked_file){
        .number = number,
        .fd = archive_open_below(exporter->source->dir_fd, name,
                                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW),
        .at = UINT64_MAX,
    };
    if (checked->fd >= 0)
        checked->reader = warc_reader_open(checked->fd, 0, 0);
}

/* Is the next record whole? Its gzip member has a checksum. */
static bool read_whole(struct checked_file *checked, uint64_t length)
{
    uint64_t at = checked->at;
    struct warc_record record;

    checked->at = UINT64_MAX;
    if (warc_read(checked->reader, &record) != WARC_RECORD || record.at != at ||
        record.length != length)
        return false;
    checked->at = at + length;
    return true;
}

static bool is_whole(struct exporter *exporter, const struct cdxj_entry *entry,
                     const struct store_capture *row)
{
    struct checked_file *checked = &exporter->checked;

    open_checked(exporter, row->archive, entry->file_name);
    if (checked->fd < 0)
        return true;
    if (checked->at != row->at)
        warc_reader_seek(checked->reader, row->at, 0);
    checked->at = row->at;
    return read_whole(checked, row->length) &&
           (!row->request_length || read_whole(checked, row->request_length));
}

static bool package_capture(void *user, const struct cdxj_entry *entry,
                            const struct store_capture *row)
{
    struct exporter *exporter = user;

    exporter->done->captures++;
    if (!is_whole(exporter, entry, row)) {
        exporter->done->damaged++;
        return true;
    }
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

/* The pages and captures of all sources. */
static enum archive_status read_rows(struct exporter *exporter,
                                     struct archive_rows *rows,
                                     const struct archive_source *source,
                                     size_t count)
{
    struct archive_export *done = exporter->done;
    size_t files = 0;

    for (size_t i = 0; i < count; i++) {
        exporter->source = &source[i];
        done->source = i;
        rows[i].store = source[i].store;
        rows[i].error = &done->store_error;
        rows[i].user = exporter;
        rows[i].page = package_page;
        rows[i].capture = package_capture;
        if (!archive_rows_read(&rows[i]))
            return rows[i].is_ended ? ARCHIVE_NOT_WRITTEN : ARCHIVE_NO_RECORD;
        close_checked(&exporter->checked);
        files += rows[i].file_count;
    }
    return files ? check_names(exporter, rows, count) : ARCHIVE_NONE;
}

/* Copy all WARC files, then what revisits refer to, then write the rest. */
static enum archive_status fill_package(struct exporter *exporter,
                                        struct archive_rows *rows,
                                        const struct archive_source *source,
                                        size_t count, const char *elsewhere)
{
    struct archive_export *done = exporter->done;
    struct originals *originals = &exporter->originals;
    enum archive_status status = read_rows(exporter, rows, source, count);

    if (status != ARCHIVE_DONE)
        return status;
    if (!originals_find(originals, elsewhere, store_codes(source[0].store),
                        add_entry, exporter))
        return ARCHIVE_NOT_WRITTEN;
    for (size_t i = 0; i < count; i++) {
        done->source = i;
        for (size_t k = 0; k < rows[i].file_count && status == ARCHIVE_DONE;
             k++)
            status = copy_file(exporter, source[i].dir_fd, &rows[i].file[k]);
        if (status != ARCHIVE_DONE)
            return status;
    }
    if (!originals_write(originals, exporter->wacz) ||
        !wacz_finish(exporter->wacz)) {
        done->error = errno;
        status = ARCHIVE_NOT_WRITTEN;
    }
    done->originals = originals->wanted_count;
    done->originals_missing = originals_missing(originals);
    return status;
}

enum archive_status export_wacz(const struct archive_source *source,
                                size_t count, const char *elsewhere, int fd,
                                const struct wacz_options *options,
                                struct archive_export *done)
{
    struct exporter exporter = {.done = done, .wacz = wacz_new(fd, options)};

    *done = (struct archive_export){.error = errno};
    if (!exporter.wacz)
        return ARCHIVE_NOT_WRITTEN;
    struct archive_rows *rows = mem_array(count, sizeof(*rows));
    originals_init(&exporter.originals);
    enum archive_status status =
        fill_package(&exporter, rows, source, count, elsewhere);
    close_checked(&exporter.checked);
    originals_release(&exporter.originals);
    release_rows(rows, count);
    wacz_free(exporter.wacz);
    return status;
}
