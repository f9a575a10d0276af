#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "archive/digest.h"
#include "archive/warc_read.h"
#include "base/date.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "report/verify_internal.h"

/* The archive: rows and records are read side by side. Both are in the order in
 * which they were written, so each file is read once, from its start to its
 * end. */

enum { SCRATCH_MAX = 1 << 20 };

struct archive_file {
    char *name;
    uint64_t start;
};

struct verify_archive {
    struct archive_file *file; /* file[0] has number 1 */
    size_t files, file_room;
    uint32_t current; /* the file that is being read; 0: none */
    const char *name; /* its name */
    int fd;
    struct warc_reader *reader; /* NULL: it cannot be read */
    uint64_t at;                /* where its next record should begin */
    bool is_lost;      /* a fault was found: the rest of the file is left out */
    uint64_t *payload; /* hash of the digest, by the number of the capture;
                        * 0: a revisit, or none */
    size_t payload_room;
    uint64_t captures;
    struct seen urls; /* those of pages that are kept */
    /* of the record that was read last */
    char block_digest[DIGEST_TEXT_MAX + 1], payload_digest[DIGEST_TEXT_MAX + 1];
    struct buf scratch;
};

uint64_t verify_captures(const struct verify *verify)
{
    return verify->archive ? verify->archive->captures : 0;
}

size_t verify_archives(const struct verify *verify)
{
    return verify->archive ? verify->archive->files : 0;
}

static void close_file(struct verify_archive *archive)
{
    warc_reader_free(archive->reader);
    archive->reader = NULL;
    if (archive->fd >= 0)
        close(archive->fd);
    archive->fd = -1;
}

void verify_archive_free(struct verify_archive *archive)
{
    if (!archive)
        return;
    close_file(archive);
    for (size_t i = 0; i < archive->files; i++)
        free(archive->file[i].name);
    free(archive->file);
    free(archive->payload);
    seen_release(&archive->urls);
    buf_release(&archive->scratch);
    free(archive);
}

/* The first fault of a file; what follows it would only repeat it. */
static bool found(struct verify *verify, const char *what)
{
    struct verify_archive *archive = verify->archive;

    if (!archive->is_lost)
        verify_found(verify, FAULT_ARCHIVE, ARCHIVE_DIR "/%s at %llu: %s",
                     archive->name, (unsigned long long)archive->at, what);
    archive->is_lost = true;
    return false;
}

/* --- files -------------------------------------------------------------- */

bool verify_archive_file(struct verify *verify, const struct store_archive *row)
{
    struct verify_archive *archive = verify->archive;

    if (!archive) {
        archive = verify->archive = NEW(struct verify_archive);
        archive->fd = -1;
        seen_init(&archive->urls);
        buf_init(&archive->scratch, SCRATCH_MAX);
    }
    if (row->number != archive->files + 1 || !archive_name_is_safe(row->name))
        return false;
    archive->file = mem_grow(archive->file, archive->files, &archive->file_room,
                             sizeof(*archive->file));
    struct archive_file *file = &archive->file[archive->files++];
    file->name = mem_new(row->name.len + 1);
    memcpy(file->name, row->name.ptr, row->name.len);
    file->start = row->start;
    return true;
}

static bool may_be_open(const struct verify *verify)
{
    return facts_is_unclean(&verify->facts) || verify->report->locked;
}

/* The files of a crawl that has ended are complete. */
static int open_file(const struct verify *verify,
                     const struct archive_file *file)
{
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };
    char path[sizeof(ARCHIVE_DIR) + 1 + ARCHIVE_NAME_LEN];

    if (may_be_open(verify))
        return archive_open_below(verify->dir->fd, str_of(file->name), FLAGS);
    snprintf(path, sizeof(path), ARCHIVE_DIR "/%s", file->name);
    return openat(verify->dir->fd, path, FLAGS);
}

static enum digest_kind kind_of(struct str digest)
{
    return str_starts(digest, STR("sha256:")) ? DIGEST_SHA256 : DIGEST_SHA1;
}

/* The digest of all of a record's block but for its first `skip` bytes, which
 * are among those that were kept. */
struct block_digest {
    struct digest digest;
    char *text; /* where it goes */
    size_t skip;
};

/* Go through the block once for both digests. */
static enum warc_got digest_block(struct warc_reader *reader,
                                  const struct warc_record *record,
                                  struct block_digest *digest, size_t count)
{
    enum warc_got got;
    struct str bytes;

