#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "report/verify_internal.h"

/* Room for the depth and for the last piece that is read. */
enum { SPARE = 1 << 20 };

/* --- a file ------------------------------------------------------------- */

/* `start` is the file, as far as it was read. */
static void compare(struct verify *verify, uint32_t id, struct str url,
                    uint32_t depth, struct str start, uint64_t file_size)
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
    else if (hash64(second.tail, 0) != page->digest)
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

void verify_page_file(struct verify *verify, uint32_t id, struct str url,
                      uint32_t depth)
{
    struct buf file;
    struct stat st;

    /* A file that is larger than it should be need not be read to its end. */
    buf_init(&file, verify->page[id].size + url.len + SPARE);
    int fd = open_page(verify, id, &st);
    if (fd < 0 && errno == ENOENT)
        verify_found(verify, FAULT_FILE, "page %s: there is no file",
                     PAGE_NAME(verify, id));
    else if (fd < 0 && (errno == EINVAL || errno == ELOOP))
        verify_found(verify, FAULT_FILE, "page %s: it is no file",
                     PAGE_NAME(verify, id));
    else if (fd < 0 || (!io_read_all(fd, &file) && errno != EFBIG))
        verify_found(verify, FAULT_FILE, "page %s: it cannot be read: %s",
                     PAGE_NAME(verify, id), strerror(errno));
    else
        compare(verify, id, url, depth, buf_str(&file), (uint64_t)st.st_size);
    buf_release(&file);
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
