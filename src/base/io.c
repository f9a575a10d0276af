#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { READ_AT_ONCE = 64 * 1024 };

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

void io_close(int fd)
{
    int why = errno;

    close(fd);
    errno = why;
}

bool io_read_all(int fd, struct buf *out)
{
    char *at;

    while ((at = buf_reserve(out, READ_AT_ONCE))) {
        ssize_t n = read(fd, at, READ_AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        out->len += (size_t)n;
    }
    errno = EFBIG;
    return false;
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
