#include "base/io.h"

#include <errno.h>

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