    for (size_t i = 0; i < count; i++)
        digest_add(&digest[i].digest, str_skip(record->block, digest[i].skip));
    while ((got = warc_block(reader, &bytes)) == WARC_RECORD)
        for (size_t i = 0; i < count; i++)
            digest_add(&digest[i].digest, bytes);
    for (size_t i = 0; i < count; i++)
        digest_end(&digest[i].digest, digest[i].text);
    return got;
}

/* Read the next record to its end, with the digests of its block and, of a
 * response, of what is behind the head of HTTP in it. */
static enum warc_got read_digested(struct verify_archive *archive,
                                   struct warc_record *record)
{
    struct warc_reader *reader = archive->reader;
    struct block_digest digest[2] = {{.text = archive->block_digest},
                                     {.text = archive->payload_digest}};
    enum warc_got got = warc_begin(reader, record);
    struct warc_http http;
    size_t count = 1;

    if (got == WARC_RECORD)
        got = warc_keep_start(reader, record);
    if (got != WARC_RECORD)
        return got;
    digest_begin(&digest[0].digest, kind_of(record->block_digest));
    if (record->type == WARC_RESPONSE &&
        warc_http_parse(record, &archive->scratch, &http)) {
        digest[count].skip = http.head.len;
        digest_begin(&digest[count++].digest, kind_of(record->payload_digest));
    }
    got = digest_block(reader, record, digest, count);
    return got == WARC_END ? warc_end(reader, record) : got;
}

static bool read_record(struct verify *verify, struct warc_record *record,
                        uint64_t length)
{
    struct verify_archive *archive = verify->archive;

    switch (read_digested(archive, record)) {
    case WARC_RECORD:
        break;
    case WARC_END:
        return found(verify, "the file ends, but more is recorded");
    case WARC_CUT:
        return found(verify, "the file is cut off");
    case WARC_BROKEN:
        return found(verify, warc_reader_problem(archive->reader));
    case WARC_FAILED:
        return found(verify, strerror(errno));
    }
    if (record->at != archive->at || record->length != length)
        return found(verify, "the record is not as long as it is recorded");
    return true;
}

static bool check_block(struct verify *verify, const struct warc_record *record)
{
    return str_eq(record->block_digest,
                  str_of(verify->archive->block_digest)) ||
           found(verify, "the block has another digest");
}

static void begin_file(struct verify *verify, uint32_t number)
{
    struct verify_archive *archive = verify->archive;
    const struct archive_file *file = &archive->file[number - 1];
    struct warc_record record;

    archive->current = number;
    archive->name = file->name;
    archive->at = 0;
    archive->is_lost = false;
    archive->fd = open_file(verify, file);
    if (archive->fd < 0) {
        found(verify, errno == ENOENT ? "there is no file" : strerror(errno));
        return;
    }
    archive->reader = warc_reader_open(archive->fd, 0, 0);
    if (!read_record(verify, &record, file->start))
        return;
    if (record.type != WARC_INFO)
        found(verify, "it does not begin with a warcinfo record");
    else
        check_block(verify, &record);
    archive->at += record.length;
}

/* Is there more in the file than is recorded? A crawl that was killed, or is at
 * work, may have written more. */
static void end_file(struct verify *verify)
{
    struct verify_archive *archive = verify->archive;
    struct stat st;

    if (archive->current && archive->reader && !archive->is_lost &&
        !may_be_open(verify) && !fstat(archive->fd, &st) &&
        (uint64_t)st.st_size != archive->at)
        found(verify, "there is more in the file than is recorded");
    close_file(archive);
}

/* --- captures ----------------------------------------------------------- */

static bool check_fields(struct verify *verify,
                         const struct warc_record *record,
                         const struct store_capture *row)
{
    bool is_revisit = row->kind == CAPTURE_REVISIT;
    uint64_t date_ms;

    if (record->type != (is_revisit ? WARC_REVISIT : WARC_RESPONSE))
        return found(verify, "the record is of another type");
    if (!str_eq(record->url, row->url))
        return found(verify, "the record has another URL");
    if (!date_read_iso(record->date, &date_ms) || date_ms != row->start_ms)
        return found(verify, "the record has another date");
    if (!str_eq(record->payload_digest, row->digest))
        return found(verify, "the record has another payload digest");
    return check_block(verify, record);
}

