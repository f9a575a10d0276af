#include "archive/archive_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"

bool archive_name_is_safe(struct str name)
{
    return name.len && name.len <= ARCHIVE_NAME_LEN && name.ptr[0] != '.' &&
           !memchr(name.ptr, '/', name.len) &&
           !memchr(name.ptr, '\0', name.len);
}

/* A crawl that is at work may take the ".open" away between two looks. */
int archive_open_named(int archive_fd, struct str name, int flags)
{
    static const char *const suffix[] = {"", ARCHIVE_OPEN_SUFFIX, ""};
    char path[ARCHIVE_NAME_LEN + sizeof(ARCHIVE_OPEN_SUFFIX)];
    int fd = -1;

    errno = EINVAL;
    if (!archive_name_is_safe(name))
        return -1;
    errno = ENOENT;
    for (size_t i = 0; i < 3 && fd < 0 && errno == ENOENT; i++) {
        snprintf(path, sizeof(path), "%.*s%s", STR_ARGS(name), suffix[i]);
        fd = openat(archive_fd, path, flags);
    }
    return fd;
}

int archive_open_below(int dir_fd, struct str name, int flags)
{
    int archive_fd =
        openat(dir_fd, ARCHIVE_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (archive_fd < 0)
        return -1;
    int fd = archive_open_named(archive_fd, name, flags);
    io_close(archive_fd);
    return fd;
}
