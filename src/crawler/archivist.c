#include "crawler/archivist.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/warc_read.h"
#include "base/head.h"
#include "base/io.h"
#include "base/mem.h"
#include "crawler/archivist_internal.h"
#include "crawler/dedup.h"

enum {
    REVISIT_MAX = 1 << 20,
    /* So much of a large record is written at once. Who looks for the original
     * of a revisit has its heads then. */
    LARGE_START = 256 << 10,
    /* A revisit has some hundred bytes. */
    PAYLOAD_MIN = 1024,
};

struct archivist *archivist_new(const struct archive_options *options)
{
    if (!options)
        return NULL;
    struct archivist *archivist = NEW(struct archivist);
    archivist->options = options;
    archivist->archive_fd = archivist->fd = archivist->read_fd = -1;
    archivist->is_usable = true;
    archivist->reader = original_reader_new();
    buf_init(&archivist->buffer, 2 * ARCHIVE_BUFFER);
    buf_init(&archivist->revisit, REVISIT_MAX);
    payloads_init(&archivist->payloads, options->hash_seed);
    archive_copies_init(&archivist->copies);
    return archivist;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void archivist_free(struct archivist *archivist)
{
    if (!archivist)
        return;
    close_fd(&archivist->fd);
    close_fd(&archivist->read_fd);
    close_fd(&archivist->archive_fd);
    original_reader_free(archivist->reader);
    payloads_release(&archivist->payloads);
    archive_copies_release(&archivist->copies);
    buf_release(&archivist->buffer);
    buf_release(&archivist->revisit);
    free(archivist->file);
    free(archivist->closed);
    free(archivist);
}

struct archive_copies *archivist_leave_copies(struct archivist *archivist)
{
    if (!archivist)
        return NULL;
    archivist->leaves_copies = true;
    return &archivist->copies;
}

/* --- writing ------------------------------------------------------------ */

static bool fail(struct archivist *archivist)
{
    archivist->why = errno;
    archivist->failed = true;
    return false;
}

/* As fail: the file ends where the last record ends that is whole. */
static bool fail_to_write(struct archivist *archivist)
{
    fail(archivist);
    /* A resume cuts off what this leaves. */
    if (ftruncate(archivist->fd, (off_t)archivist->written))
        errno = archivist->why;
    errno = archivist->why;
    return false;
}

/* A failed write leaves the file as it was before. */
static bool write_bytes(struct archivist *archivist, struct str bytes)
{
    struct iovec part = {(void *)bytes.ptr, bytes.len};

    if (!bytes.len)
        return true;
    if (lseek(archivist->fd, (off_t)archivist->written, SEEK_SET) >= 0 &&
        io_write_all(archivist->fd, &part, 1)) {
        archivist->written += bytes.len;
        return true;
    }
    return fail_to_write(archivist);
}

bool archivist_flush(struct archivist *archivist)
{
    if (!archivist)
        return true;
    if (archivist->failed) {
        errno = archivist->why;
        return false;
    }
    bool good = write_bytes(archivist, buf_str(&archivist->buffer));
    buf_clear(&archivist->buffer);
    return good;
}

int archivist_error(struct archivist *archivist)
{
    bool has_failed = archivist && archivist->failed &&
                      archivist->why != ECANCELED; /* see end_recorded */

    if (has_failed || !archivist)
        return has_failed ? archivist->why : 0;
    return archive_copies_error(&archivist->copies);
}

static struct archive_file *last_file(const struct archivist *archivist)
{
    return &archivist->file[archivist->files - 1];
}

static bool append(struct archivist *archivist, struct str bytes)
{
    if (archivist->buffer.len + bytes.len > ARCHIVE_BUFFER &&
        !archivist_flush(archivist))
        return false;
    last_file(archivist)->length += bytes.len;
    if (bytes.len > ARCHIVE_BUFFER)
        return write_bytes(archivist, bytes);
    return buf_put(&archivist->buffer, bytes);
}

/* The rest of a record in a spool, of which `start` bytes are written. */
static bool append_rest(struct archivist *archivist, struct spool **spool,
                        size_t start)
{
    uint64_t rest = (*spool)->len - start;

    if (archivist->leaves_copies) {
        if (!archive_copies_put(&archivist->copies, archivist->fd,
                                archivist->written, *spool, start))
            return fail(archivist);
        *spool = NULL;
    } else if (!spool_copy(*spool, start, archivist->fd, archivist->written)) {
        archivist->written -= start;
        return fail_to_write(archivist);
    }
    archivist->written += rest;
    last_file(archivist)->length += rest;
    return true;
}

static bool append_spooled(struct archivist *archivist, struct spool **spool)
{
    uint64_t len = (*spool)->len;
    size_t start_len = len < LARGE_START ? (size_t)len : LARGE_START;
    struct buf start;

    buf_init(&start, LARGE_START);
    char *to = buf_reserve(&start, start_len);
    start.len = start_len;
    bool good = spool_read(*spool, 0, to, start_len) || fail(archivist);
    good = good && append(archivist, buf_str(&start)) &&
           archivist_flush(archivist) &&
           append_rest(archivist, spool, start_len);
    buf_release(&start);
    return good;
}

/* --- files -------------------------------------------------------------- */

/* Begin a file: its row, and its first record. */
static bool begin_file(struct archivist *archivist, uint64_t wall_ms,
                       struct store_archive *row)
{
    const struct archive_options *options = archivist->options;
    struct buf info;

