#include "testserver/readfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { STEP = 64 * 1024 };

static bool read_all(int fd, struct buf *out)
{
    for (;;) {
        char *at = buf_reserve(out, STEP);
        ssize_t n = at ? read(fd, at, STEP) : -1;

        if (!at)
            errno = EFBIG;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        out->len += (size_t)n;
    }
}

bool readfile(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    bool good = read_all(fd, out);
    int why = errno;
    close(fd);
    errno = why;
    return good;
}
