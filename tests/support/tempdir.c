#include "support/tempdir.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void check(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

void tempdir_make(struct tempdir *dir)
{
    const char *parent = getenv("TMPDIR");

    if (!parent || strlen(parent) > 40)
        parent = "/tmp";
    snprintf(dir->path, sizeof(dir->path), "%s/crawler-XXXXXX", parent);
    check(mkdtemp(dir->path), dir->path);
    dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(dir->fd >= 0, dir->path);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

void tempdir_remove(struct tempdir *dir)
{
    struct dirent **entry;
    int count = scandir(dir->path, &entry, is_entry, by_name);

    for (int i = 0; i < count; i++) {
        if (unlinkat(dir->fd, entry[i]->d_name, 0))
            unlinkat(dir->fd, entry[i]->d_name, AT_REMOVEDIR);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    close(dir->fd);
    check(!rmdir(dir->path), dir->path);
}

int tempdir_setup(void **state)
{
    *state = malloc(sizeof(struct tempdir));
    tempdir_make(*state);
    return 0;
}

int tempdir_teardown(void **state)
{
    tempdir_remove(*state);
    free(*state);
    return 0;
}

void tempdir_write(const struct tempdir *dir, const char *name,
                   struct str bytes)
{
    int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    check(fd >= 0, name);
    check(write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len, name);
    close(fd);
}

void tempdir_mkdir(const struct tempdir *dir, const char *name)
{
    check(!mkdirat(dir->fd, name, 0755), name);
}

bool tempdir_read(const struct tempdir *dir, const char *name, struct buf *out)
{
    int fd = openat(dir->fd, name, O_RDONLY);
    ssize_t len = 1;

    if (fd < 0)
        return false;
    while (len > 0) {
        char *to = buf_reserve(out, 4096);
        check(to, name);
        len = read(fd, to, 4096);
        check(len >= 0, name);
        out->len += (size_t)len;
    }
    close(fd);
    return true;
}

void tempdir_expect(const struct tempdir *dir, const char *name,
                    struct str expected)
{
    struct buf got;

    buf_init(&got, 1 << 20);
    if (!tempdir_read(dir, name, &got))
        fail_msg("%s is not there", name);
    if (!str_eq(buf_str(&got), expected))
        fail_msg("%s: expected '%.*s', got '%s'", name, (int)expected.len,
                 expected.ptr, buf_cstr(&got));
    buf_release(&got);
}

const char *tempdir_list(const struct tempdir *dir)
{
    static _Thread_local char text[4096];
    struct dirent **entry;
    int count = scandir(dir->path, &entry, is_entry, by_name);
    size_t len = 0;

    check(count >= 0, dir->path);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (len < sizeof(text))
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s ",
                                    entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return text;
}
