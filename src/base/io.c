#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { READ_AT_ONCE = 64 * 1024, UNNAMED_TRIES = 100 };

/* Where a file must have a name at first. A page directory removes what is
 * called so when a crawl begins (page/pagedir.h). */
#define UNNAMED_PREFIX ".crawler-tmp-unnamed"

bool io_write_all(int fd, struct iovec part[], int count)
{
    while (count) {
        ssize_t written = writev(fd, part, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        size_t done = (size_t)written;
        while (count && done >= part->iov_len) {
            done -= part->iov_len;
            part++;
            count--;
        }
        if (count) {
            part->iov_base = (char *)part->iov_base + done;
            part->iov_len -= done;
        }
    }
    return true;
}

bool io_write_at(int fd, struct str bytes, uint64_t at)
{
    while (bytes.len) {
        ssize_t n = pwrite(fd, bytes.ptr, bytes.len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += (uint64_t)n;
        bytes = str_skip(bytes, (size_t)n);
    }
    return true;
}

int io_open_unnamed(int dir_fd)
{
    const int flags = O_RDWR | O_CLOEXEC;
    char name[sizeof(UNNAMED_PREFIX) + 16];
    int fd = openat(dir_fd, ".", flags | O_TMPFILE, 0600);

    /* Not every file system has such files. Another thread may be here. */
    for (int i = 0; fd < 0 && i < UNNAMED_TRIES; i++) {
        snprintf(name, sizeof(name), UNNAMED_PREFIX "%d", i);
        fd = openat(dir_fd, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (fd >= 0)
            unlinkat(dir_fd, name, 0);
        else if (errno != EEXIST)
            break;
    }
    return fd;
}

void io_close(int fd)
{
    int why = errno;

    close(fd);
    errno = why;
}

bool io_read_all(int fd, struct buf *out)
{
    for (;;) {
        size_t room = out->cap - out->len;
        size_t most = room < READ_AT_ONCE ? room : READ_AT_ONCE;
        char beyond;
        ssize_t n = room ? read(fd, buf_reserve(out, most), most)
                         : read(fd, &beyond, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        if (!room) {
            errno = EFBIG;
            return false;
        }
        out->len += (size_t)n;
    }
}

bool io_read_file(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    bool good = io_read_all(fd, out);
    io_close(fd);
    return good;
}
