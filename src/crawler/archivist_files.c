#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/date.h"
#include "base/io.h"
#include "base/mem.h"
#include "crawler/archivist_internal.h"

/* The files of the archive: their names, and how a resume finds them. */

enum { CREATE_TRIES = 1000, STAMP_LEN = DATE_DIGITS_LEN, SERIAL_LEN = 5 };

/* One syncfs of the page directory makes the archive durable too. */
static bool is_beside(int archive_fd, int dir_fd)
{
    struct stat archive, dir;

    if (fstat(archive_fd, &archive) || fstat(dir_fd, &dir))
        return false;
    errno = EXDEV;
    return archive.st_dev == dir.st_dev;
}

bool archive_open_dir(struct archivist *archivist)
{
    int dir_fd = archivist->options->dir_fd;

    if (archivist->archive_fd >= 0)
        return true;
    if (!mkdirat(dir_fd, ARCHIVE_DIR, 0777))
        archivist->made_dir = true;
    else if (errno != EEXIST)
        return false;
    int fd = openat(dir_fd, ARCHIVE_DIR,
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && !is_beside(fd, dir_fd)) {
        io_close(fd);
        return false;
    }
    archivist->archive_fd = fd;
    return fd >= 0;
}

const char *archivist_strerror(int why)
{
    switch (why) {
    case EXDEV:
        return "it must be on the file system of the page directory";
    case ENOTDIR:
    case ELOOP:
        return "it must be a directory, and no link to one";
    default:
        return strerror(why);
    }
}

struct archive_file *archive_add(struct archivist *archivist)
{
    archivist->file = mem_grow(archivist->file, archivist->files,
                               &archivist->file_room, sizeof(*archivist->file));
    struct archive_file *file = &archivist->file[archivist->files++];
    *file = (struct archive_file){0};
    return file;
}

const char *archive_path(const struct archive_file *file,
                         char path[ARCHIVE_NAME_MAX + 1])
{
    snprintf(path, ARCHIVE_NAME_MAX + 1, "%.*s%s", ARCHIVE_NAME_LEN, file->name,
             file->is_open ? ARCHIVE_OPEN_SUFFIX : "");
    return path;
}

