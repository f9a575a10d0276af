#include "cli/warc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/usage.h"

static bool is_zip(int fd)
{
    char magic[4];

    return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
           !memcmp(magic, "PK\3\4", sizeof(magic));
}

static int refuse(const char *path, const char *why, int fd)
{
    close(fd);
    return complain("%s: %s", path, why);
}

int warc_file_open(const char *path, int *fd)
{
    struct stat about;

    /* A pipe would keep it waiting. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return complain("%s: %s", path, strerror(errno));
    if (fstat(*fd, &about) || !S_ISREG(about.st_mode))
        return refuse(path, "it is no regular file", *fd);
    if (is_zip(*fd))
        return refuse(path,
                      "it is a ZIP file, no WARC file; the WARC files of a "
                      "WACZ are in its folder archive/",
                      *fd);
    return 0;
}

bool warc_file_is_empty(int fd)
{
    struct stat about;

    return !fstat(fd, &about) && !about.st_size;
}
