#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "report/verify_internal.h"

enum { PIECE = 256 << 10 }; /* of a file, that is read at a time */

/* --- a file ------------------------------------------------------------- */

/* `start` is the file, as far as it was read first. The digest is of all that
 * is behind its two lines. */
static void compare(struct verify *verify, uint32_t id, struct str url,
                    uint32_t depth, struct str start, uint64_t file_size,
                    uint64_t digest)
{
    const struct verify_page *page = &verify->page[id];
    struct str_pair first = str_cut(start, '\n');
    struct str_pair second = str_cut(first.tail, '\n');
    uint64_t body_size =
        file_size - (uint64_t)(first.head.len + second.head.len + 2);
    struct report_page name = report_page(verify->report, id);
    uint64_t found;

    if (!str_eq(first.head, url))
        verify_found(verify, FAULT_FILE,
                     "page %s: its first line is not its URL, %.*s", name.text,
                     STR_ARGS(url));
    else if (!second.tail.ptr || !str_to_u64(second.head, &found) ||
             found != depth)
        verify_found(verify, FAULT_FILE,
                     "page %s: its second line is not its depth, %u", name.text,
                     depth);
    else if (body_size != page->size)
        verify_found(verify, FAULT_FILE, "page %s: it has %llu bytes, not %llu",
                     name.text, (unsigned long long)body_size,
                     (unsigned long long)page->size);
    else if (digest != page->digest)
        verify_found(verify, FAULT_FILE,
                     "page %s: its bytes are not those that were saved",
                     name.text);
}

/* A pipe or a link of that name is no page, and opening it may do harm. */
static int open_page(const struct verify *verify, uint32_t id, struct stat *st)
{
    char name[16];

    snprintf(name, sizeof(name), "%u", report_page(verify->report, id).number);
    int fd = openat(verify->dir->fd, name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || (!fstat(fd, st) && S_ISREG(st->st_mode)))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

/* Fill the buffer with the next bytes of a file, as far as there are any. False
 * with errno. */
static bool read_piece(int fd, struct buf *piece)
{
    buf_clear(piece);
    while (piece->len < PIECE) {
        ssize_t n = read(fd, piece->ptr + piece->len, PIECE - piece->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        piece->len += (size_t)n;
    }
    return true;
}

/* The digest of what is behind the two lines of a file, of which the first
 * piece is at hand. A file that is larger than it should be need not be read to
 * its end. */
static bool digest_body(int fd, const struct buf *start, uint64_t max,
                        uint64_t *digest)
{
    struct str body = str_cut(str_cut(buf_str(start), '\n').tail, '\n').tail;
    struct buf piece;

    if (start->len < PIECE) {
        *digest = hash64(body, 0);
        return true;
    }
    struct hash64_pieces *hash = hash64_begin(0);
    uint64_t len = body.len;
    hash64_add(hash, body);
    buf_init(&piece, PIECE);
    buf_reserve(&piece, PIECE);
    bool good;
    do {
        good = read_piece(fd, &piece);
        hash64_add(hash, buf_str(&piece));
        len += piece.len;
    } while (good && piece.len && len <= max);
    buf_release(&piece);
    *digest = hash64_end(hash);
    return good;
}

void verify_page_file(struct verify *verify, uint32_t id, struct str url,
                      uint32_t depth)
{
    uint64_t digest = 0;
    struct buf start;
    struct stat st;

    buf_init(&start, PIECE);
    buf_reserve(&start, PIECE);
    int fd = open_page(verify, id, &st);
    if (fd < 0 && errno == ENOENT)
        verify_found(verify, FAULT_FILE, "page %s: there is no file",
                     PAGE_NAME(verify, id));
    else if (fd < 0 && (errno == EINVAL || errno == ELOOP))
        verify_found(verify, FAULT_FILE, "page %s: it is no file",
                     PAGE_NAME(verify, id));
    else if (fd < 0 || !read_piece(fd, &start) ||
             !digest_body(fd, &start, verify->page[id].size, &digest))
        verify_found(verify, FAULT_FILE, "page %s: it cannot be read: %s",
                     PAGE_NAME(verify, id), strerror(errno));
    else
        compare(verify, id, url, depth, buf_str(&start), (uint64_t)st.st_size,
                digest);
    buf_release(&start);
    if (fd >= 0)
        close(fd);
}

/* --- files that are too many -------------------------------------------- */

struct unknown_files {
    uint32_t last_page;
    uint32_t *id;
    size_t count, room;
};

static void note_file(void *user, uint32_t id)
{
    struct unknown_files *files = user;

    if (id <= files->last_page)
        return;
    files->id =
        mem_grow(files->id, files->count, &files->room, sizeof(*files->id));
    files->id[files->count++] = id;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

/* A killed crawl may have saved pages after its last commit: their numbers
 * follow the last recorded page without a hole. Pages of a crawl that is being
 * replaced are there until the next page is saved. */
void verify_unknown_files(struct verify *verify)
{
    const struct report_machine *own = verify->report->own;
    uint32_t last_page = own ? own->pages : verify->last_page;
    bool is_unclean = own ? !own->has_left : facts_is_unclean(&verify->facts);
    uint64_t old = verify->facts.number[FACT_OLD_PAGES];
    struct unknown_files files = {
        .last_page = old > last_page && old < UINT32_MAX && !own ? (uint32_t)old
                                                                 : last_page,
    };
    uint32_t expected = files.last_page + 1;
    bool before = pagedir_is_locked(verify->dir);

    pagedir_each(verify->dir, note_file, &files);
    /* A crawl at work saves more pages while we look. */
    if (before || pagedir_is_locked(verify->dir))
        files.count = 0;
    if (files.count)
        qsort(files.id, files.count, sizeof(*files.id), compare_ids);
    for (size_t i = 0; i < files.count; i++) {
        if (is_unclean && files.id[i] == expected)
            expected++;
        else
            verify_found(verify, FAULT_NUMBER,
                         "file %u: no page of that number is recorded",
                         (unsigned)files.id[i]);
    }
    free(files.id);
}
