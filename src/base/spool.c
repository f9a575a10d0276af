#include "base/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "base/io.h"
#include "base/mem.h"

enum { PIECE = 256 << 10 }; /* that is read at a time */

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

bool spool_each(const struct spool *spool, uint64_t from,
                bool (*each)(void *user, struct str piece), void *user)
{
    char *room = mem_new(PIECE);
    bool good = true;

    while (good && from < spool->len) {
        uint64_t left = spool->len - from;
        size_t len = left < PIECE ? (size_t)left : PIECE;

        good = spool_read(spool, from, room, len) &&
               each(user, (struct str){room, len});
        from += len;
    }
    int why = errno;
    free(room);
    errno = why;
    return good;
}

struct copy {
    int fd;
    uint64_t at;
};

static bool write_piece(void *user, struct str piece)
{
    struct copy *copy = user;
    uint64_t at = copy->at;

    copy->at += piece.len;
    return io_write_at(copy->fd, piece, at);
}

bool spool_copy(const struct spool *spool, uint64_t from, int fd, uint64_t at)
{
    struct copy copy = {fd, at};

    return spool_each(spool, from, write_piece, &copy);
}

static bool hash_piece(void *user, struct str piece)
{
    hash64_add(user, piece);
    return true;
}

bool spool_hash(const struct spool *spool, uint64_t seed, uint64_t *hash)
{
    struct hash64_pieces *pieces = hash64_begin(seed);
    bool good = spool_each(spool, 0, hash_piece, pieces);

    *hash = hash64_end(pieces);
    return good;
}
