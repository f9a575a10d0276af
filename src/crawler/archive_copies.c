#include "crawler/archive_copies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

enum { SLICE = 64 << 20 };

struct archive_copy {
    struct archive_copy *next;
    struct spool *spool;
    uint64_t from, at;
    int fd; /* its own: the archivist may have closed the file meanwhile */
};

void archive_copies_init(struct archive_copies *copies)
{
    *copies = (struct archive_copies){.end = &copies->first};
    pthread_mutex_init(&copies->lock, NULL);
}

static void free_copy(struct archive_copy *copy)
{
    io_close(copy->fd);
    spool_free(copy->spool);
    free(copy);
}

static struct archive_copy *take_first(struct archive_copies *copies)
{
    pthread_mutex_lock(&copies->lock);
    struct archive_copy *copy = copies->first;
    if (copy)
        copies->first = copy->next;
    if (!copies->first)
        copies->end = &copies->first;
    pthread_mutex_unlock(&copies->lock);
    return copy;
}

void archive_copies_release(struct archive_copies *copies)
{
    struct archive_copy *copy;

    while ((copy = take_first(copies)))
        free_copy(copy);
    pthread_mutex_destroy(&copies->lock);
}

bool archive_copies_put(struct archive_copies *copies, int fd, uint64_t at,
                        struct spool *spool, uint64_t from)
{
    int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    if (own_fd < 0)
        return false;
    struct archive_copy *copy = NEW(struct archive_copy);
    *copy = (struct archive_copy){
        .spool = spool, .from = from, .at = at, .fd = own_fd};
    pthread_mutex_lock(&copies->lock);
    *copies->end = copy;
    copies->end = &copy->next;
    pthread_mutex_unlock(&copies->lock);
    return true;
}

bool archive_copies_wait(struct archive_copies *copies)
{
    pthread_mutex_lock(&copies->lock);
    bool wait = copies->first;
    pthread_mutex_unlock(&copies->lock);
    return wait;
}

int archive_copies_error(struct archive_copies *copies)
{
    pthread_mutex_lock(&copies->lock);
    int why = copies->why;
    pthread_mutex_unlock(&copies->lock);
    return why;
}

static void fail(struct archive_copies *copies, int why)
{
    pthread_mutex_lock(&copies->lock);
    if (!copies->why)
        copies->why = why;
    pthread_mutex_unlock(&copies->lock);
}

/* Slice by slice, each of which goes to the disk: others who write there, and
 * the sync of all files after this, need not wait for gigabytes. */
static bool write_copy(struct archive_copy *copy, void (*between)(void *user),
                       void *user)
{
    uint64_t len = copy->spool->len;
    bool good = true;

    while (good && copy->from < len) {
        uint64_t left = len - copy->from;
        uint64_t slice = left < SLICE ? left : SLICE;

        good = spool_copy(copy->spool, copy->from, copy->from + slice, copy->fd,
                          copy->at) &&
               (left == slice || !fdatasync(copy->fd));
        copy->from += slice;
        copy->at += slice;
        between(user);
    }
    return good;
}

bool archive_copies_write(struct archive_copies *copies,
                          void (*between)(void *user), void *user)
{
    struct archive_copy *copy;

    while ((copy = take_first(copies))) {
        if (!archive_copies_error(copies) && !write_copy(copy, between, user))
            fail(copies, errno);
        free_copy(copy);
    }
    errno = archive_copies_error(copies);
    return !errno;
}