    if (!archive_create(archivist, wall_ms))
        return fail(archivist);
    archivist->written = 0;
    archivist->is_empty = true;
    struct str name = str_of(last_file(archivist)->name);
    buf_init(&info, REVISIT_MAX);
    warc_put_info(&info, &options->style, name, wall_ms, options->info,
                  archivist->files);
    *row = (struct store_archive){archivist->files, name, info.len};
    bool good = append(archivist, buf_str(&info));
    buf_release(&info);
    return good;
}

/* Is there an open file, and does a pair of this length still fit? */
static bool has_room(const struct archivist *archivist, size_t len)
{
    return archivist->fd >= 0 &&
           (archivist->is_empty ||
            last_file(archivist)->length + len <= archivist->options->file_max);
}

/* The response and its request are never in two files. */
static bool make_room(struct archivist *archivist, size_t len, uint64_t wall_ms,
                      struct store_archive *row)
{
    *row = (struct store_archive){0};
    if (has_room(archivist, len))
        return true;
    if (archivist->fd >= 0 && !archivist_flush(archivist))
        return false;
    close_fd(&archivist->fd);
    return begin_file(archivist, wall_ms, row);
}

/* --- revisits ----------------------------------------------------------- */

/* A descriptor of the file that has this number, to read it. */
static int fd_of(struct archivist *archivist, uint32_t number)
{
    if (number == archivist->files && archivist->fd >= 0)
        return archivist->fd;
    if (number == archivist->read_file && archivist->read_fd >= 0)
        return archivist->read_fd;
    close_fd(&archivist->read_fd);
    if (!number || number > archivist->files || !archive_open_dir(archivist))
        return -1;
    archivist->read_file = number;
    archivist->read_fd = archive_open_named(
        archivist->archive_fd, str_of(archivist->file[number - 1].name),
        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return archivist->read_fd;
}

/* Is the payload in this archive? */
static bool find_own(struct archivist *archivist, const struct warc_pair *pair,
                     struct warc_original *original, uint64_t *refers)
{
    struct str digest = str_of(pair->payload_digest);
    struct payload_place place;
    size_t at = 0;

    while (payloads_find(&archivist->payloads, digest, &at, &place)) {
        bool is_last = archivist->fd >= 0 && place.file == archivist->files;
        struct str tail =
            is_last ? buf_str(&archivist->buffer) : (struct str){0};
        uint64_t tail_at = is_last ? archivist->written : UINT64_MAX;
        int fd = fd_of(archivist, place.file);
        *refers = place.capture;
        if (fd >= 0 && original_read(archivist->reader, fd, place.at, tail,
                                     tail_at, pair, original))
            return true;
    }
    return false;
}

/* May the payload be replaced by a revisit, or be the original of one? */
static bool is_deduplicated(const struct warc_pair *pair)
{
    return pair->cut == WARC_WHOLE && pair->payload_len >= PAYLOAD_MIN &&
           original_may_be((uint32_t)head_status(buf_str(&pair->head)));
}

static bool find_original(struct archivist *archivist,
                          const struct warc_pair *pair,
                          struct warc_original *original, uint64_t *refers)
{
    if (!is_deduplicated(pair))
        return false;
    if (find_own(archivist, pair, original, refers))
        return true;
    *refers = 0;
    return dedup_find(archivist->options->dedup, archivist->reader, pair,
                      original);
}

/* A record that is to be appended. */
struct finished_record {
    struct str bytes;
    struct spool **spool; /* not NULL: it is there */
    uint64_t len;
};

/* The response of the pair, or the revisit that takes its place. */
static struct finished_record choose_record(struct archivist *archivist,
                                            struct warc_pair *pair,
                                            struct store_capture *row)
{
    struct warc_original original;
    uint64_t refers;
    struct str bytes = buf_str(&pair->response);

    row->kind = CAPTURE_RESPONSE;
    row->refers = 0;
    if (find_original(archivist, pair, &original, &refers)) {
        row->kind = CAPTURE_REVISIT;
        row->refers = refers;
        buf_clear(&archivist->revisit);
        warc_put_revisit(&archivist->revisit, &archivist->options->style, pair,
                         &original);
        bytes = buf_str(&archivist->revisit);
    } else if (pair->spooled) {
        return (struct finished_record){.spool = &pair->spooled,
                                        .len = pair->spooled->len};
    }
    return (struct finished_record){.bytes = bytes, .len = bytes.len};
}

static bool append_record(struct archivist *archivist,
                          const struct finished_record *record)
{
    return record->spool ? append_spooled(archivist, record->spool)
                         : append(archivist, record->bytes);
}

/* --- exchanges ---------------------------------------------------------- */

static void remember(struct archivist *archivist,
                     const struct store_capture *row)
{
    const struct payload_place place = {
        .at = row->at,
        .file = row->archive,
        .capture = row->number <= UINT32_MAX ? (uint32_t)row->number : 0,
    };

    if (row->kind == CAPTURE_RESPONSE)
        payloads_add(&archivist->payloads, row->digest, &place);
}

bool archivist_keep(struct archivist *archivist, const struct webpage *page,
                    uint64_t wall_ms, struct kept_rows *rows)
{
    struct warc_pair *pair = page->pair;
    struct store_capture *row = &rows->capture;

    if (archivist->failed) {
        errno = archivist->why;
        return false;
    }
    struct finished_record record = choose_record(archivist, pair, row);
    if (!make_room(archivist, record.len + pair->request.len, wall_ms,
                   &rows->file))
        return false;
    row->number = archivist->captures + 1;
    row->archive = (uint32_t)archivist->files;
    row->at = last_file(archivist)->length;
    row->length = record.len;
    row->request_length = pair->request.len;
    row->url = page->url;
    row->status = (uint32_t)page->exchange.status;
    row->mime = str_of(page->exchange.mime);
    row->digest = str_of(pair->payload_digest);
    row->start_ms = pair->date_ms;
    if (!append_record(archivist, &record) ||
        !append(archivist, buf_str(&pair->request)))
        return false;
    archivist->is_empty = false;
    archivist->captures++;
    if (is_deduplicated(pair))
        remember(archivist, row);
    return true;
}

/* --- batches ------------------------------------------------------------ */

static struct archive_end end_of(const struct archivist *archivist)
{
    return (struct archive_end){
        .file = (uint32_t)archivist->files,
        .length = archivist->files ? last_file(archivist)->length : 0,
    };
}

void archivist_batch_closed(struct archivist *archivist)
{
    if (!archivist)
        return;
    archivist->closed =
        mem_grow(archivist->closed, archivist->batches, &archivist->batch_room,
                 sizeof(*archivist->closed));
    archivist->closed[archivist->batches++] = end_of(archivist);
}

/* Files before the committed one get no more records. */
static void complete_files(struct archivist *archivist, size_t before)
{
    for (; archivist->first_open < before; archivist->first_open++)
        archive_complete(archivist, &archivist->file[archivist->first_open]);
}

void archivist_committed(struct archivist *archivist, size_t uncommitted)
{
    if (!archivist || archivist->batches <= uncommitted)
        return;
    size_t count = archivist->batches - uncommitted;
    archivist->committed = archivist->closed[count - 1];
    memmove(archivist->closed, archivist->closed + count,
            uncommitted * sizeof(*archivist->closed));
    archivist->batches = uncommitted;
    if (archivist->committed.file)
        complete_files(archivist, archivist->committed.file - 1);
}

/* --- the end ------------------------------------------------------------ */

/* Remove the files of this number and later ones. */
static void remove_from(struct archivist *archivist, size_t index)
{
    char path[ARCHIVE_NAME_MAX + 1];

    for (size_t i = archivist->files; i > index; i--)
        unlinkat(archivist->archive_fd,
                 archive_path(&archivist->file[i - 1], path), 0);
    archivist->files = index;
}

/* False if the file may still be longer. */
static bool cut_last(struct archivist *archivist, uint64_t length)
{
    char path[ARCHIVE_NAME_MAX + 1];
    struct archive_file *file = last_file(archivist);

    if (file->length == length)
        return true;
    int fd = openat(archivist->archive_fd, archive_path(file, path),
                    O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && !ftruncate(fd, (off_t)length);
    if (good)
        file->length = length;
    close_fd(&fd);
    return good;
}

/* Without a record the files end where the last write that went well ended. */
static void end_unrecorded(struct archivist *archivist)
{
    archivist_flush(archivist);
    close_fd(&archivist->fd);
    size_t complete = archivist->files;
    if (archivist->failed && complete &&
        !cut_last(archivist, archivist->written))
        complete--;
    complete_files(archivist, complete);
}

static void end_recorded(struct archivist *archivist)
{
    struct archive_end end = end_of(archivist);

    close_fd(&archivist->fd);
    if (end.file == archivist->committed.file &&
        end.length == archivist->committed.length) {
        complete_files(archivist, archivist->files);
        return;
    }
    archivist->failed = true; /* no row of the rest may be committed */
    archivist->why = ECANCELED;
}

void archivist_end(struct archivist *archivist, bool recorded)
{
    if (!archivist || !archivist->is_usable || archivist->archive_fd < 0)
        return;
    if (recorded)
        end_recorded(archivist);
    else
        end_unrecorded(archivist);
    buf_clear(&archivist->buffer);
}

void archivist_discard(struct archivist *archivist)
{
    if (!archivist || archivist->archive_fd < 0)
        return;
    close_fd(&archivist->fd);
    buf_clear(&archivist->buffer);
    remove_from(archivist, 0);
    if (archivist->made_dir)
        unlinkat(archivist->options->dir_fd, ARCHIVE_DIR, AT_REMOVEDIR);
}

/* --- a crawl goes on ---------------------------------------------------- */

bool archivist_add_file(struct archivist *archivist,
                        const struct store_archive *row)
{
    if (row->number != archivist->files + 1 || !archive_name_is_safe(row->name))
        return false;
    struct archive_file *file = archive_add(archivist);
    memcpy(file->name, row->name.ptr, row->name.len);
    file->length = row->start;
    archivist->serial++;
    return true;
}

bool archivist_add_capture(struct archivist *archivist,
                           const struct store_capture *row)
{
    if (row->number <= archivist->captures || !row->archive ||
        row->archive > archivist->files || row->kind > CAPTURE_REVISIT)
        return false;
    struct archive_file *file = &archivist->file[row->archive - 1];
    if (row->at != file->length)
        return false;
    file->length += row->length + row->request_length;
    archivist->captures = row->number;
    if (row->digest.len && original_may_be(row->status))
        remember(archivist, row);
    return true;
}
