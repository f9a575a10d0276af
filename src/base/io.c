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
