#include "base/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

static struct spool *make(struct spools *spools)
{
    int fd = io_open_unnamed(spools->dir_fd);

    if (fd < 0)
        return NULL;
    struct spool *spool = NEW(struct spool);
    *spool = (struct spool){.of = spools, .fd = fd};
    atomic_fetch_add(&spools->count, 1);
    return spool;
}

struct spool *spool_new(struct spools *spools)
{
    errno = EMFILE;
    return spools->count < spools->max ? make(spools) : NULL;
}

struct spool *spool_beside(const struct spool *spool)
{
    return make(spool->of);
}

void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    int why = errno;
    close(spool->fd);
    atomic_fetch_sub(&spool->of->count, 1);
    free(spool);
    errno = why;
}

bool spool_put(struct spool *spool, struct str bytes)
{
    if (!io_write_at(spool->fd, bytes, spool->len))
        return false;
    spool->len += bytes.len;
    return true;
}

bool spool_read(const struct spool *spool, uint64_t at, char *to, size_t len)
{
    while (len) {
        ssize_t n = pread(spool->fd, to, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return false;
        at += (uint64_t)n;
        to += n;
        len -= (size_t)n;
    }
    return true;
}

bool spool_copy(const struct spool *spool, uint64_t from, int fd, uint64_t at)
{
    char *piece = mem_new(SPOOL_PIECE);
    bool good = true;

    while (good && from < spool->len) {
        uint64_t left = spool->len - from;
        size_t len = left < SPOOL_PIECE ? (size_t)left : SPOOL_PIECE;

        good = spool_read(spool, from, piece, len) &&
               io_write_at(fd, (struct str){piece, len}, at);
        from += len;
        at += len;
    }
    int why = errno;
    free(piece);
    errno = why;
    return good;
}
