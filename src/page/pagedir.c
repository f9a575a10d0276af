#include "page/pagedir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/spool.h"
#include "web/url.h"

enum {
    NAME_MAX_LEN = 16,
    LOCK_TRIES = 30,
    LOCK_WAIT_NS = 10 * 1000 * 1000,
    CREATE_TRIES = 1000, /* names that somebody else has taken */
};

static void name_of(uint32_t id, char out[NAME_MAX_LEN])
{
    snprintf(out, NAME_MAX_LEN, "%u", (unsigned)id);
}

bool pagedir_open_read(struct pagedir *dir, const char *path)
{
    *dir = (struct pagedir){
        .fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
    };
    return dir->fd >= 0;
}

bool pagedir_open(struct pagedir *dir, const char *path)
{
    if (!pagedir_open_read(dir, path))
        return false;
    if (!faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS))
        return true;

    int why = errno;
    pagedir_close(dir);
    errno = why;
    return false;
}

void pagedir_close(struct pagedir *dir)
{
    close(dir->fd);
    dir->fd = -1;
}

/* The number that a page of this name would have, or 0. */
static uint32_t id_of(const char *name)
{
    uint64_t id;

    if (name[0] == '0' || !str_to_u64(str_of(name), &id) || id > UINT32_MAX)
        return 0;
    return (uint32_t)id;
}

bool pagedir_owns_name(const char *name)
{
    return id_of(name) || str_starts(str_of(name), STR(PAGEDIR_MARK));
}

/* The names in the directory. Its own descriptor, so that two lists do not
 * share a position. */
static DIR *open_list(const struct pagedir *dir)
{
    int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);

    if (!list && fd >= 0)
        close(fd);
    return list;
}

/* NULL at the end: then the list is closed. */
static const char *next_name(DIR *list)
{
    struct dirent *entry = list ? readdir(list) : NULL;

    if (list && !entry)
        closedir(list);
    return entry ? entry->d_name : NULL;
}

/* Files that a killed crawl left half-written. */
static void remove_leftovers(struct pagedir *dir)
{
    DIR *list = open_list(dir);
    const char *name;

    while ((name = next_name(list)))
        if (str_starts(str_of(name), STR(PAGEDIR_TMP_PREFIX)))
            unlinkat(dir->fd, name, 0);
}

/* --- other crawls ------------------------------------------------------- */

bool pagedir_lock(struct pagedir *dir)
{
    const struct timespec wait = {.tv_nsec = LOCK_WAIT_NS};

    /* pagedir_is_locked holds the lock for an instant, so try again. A file
     * system without locks cannot refuse one. */
    for (int tries = LOCK_TRIES; flock(dir->fd, LOCK_EX | LOCK_NB);) {
        if (errno != EWOULDBLOCK)
            return true;
        if (!--tries)
            return false;
        nanosleep(&wait, NULL);
        errno = EWOULDBLOCK;
    }
    return true;
}

bool pagedir_is_locked(const struct pagedir *dir)
{
    if (flock(dir->fd, LOCK_SH | LOCK_NB))
        return errno == EWOULDBLOCK;
    flock(dir->fd, LOCK_UN);
    return false;
}

