/* A spool: bytes that are too many for memory. They are in a file without a
 * name, which is gone with the program, however that ends.
 *
 *     struct spools spools = {.dir_fd = dir_fd, .max = 32};
 *     struct spool *spool = spool_new(&spools);
 *     spool_put(spool, bytes);
 *     spool_read(spool, 0, room, len);
 *     spool_free(spool);
 *
 * One thread at a time may put; what was put may be read by several.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include <stdatomic.h>

#include "base/str.h"

/* Where spools are made, and how many there may be at a time: each is an open
 * file. Shared by all threads. */
struct spools {
    int dir_fd;
    unsigned max;
    atomic_uint count;
    atomic_uint waiting; /* who would make one if there were fewer */
};

struct spool {
    struct spools *of;
    int fd;
    uint64_t len;
};

/* NULL with errno. EMFILE: there are `max` already. */
struct spool *spool_new(struct spools *spools);

/* Another one, also if there are `max` already: it will be made of this one and
 * then take its place. NULL with errno. */
struct spool *spool_beside(const struct spool *spool);
void spool_free(struct spool *spool); /* NULL is allowed */

/* Append. False with errno: then nothing was. */
bool spool_put(struct spool *spool, struct str bytes);

/* Read so many bytes, which are there. False with errno. */
bool spool_read(const struct spool *spool, uint64_t at, char *to, size_t len);

/* Read the bytes from `from` to `to`, which are there, piece by piece. False
 * with errno, or if `each` is false. */
bool spool_each(const struct spool *spool, uint64_t from, uint64_t to,
                bool (*each)(void *user, struct str piece), void *user);

/* hash64 of all bytes. False with errno. */
bool spool_hash(const struct spool *spool, uint64_t seed, uint64_t *hash);

/* Write the bytes from `from` to `to` to another file, to the place `at`. The
 * position of `fd` stays. False with errno. */
bool spool_copy(const struct spool *spool, uint64_t from, uint64_t to, int fd,
                uint64_t at);

#endif
