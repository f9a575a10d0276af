#include "crawler/dedup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/cdxj.h"
#include "archive/warc_read.h"
#include "base/head.h"
#include "base/mem.h"
#include "crawler/archivist_internal.h"
#include "crawler/record_codes.h"
#include "store/store.h"

enum { LINE_MAX_LEN = 1 << 20, READ_LEN = 64 << 10 };

struct dedup {
    struct payloads payloads;
    int fd; /* the index, or the directory of the archive */
    bool is_index;
    int replaced_fd; /* while an index is read; -1: none */
    bool is_replaced;
    struct buf line, scratch;
    /* of a page directory */
    struct archive_file *file; /* file[0] has number 1 */
    size_t files, file_room;
    int read_fd;
    uint32_t read_file;
};

void dedup_free(struct dedup *dedup)
{
    if (!dedup)
        return;
    payloads_release(&dedup->payloads);
    buf_release(&dedup->line);
    buf_release(&dedup->scratch);
    if (dedup->fd >= 0)
        close(dedup->fd);
    if (dedup->read_fd >= 0)
        close(dedup->read_fd);
    free(dedup->file);
    free(dedup);
}

/* --- a page directory --------------------------------------------------- */

static bool add_file(void *user, const struct store_archive *row)
{
    struct dedup *dedup = user;

    if (row->number != dedup->files + 1 || !archive_name_is_safe(row->name))
        return false;
    dedup->file = mem_grow(dedup->file, dedup->files, &dedup->file_room,
                           sizeof(*dedup->file));
    struct archive_file *file = &dedup->file[dedup->files++];
    *file = (struct archive_file){0};
    memcpy(file->name, row->name.ptr, row->name.len);
    return true;
}

static bool add_capture(void *user, const struct store_capture *row)
{
    struct dedup *dedup = user;
    const struct payload_place place = {
        .at = row->at,
        .file = row->archive,
        .capture = 1, /* it is not asked for */
    };

    if (row->kind == CAPTURE_RESPONSE && row->digest.len &&
        original_may_be(row->status))
        payloads_add(&dedup->payloads, row->digest, &place);
    return true;
}

static bool read_record(struct dedup *dedup, const char *path,
                        char problem[DEDUP_PROBLEM_MAX])
{
    const struct store_reader reader = {
        .user = dedup,
        .archive = add_file,
        .capture = add_capture,
    };
    struct store_error error;
    struct arena arena;
    bool good = false;

    arena_init(&arena);
    struct store *store = store_open(store_name_in(path, &arena), STORE_READ,
                                     crawler_codes(), &error);
    if (store)
        good = store_load(store, 0, &reader, &error);
    store_close(store);
    arena_release(&arena);
    if (!good)
        snprintf(problem, DEDUP_PROBLEM_MAX, "%s", error.text);
    else if (!dedup->files)
        snprintf(problem, DEDUP_PROBLEM_MAX, "the crawl there has no archive");
    return good && dedup->files;
}

