/* Records that are too large for memory, on their way into the archive.
 *
 * The crawler thread gives such a record its place and goes on. The thread that
 * commits writes the bytes there, before it commits the row that tells of them.
 * Until then there is a hole in the file, behind all that is committed.
 */
#ifndef CRAWLER_ARCHIVE_COPIES_H
#define CRAWLER_ARCHIVE_COPIES_H

#include <pthread.h>

#include "base/spool.h"

/* Shared by both threads. */
struct archive_copies {
    pthread_mutex_t lock;
    struct archive_copy *first, **end; /* in the order of their batches */
    int why; /* the errno of the first that could not be written, or 0 */
};

void archive_copies_init(struct archive_copies *copies);

/* Those that wait are given up. */
void archive_copies_release(struct archive_copies *copies);

/* The bytes of the spool from `from` on belong to the place `at` of the file.
 * False with errno; else `spool` is freed when that is done. */
bool archive_copies_put(struct archive_copies *copies, int fd, uint64_t at,
                        struct spool *spool, uint64_t from);

/* Are there any? */
bool archive_copies_wait(struct archive_copies *copies);

/* Write all that wait. That may take long: `between` is called now and then.
 * False with errno if one could not be written, now or before; then the others
 * are given up. */
bool archive_copies_write(struct archive_copies *copies,
                          void (*between)(void *user), void *user);

/* The errno of a write that failed, or 0. */
int archive_copies_error(struct archive_copies *copies);

#endif
