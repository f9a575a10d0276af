#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "base/buf.h"
#include "base/mem.h"
#include "cli/usage.h"
#include "page/pagedir.h"

enum { PATH_LEN_MAX = 8192, TRIES = 100 };

static int fail(const struct output_file *out, const char *doing)
{
    return complain_failure("cannot %s '%s': %s", doing, out->path,
                            strerror(errno));
}

/* "dir/" or "" of "dir/file". */
static struct str directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? str_between(path, slash + 1) : (struct str){path, 0};
}

/* The directory of a file that need not be there. -1 with errno. */
static int open_directory_of(const char *path, int flags)
{
    struct str directory = directory_of(path);
    char text[PATH_LEN_MAX];

    snprintf(text, sizeof(text), "%.*s", STR_ARGS(directory));
    return open(directory.len ? text : ".", flags | O_CLOEXEC, 0666);
}

/* Is it the folder of a crawl's archive? Its name is read from above, because a
 * link may lead to it. */
static bool is_archive(int fd)
{
    struct stat here, there;

    return !faccessat(fd, "../" PAGEDIR_MARK, F_OK, AT_SYMLINK_NOFOLLOW) &&
           !fstat(fd, &here) && !fstatat(fd, "../" ARCHIVE_DIR, &there, 0) &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Is it a name in the directory of a crawl that the crawl may use: for a page,
 * for its record or in its archive? The file need not be there. */
static bool is_of_crawl(const char *path)
{
    const char *name = path + directory_of(path).len;
    int fd = open_directory_of(path, O_PATH | O_DIRECTORY);

    if (fd < 0)
        return false;
    bool is_owned = is_archive(fd) ||
                    (pagedir_owns_name(name) &&
                     !faccessat(fd, PAGEDIR_MARK, F_OK, AT_SYMLINK_NOFOLLOW));
    close(fd);
    return is_owned;
}

/* A name beside the file, with another number at every call. */
static char *temp_name(const struct output_file *out, unsigned number)
{
    struct str directory = directory_of(out->path);
    const char *name = out->path + directory.len;
    char *text = mem_new(PATH_LEN_MAX);

    snprintf(text, PATH_LEN_MAX, "%.*s.%s.tmp-%ld-%u", STR_ARGS(directory),
             name, (long)getpid(), number);
    return text;
}

static int open_named(struct output_file *out)
{
    for (unsigned i = 0; i < TRIES; i++) {
        out->temp = temp_name(out, i);
        int fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        int why = errno;
        if (fd >= 0)
            return fd;
        free(out->temp);
        out->temp = NULL;
        errno = why;
        if (why != EEXIST)
            break;
    }
    return -1;
}

/* A link in /dev leads to an open file of this process. */
static bool is_written_into(const char *path)
{
    struct stat there, itself;

    if (stat(path, &there) || S_ISDIR(there.st_mode) || lstat(path, &itself))
        return false;
    return !S_ISREG(there.st_mode) ||
           (S_ISLNK(itself.st_mode) && !strncmp(path, "/dev/", 5));
}

int output_check(const char *path, enum output_mode mode)
{
    struct stat stat;

    if (!*path || strlen(path) > PATH_LEN_MAX / 2 ||
        path[strlen(path) - 1] == '/')
        return complain("'%s' is no name for a file", path);
    if (!strcmp(path, "-"))
        return complain("a file is needed here, not standard output ('-')");
    if (mode != OUTPUT_OWN && is_of_crawl(path))
        return complain("cannot write '%s': the name belongs to the crawl in "
                        "that directory",
                        path);
    if (lstat(path, &stat) || (mode == OUTPUT_INTO && is_written_into(path)))
        return 0;
    if (mode == OUTPUT_NEW)
        return complain("'%s' exists: name another file, or remove it", path);
    if (!S_ISREG(stat.st_mode))
        return complain("cannot write '%s': it is not a regular file", path);
    return 0;
}

int output_open(struct output_file *out, const char *path,
                enum output_mode mode)
{
    int status = output_check(path, mode);

    *out = (struct output_file){.path = path, .mode = mode, .fd = -1};
    if (status)
        return status;
    out->is_direct = mode == OUTPUT_INTO && is_written_into(path);
    /* A file without a name, where the file system can make one. */
    out->fd = out->is_direct
                  ? open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC)
                  : open_directory_of(path, O_TMPFILE | O_RDWR);
    if (out->fd < 0 && !out->is_direct &&
        (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        out->fd = open_named(out);
    if (out->fd < 0)
        return complain("cannot write '%s': %s", path, strerror(errno));
    return 0;
}

/* Give a file without a name the name `to`. */
static bool link_nameless(const struct output_file *out, const char *to)
{
    char self[64];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
    return !linkat(AT_FDCWD, self, AT_FDCWD, to, AT_SYMLINK_FOLLOW);
}

/* Some file systems have no hard links (EPERM, EOPNOTSUPP and others). Files
 * have names there from the start. */
static bool name_new(const struct output_file *out)
{
    if (!out->temp)
        return link_nameless(out, out->path);
    return !link(out->temp, out->path) ||
           (errno != EEXIST && !renameat2(AT_FDCWD, out->temp, AT_FDCWD,
                                          out->path, RENAME_NOREPLACE));
}

static bool publish(struct output_file *out)
{
    if (out->mode == OUTPUT_NEW)
        return name_new(out);
    for (unsigned i = 0; !out->temp && i < TRIES; i++) {
        out->temp = temp_name(out, i);
        if (link_nameless(out, out->temp))
            break;
        int why = errno;
        free(out->temp);
        out->temp = NULL;
        errno = why;
        if (why != EEXIST)
            return false;
    }
    return out->temp && !rename(out->temp, out->path);
}

int output_close(struct output_file *out, int status)
{
    if (!status && !out->is_direct && (fsync(out->fd) || !publish(out)))
        status = fail(out, "write");
    output_discard(out);
    return status;
}

/* A temporary name is gone after a rename. */
void output_discard(struct output_file *out)
{
    if (out->temp)
        unlink(out->temp);
    free(out->temp);
    out->temp = NULL;
    if (out->fd >= 0)
        close(out->fd);
    out->fd = -1;
}