static bool has_page(const struct pagedir *dir, uint32_t id)
{
    char name[NAME_MAX_LEN];

    name_of(id, name);
    return !faccessat(dir->fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A URL, a line feed, a depth, a line feed. After a power failure a page can be
 * empty or zeros: then there is nothing in it that somebody could lose. */
static bool is_page_text(struct str text)
{
    struct str_pair first = str_cut(text, '\n');
    struct str_pair second = str_cut(first.tail, '\n');
    uint64_t depth;
    size_t zeros = 0;

    while (zeros < text.len && !text.ptr[zeros])
        zeros++;
    return zeros == text.len ||
           ((str_starts(first.head, STR("http://")) ||
             str_starts(first.head, STR("https://"))) &&
            second.tail.ptr && str_to_u64(second.head, &depth));
}

/* Could a crawl have written this file? */
static bool is_page(const struct pagedir *dir, uint32_t id)
{
    char name[NAME_MAX_LEN];
    char text[URL_LEN_MAX + 32];
    struct stat stat_of;

    name_of(id, name);
    int fd =
        openat(dir->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_file = !fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode);
    ssize_t len = pread(fd, text, sizeof(text), 0);
    close(fd);
    return is_file && len >= 0 && is_page_text((struct str){text, (size_t)len});
}

/* The last page that follows this one without a hole. */
static uint32_t end_of_run(const struct pagedir *dir, uint32_t id)
{
    while (id < UINT32_MAX && is_page(dir, id + 1))
        id++;
    return id;
}

uint32_t pagedir_last_in_row(const struct pagedir *dir)
{
    uint32_t id = 0;

    while (id < UINT32_MAX && has_page(dir, id + 1))
        id++;
    return id;
}

uint32_t pagedir_unknown_file(const struct pagedir *dir, uint32_t last_id,
                              bool run)
{
    uint32_t last = run ? end_of_run(dir, last_id) : last_id;
    DIR *list = open_list(dir);
    const char *name;
    uint32_t found = 0;

    while ((name = next_name(list)))
        if (id_of(name) > last)
            found = id_of(name);
    return found;
}

uint32_t pagedir_not_page(const struct pagedir *dir, uint32_t first,
                          uint32_t last)
{
    DIR *list = open_list(dir);
    const char *name;
    uint32_t found = 0;

    while ((name = next_name(list))) {
        uint32_t id = id_of(name);
        if (id >= first && id <= last && (!found || id < found) &&
            !is_page(dir, id))
            found = id;
    }
    return found;
}

void pagedir_each(const struct pagedir *dir,
                  void (*visit)(void *user, uint32_t id), void *user)
{
    DIR *list = open_list(dir);
    const char *name;

    while ((name = next_name(list)))
        if (id_of(name))
            visit(user, id_of(name));
}

void pagedir_resume(struct pagedir *dir, uint32_t last_id, bool run)
{
    uint32_t end = run ? end_of_run(dir, last_id) : last_id;

    remove_leftovers(dir);
    dir->last_id = last_id;
    if (dir->old_last < end)
        dir->old_last = end;
    dir->holds_old = dir->old_last > last_id;
}

/* --- a new crawl -------------------------------------------------------- */

void pagedir_begin_over(struct pagedir *dir, uint32_t last_id, bool run)
{
    remove_leftovers(dir);
    dir->holds_old = true;
    dir->old_last = run ? end_of_run(dir, last_id) : last_id;
}

/* Remove the old pages after our last one. The next number goes first: readers
 * stop at that hole from then on, also if we are killed. All old pages go, not
 * only those up to a hole, because new pages might fill the hole. */
void pagedir_drop_old(struct pagedir *dir)
{
    char next[NAME_MAX_LEN];
    DIR *list = open_list(dir);
    const char *name;

    unlinkat(dir->fd, PAGEDIR_STATS, 0);
    name_of(dir->last_id + 1, next);
    if (dir->last_id < dir->old_last)
        unlinkat(dir->fd, next, 0);
    while ((name = next_name(list))) {
        uint32_t id = id_of(name);
        if (id > dir->last_id && id <= dir->old_last)
            unlinkat(dir->fd, name, 0);
    }
    dir->holds_old = false;
}

void pagedir_drop_run(struct pagedir *dir, uint32_t last_id)
{
    char name[NAME_MAX_LEN];

    for (uint32_t id = end_of_run(dir, last_id); id > last_id; id--) {
        name_of(id, name);
        unlinkat(dir->fd, name, 0);
    }
}

/* --- files -------------------------------------------------------------- */

/* The directory may be one where others can write too: a file that is there
 * already, or a link to one elsewhere, must not be opened. */
static int create(struct pagedir *dir, char name[PAGEDIR_TEMP_MAX + 1])
{
    int fd = -1;

    for (int tries = 0; tries < CREATE_TRIES; tries++) {
        snprintf(name, PAGEDIR_TEMP_MAX + 1, PAGEDIR_TMP_PREFIX "%u",
                 atomic_fetch_add(&dir->temps, 1));
        fd = openat(dir->fd, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

bool pagedir_save(struct pagedir *dir, struct iovec part[], int count,
                  char name[PAGEDIR_TEMP_MAX + 1])
{
    return pagedir_save_spooled(dir, part, count, NULL, name);
}

/* `part` is changed by this. */
static bool write_file(int fd, struct iovec part[], int count,
                       const struct spool *rest)
{
    size_t len = 0;

    for (int i = 0; i < count; i++)
        len += part[i].iov_len;
    return io_write_all(fd, part, count) &&
           (!rest || spool_copy(rest, 0, fd, len));
}

bool pagedir_save_spooled(struct pagedir *dir, struct iovec part[], int count,
                          const struct spool *rest,
                          char name[PAGEDIR_TEMP_MAX + 1])
{
    int fd = create(dir, name);

    if (fd < 0)
        return false;
    bool good = write_file(fd, part, count, rest);
    int why = errno;
    /* A file system over a network may tell only now that it is full. */
    if (close(fd) && good) {
        good = false;
        why = errno;
    }
    if (!good)
        unlinkat(dir->fd, name, 0);
    errno = why;
    return good;
}

/* A page of the old crawl may be replaced, any other file may not. */
static bool take_name(struct pagedir *dir, const char *file, uint32_t id)
{
    char name[NAME_MAX_LEN];

    name_of(id, name);
    if (dir->holds_old && id <= dir->old_last)
        return !renameat(dir->fd, file, dir->fd, name);
    if (!renameat2(dir->fd, file, dir->fd, name, RENAME_NOREPLACE))
        return true;
    /* The file system has no RENAME_NOREPLACE: look first. */
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    if (has_page(dir, id)) {
        errno = EEXIST;
        return false;
    }
    return !renameat(dir->fd, file, dir->fd, name);
}

bool pagedir_publish(struct pagedir *dir, const char *file)
{
    if (!take_name(dir, file, dir->last_id + 1))
        return false;
    dir->last_id++;
    if (dir->holds_old)
        pagedir_drop_old(dir);
    return true;
}

void pagedir_discard(struct pagedir *dir, const char *file)
{
    if (file[0])
        unlinkat(dir->fd, file, 0);
}

bool pagedir_write(struct pagedir *dir, const char *name, struct str text)
{
    struct iovec part = {(void *)text.ptr, text.len};
    char temp[PAGEDIR_TEMP_MAX + 1];

    if (!pagedir_save(dir, &part, 1, temp))
        return false;
    if (!renameat(dir->fd, temp, dir->fd, name))
        return true;
    int why = errno;
    pagedir_discard(dir, temp);
    errno = why;
    return false;
}

struct str pagedir_url(const struct pagedir *dir, uint32_t id,
                       struct arena *arena)
{
    char name[NAME_MAX_LEN];
    char line[URL_LEN_MAX + 1];

    name_of(id, name);
    int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (struct str){0};
    ssize_t len = pread(fd, line, sizeof(line), 0);
    close(fd);
    if (len <= 0)
        return (struct str){0};
    return arena_copy(arena,
                      str_cut((struct str){line, (size_t)len}, '\n').head);
}

bool pagedir_read(const struct pagedir *dir, uint32_t id, struct str url,
                  struct buf *file, struct str *body)
{
    char name[NAME_MAX_LEN];
    struct stat st;

    name_of(id, name);
    int fd =
        openat(dir->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) && io_read_all(fd, file);
    io_close(fd);
    struct str_pair first = str_cut(buf_str(file), '\n');
    struct str_pair second = str_cut(first.tail, '\n');
    *body = second.tail;
    return good && str_eq(first.head, url) && second.tail.ptr;
}