static bool exists(const struct archivist *archivist, const char *name)
{
    return !faccessat(archivist->archive_fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Nobody else's file is opened, neither under this name nor under the one that
 * it gets when it is complete. */
static int try_name(struct archivist *archivist, struct archive_file *file,
                    const char *stamp)
{
    char path[ARCHIVE_NAME_MAX + 1];

    snprintf(file->name, sizeof(file->name), "%.*s-%s-%0*u" ARCHIVE_SUFFIX,
             ARCHIVE_NAME_MAX / 2, archivist->options->name, stamp, SERIAL_LEN,
             (unsigned)archivist->serial++);
    if (exists(archivist, file->name)) {
        errno = EEXIST;
        return -1;
    }
    return openat(archivist->archive_fd, archive_path(file, path),
                  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool archive_create(struct archivist *archivist, uint64_t wall_ms)
{
    struct archive_file file = {.is_open = true};
    int fd = -1;

    if (!archive_open_dir(archivist))
        return false;
    for (int tries = 0; fd < 0 && tries < CREATE_TRIES; tries++) {
        fd = try_name(archivist, &file, date_digits(wall_ms).text);
        if (fd < 0 && errno != EEXIST)
            return false;
    }
    if (fd < 0)
        return false;
    *archive_add(archivist) = file;
    archivist->fd = fd;
    return true;
}

bool archive_complete(struct archivist *archivist, struct archive_file *file)
{
    int dir_fd = archivist->archive_fd;
    char path[ARCHIVE_NAME_MAX + 1];

    if (!file->is_open)
        return true;
    archive_path(file, path);
    if (renameat2(dir_fd, path, dir_fd, file->name, RENAME_NOREPLACE)) {
        /* The file system has no RENAME_NOREPLACE: look first. */
        if ((errno != EINVAL && errno != ENOSYS) ||
            exists(archivist, file->name) ||
            renameat(dir_fd, path, dir_fd, file->name))
            return false;
    }
    file->is_open = false;
    return true;
}

void archive_remove_old(int dir_fd, const struct archive_old *old)
{
    char path[ARCHIVE_NAME_MAX + 1];

    if (!old)
        return;
    int archive_fd = openat(dir_fd, ARCHIVE_DIR,
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (archive_fd < 0)
        return;
    for (; old; old = old->next) {
        snprintf(path, sizeof(path), "%s" ARCHIVE_OPEN_SUFFIX, old->name);
        unlinkat(archive_fd, old->name, 0);
        unlinkat(archive_fd, path, 0);
    }
    close(archive_fd);
    unlinkat(dir_fd, ARCHIVE_DIR, AT_REMOVEDIR); /* if it is empty */
}

/* --- a crawl goes on ---------------------------------------------------- */

static const char *remedy(const struct archivist *archivist)
{
    return archivist->options->may_be_set_back
               ? "tell the fleet that it is gone: crawler lost"
               : "use --restart";
}

static bool say(const struct archivist *archivist,
                char problem[ARCHIVIST_PROBLEM_MAX], const char *name,
                uint64_t size, uint64_t length)
{
    snprintf(problem, ARCHIVIST_PROBLEM_MAX,
             ARCHIVE_DIR "/%s has %llu bytes, but %llu are recorded; put the "
                         "file back as it was, or %s",
             name, (unsigned long long)size, (unsigned long long)length,
             remedy(archivist));
    return false;
}

static bool find_file(struct archivist *archivist, struct archive_file *file,
                      struct stat *st, char problem[ARCHIVIST_PROBLEM_MAX])
{
    char path[ARCHIVE_NAME_MAX + 1];

    file->is_open = true;
    if (fstatat(archivist->archive_fd, archive_path(file, path), st,
                AT_SYMLINK_NOFOLLOW))
        file->is_open = false;
    if (!file->is_open &&
        fstatat(archivist->archive_fd, archive_path(file, path), st,
                AT_SYMLINK_NOFOLLOW)) {
        snprintf(problem, ARCHIVIST_PROBLEM_MAX,
                 ARCHIVE_DIR "/%s is missing; put the file back, or %s",
                 file->name, remedy(archivist));
        return false;
    }
    if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size < file->length)
        return say(archivist, problem, path, (uint64_t)st->st_size,
                   file->length);
    return true;
}

/* Cut off what was not committed; -1 with errno. */
static int open_to_go_on(struct archivist *archivist,
                         const struct archive_file *file)
{
    char path[ARCHIVE_NAME_MAX + 1];
    int fd = openat(archivist->archive_fd, archive_path(file, path),
                    O_RDWR | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || !ftruncate(fd, (off_t)file->length))
        return fd;
    close(fd);
    return -1;
}

/* The last file goes on, an earlier one is complete. */
static bool go_on_with(struct archivist *archivist, size_t index,
                       char problem[ARCHIVIST_PROBLEM_MAX])
{
    struct archive_file *file = &archivist->file[index];
    struct stat st;

    if (!find_file(archivist, file, &st, problem))
        return false;
    bool is_longer = archivist->options->may_be_set_back &&
                     (uint64_t)st.st_size > file->length;
    if (!file->is_open && !is_longer)
        return true;
    int fd = open_to_go_on(archivist, file);
    bool is_last = index + 1 == archivist->files;
    if (fd >= 0 && is_last && file->is_open) {
        archivist->fd = fd;
        archivist->written = file->length;
        return true;
    }
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && archive_complete(archivist, file))
        return true;
    snprintf(problem, ARCHIVIST_PROBLEM_MAX, ARCHIVE_DIR "/%s: %s", file->name,
             strerror(errno));
    return false;
}

/* Is it the name of a file that this crawl began, and of which no row was
 * committed? No other crawl was at work here since this one began, or the
 * record would be that one's. */
static bool is_leftover(const struct archivist *archivist, const char *text)
{
    struct str name = str_of(text), prefix = str_of(archivist->options->name);
    size_t open_len = 0;

    if (str_ends(name, STR(ARCHIVE_OPEN_SUFFIX)))
        open_len = sizeof(ARCHIVE_OPEN_SUFFIX) - 1;
    else if (!archivist->options->may_be_set_back)
        return false;
    name.len -= open_len;
    const struct str complete = name;
    if (name.len < prefix.len + sizeof(ARCHIVE_SUFFIX) - 1 ||
        !str_starts(name, prefix) || !str_ends(name, STR(ARCHIVE_SUFFIX)))
        return false;
    name = str_skip(name, prefix.len);
    name.len -= sizeof(ARCHIVE_SUFFIX) - 1;
    if (name.len < 1 + STAMP_LEN + 1 + SERIAL_LEN || name.ptr[0] != '-' ||
        name.ptr[1 + STAMP_LEN] != '-')
        return false;
    for (size_t i = 1; i < name.len; i++)
        if (i != 1 + STAMP_LEN && !ascii_is_digit(name.ptr[i]))
            return false;
    if (memcmp(name.ptr + 1, date_digits(archivist->options->begun_ms).text,
               STAMP_LEN) < 0)
        return false;
    for (size_t i = 0; i < archivist->files; i++)
        if (str_eq(str_of(archivist->file[i].name), complete))
            return false;
    return true;
}

static void remove_leftovers(struct archivist *archivist)
{
    int fd =
        openat(archivist->archive_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!list && fd >= 0)
        close(fd);
    while (list && (entry = readdir(list)))
        if (is_leftover(archivist, entry->d_name))
            unlinkat(archivist->archive_fd, entry->d_name, 0);
    if (list)
        closedir(list);
}

bool archivist_resume(struct archivist *archivist,
                      char problem[ARCHIVIST_PROBLEM_MAX])
{
    bool good = true;

    if (!archivist)
        return true;
    if (!archive_open_dir(archivist)) {
        snprintf(problem, ARCHIVIST_PROBLEM_MAX, ARCHIVE_DIR ": %s",
                 archivist_strerror(errno));
        archivist->is_usable = false;
        return false;
    }
    for (size_t i = 0; i < archivist->files && good; i++)
        good = go_on_with(archivist, i, problem);
    archivist->is_usable = good;
    if (!good)
        return false;
    archivist->first_open = archivist->files;
    if (archivist->fd >= 0)
        archivist->first_open--;
    archivist->committed = (struct archive_end){
        .file = (uint32_t)archivist->files,
        .length =
            archivist->files ? archivist->file[archivist->files - 1].length : 0,
    };
    remove_leftovers(archivist);
    return true;
}