static int open_file(struct dedup *dedup, uint32_t number)
{
    if (number == dedup->read_file && dedup->read_fd >= 0)
        return dedup->read_fd;
    if (dedup->read_fd >= 0)
        close(dedup->read_fd);
    dedup->read_fd = -1;
    if (!number || number > dedup->files)
        return -1;
    dedup->read_file = number;
    dedup->read_fd =
        archive_open_named(dedup->fd, str_of(dedup->file[number - 1].name),
                           O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return dedup->read_fd;
}

/* --- an index ----------------------------------------------------------- */

/* A line of a revisit names no payload that is there. */
static bool parse_line(struct dedup *dedup, struct str line,
                       struct cdxj_entry *entry)
{
    buf_clear(&dedup->scratch);
    return cdxj_parse(line, &dedup->scratch, entry) && entry->digest.len &&
           !str_eq(entry->mime, STR("warc/revisit")) &&
           original_may_be(entry->status);
}

static bool is_same_answer(const struct cdxj_entry *entry, struct str head)
{
    struct str type = head_find(head, STR("Content-Type"));

    return entry->status == (uint32_t)head_status(head) &&
           str_eq_nocase(entry->mime, str_trim(str_cut(type, ';').head));
}

static bool has_file(int archive_fd, struct str name)
{
    int fd = archive_open_named(archive_fd, name, O_PATH | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void add_line(struct dedup *dedup, struct str line, uint64_t at)
{
    struct cdxj_entry entry;
    const struct payload_place place = {.at = at, .file = 0, .capture = 1};

    if (!parse_line(dedup, line, &entry))
        return;
    payloads_add(&dedup->payloads, entry.digest, &place);
    if (!dedup->is_replaced && dedup->replaced_fd >= 0)
        dedup->is_replaced = has_file(dedup->replaced_fd, entry.file_name);
}

/* Lines that are longer than the cap are left out. */
static bool read_index(struct dedup *dedup, char problem[DEDUP_PROBLEM_MAX])
{
    char bytes[READ_LEN];
    uint64_t line_at = 0, at = 0;
    bool is_long = false;
    ssize_t len;

    while ((len = pread(dedup->fd, bytes, sizeof(bytes), (off_t)at)) > 0) {
        struct str rest = {bytes, (size_t)len};
        while (rest.len) {
            size_t end = str_find(rest, '\n');
            is_long |= !buf_put(&dedup->line, str_first(rest, end));
            at += end;
            if (end == rest.len)
                break;
            if (!is_long)
                add_line(dedup, buf_str(&dedup->line), line_at);
            buf_clear(&dedup->line);
            is_long = false;
            line_at = ++at;
            rest = str_skip(rest, end + 1);
        }
    }
    if (!is_long) /* the last line need not have an end */
        add_line(dedup, buf_str(&dedup->line), line_at);
    if (len < 0)
        snprintf(problem, DEDUP_PROBLEM_MAX, "%s", strerror(errno));
    else if (!dedup->payloads.count)
        snprintf(problem, DEDUP_PROBLEM_MAX,
                 "it is neither a page directory nor a CDXJ index");
    else if (dedup->is_replaced)
        snprintf(problem, DEDUP_PROBLEM_MAX,
                 "it lists files of the archive that --restart replaces");
    return !len && dedup->payloads.count && !dedup->is_replaced;
}

/* The line that begins there, read again. */
static bool find_line(struct dedup *dedup, uint64_t at,
                      const struct warc_pair *pair,
                      struct warc_original *original)
{
    struct cdxj_entry entry;
    struct str line;
    size_t end = 0;

    buf_clear(&dedup->line);
    do {
        char *to = buf_reserve(&dedup->line, READ_LEN);
        ssize_t len =
            to ? pread(dedup->fd, to, READ_LEN, (off_t)(at + dedup->line.len))
               : 0;
        if (len <= 0)
            break;
        dedup->line.len += (size_t)len;
        line = buf_str(&dedup->line);
        end = str_find(line, '\n');
    } while (end == line.len);
    if (!parse_line(dedup, str_first(buf_str(&dedup->line), end), &entry) ||
        !str_eq(entry.digest, str_of(pair->payload_digest)) ||
        !is_same_answer(&entry, buf_str(&pair->head)))
        return false;
    *original = (struct warc_original){
        .url = entry.url,
        .date_ms = entry.date_ms,
    };
    return true;
}

/* --- both --------------------------------------------------------------- */

static bool open_archive(struct dedup *dedup, const char *path,
                         char problem[DEDUP_PROBLEM_MAX])
{
    int dir_fd = dedup->fd;

    dedup->fd = -1;
    bool good = read_record(dedup, path, problem);
    if (good) {
        dedup->fd =
            openat(dir_fd, ARCHIVE_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        good = dedup->fd >= 0;
        if (!good)
            snprintf(problem, DEDUP_PROBLEM_MAX, ARCHIVE_DIR ": %s",
                     strerror(errno));
    }
    close(dir_fd);
    return good;
}

struct dedup *dedup_open(const char *path, uint64_t hash_seed, int replaced_fd,
                         char problem[DEDUP_PROBLEM_MAX])
{
    struct dedup *dedup = NEW(struct dedup);
    struct stat st;

    payloads_init(&dedup->payloads, hash_seed);
    buf_init(&dedup->line, LINE_MAX_LEN);
    buf_init(&dedup->scratch, LINE_MAX_LEN);
    dedup->read_fd = -1;
    dedup->replaced_fd = replaced_fd;
    dedup->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good = dedup->fd >= 0 && !fstat(dedup->fd, &st);
    if (!good)
        snprintf(problem, DEDUP_PROBLEM_MAX, "%s", strerror(errno));
    dedup->is_index = good && S_ISREG(st.st_mode);
    if (good)
        good = dedup->is_index ? read_index(dedup, problem)
                               : open_archive(dedup, path, problem);
    if (good)
        return dedup;
    dedup_free(dedup);
    return NULL;
}

bool dedup_find(struct dedup *dedup, struct original_reader *reader,
                const struct warc_pair *pair, struct warc_original *original)
{
    struct str digest = str_of(pair->payload_digest);
    struct payload_place place;
    size_t at = 0;

    if (!dedup)
        return false;
    while (payloads_find(&dedup->payloads, digest, &at, &place)) {
        if (dedup->is_index) {
            if (find_line(dedup, place.at, pair, original))
                return true;
            continue;
        }
        int fd = open_file(dedup, place.file);
        if (fd >= 0 && original_read(reader, fd, place.at, (struct str){0},
                                     UINT64_MAX, pair, original))
            return true;
    }
    return false;
}