static bool check_http(struct verify *verify, const struct warc_record *record,
                       const struct store_capture *row)
{
    struct verify_archive *archive = verify->archive;
    struct warc_http http;

    if (!warc_http_parse(record, &archive->scratch, &http) ||
        (uint32_t)http.status != row->status)
        return found(verify, "the record has another status");
    return row->kind == CAPTURE_REVISIT ||
           str_eq(row->digest, str_of(archive->payload_digest)) ||
           found(verify, "the payload has another digest");
}

static uint64_t digest_hash(const struct verify *verify, struct str digest)
{
    return hash64(digest, verify->seed) | 1;
}

/* The payload of a revisit is in a response that was kept before. */
static bool check_original(struct verify *verify,
                           const struct warc_record *record,
                           const struct store_capture *row)
{
    const struct verify_archive *archive = verify->archive;

    if (row->kind != CAPTURE_REVISIT)
        return !row->refers || found(verify, "a response refers to another");
    if (!record->refers_to_url.len || !record->refers_to_date.len)
        return found(verify, "the revisit does not say what it refers to");
    if (!row->refers) /* it is in another archive */
        return true;
    if (row->refers >= row->number || row->refers >= archive->payload_room ||
        archive->payload[row->refers] != digest_hash(verify, row->digest))
        return found(verify, "the revisit refers to another payload");
    return true;
}

static bool check_request(struct verify *verify,
                          const struct store_capture *row, struct str id)
{
    struct warc_record record;

    verify->archive->at += row->length;
    if (!row->request_length)
        return true;
    if (!read_record(verify, &record, row->request_length))
        return false;
    if (record.type != WARC_REQUEST || !str_eq(record.url, row->url) ||
        !str_eq(record.concurrent_to, id))
        return found(verify, "the record behind it is not its request");
    verify->archive->at += row->request_length;
    return check_block(verify, &record);
}

static void note_capture(struct verify *verify, const struct store_capture *row)
{
    struct verify_archive *archive = verify->archive;
    uint64_t url = hash64(row->url, verify->seed);

    while (row->number >= archive->payload_room)
        archive->payload =
            mem_grow(archive->payload, archive->payload_room,
                     &archive->payload_room, sizeof(*archive->payload));
    archive->payload[row->number] =
        row->kind == CAPTURE_RESPONSE && row->digest.len
            ? digest_hash(verify, row->digest)
            : 0;
    archive->captures++;
    if (row->status == 200 && seen_has(&verify->page_urls, url))
        seen_add(&archive->urls, url);
}

static void check_capture(struct verify *verify,
                          const struct store_capture *row)
{
    struct verify_archive *archive = verify->archive;
    struct warc_record record;

    if (!archive->reader || archive->is_lost)
        return;
    if (row->at != archive->at) {
        found(verify, "the next record should begin elsewhere");
        return;
    }
    if (!read_record(verify, &record, row->length) ||
        !check_fields(verify, &record, row) ||
        !check_http(verify, &record, row) ||
        !check_original(verify, &record, row))
        return;
    /* The texts of a record are gone when the next one is read. */
    buf_clear(&archive->scratch);
    buf_put(&archive->scratch, record.id);
    check_request(verify, row, buf_str(&archive->scratch));
}

bool verify_archive_capture(struct verify *verify,
                            const struct store_capture *row)
{
    struct verify_archive *archive = verify->archive;

    if (!archive || !row->archive || row->archive > archive->files ||
        row->archive < archive->current ||
        row->number != archive->captures + 1 || row->kind > CAPTURE_REVISIT)
        return false;
    while (archive->current < row->archive) {
        end_file(verify);
        begin_file(verify, archive->current + 1);
    }
    check_capture(verify, row);
    note_capture(verify, row);
    return true;
}

/* --- the end ------------------------------------------------------------ */

void verify_archive_end(struct verify *verify)
{
    struct verify_archive *archive = verify->archive;

    if (!archive) {
        if (!verify_has_files(verify) && verify->pages > verify->left_out)
            verify_found(verify, FAULT_ARCHIVE,
                         "there is no archive, which should have all pages");
        return;
    }
    while (archive->current < archive->files) {
        end_file(verify);
        begin_file(verify, archive->current + 1);
    }
    end_file(verify);
    if (archive->urls.count + verify->left_out < verify->pages)
        verify_found(verify, FAULT_ARCHIVE,
                     "%llu pages have no record in the archive",
                     (unsigned long long)(verify->pages - verify->left_out -
                                          archive->urls.count));
}
