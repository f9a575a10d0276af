/* Whole files in, whole buffers out, however often the kernel takes or gives
 * only a part. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <sys/uio.h>

#include "base/buf.h"

/* Write all bytes of the `count` parts. `part` is changed on the way. False
 * with errno. */
bool io_write_all(int fd, struct iovec part[], int count);

/* The same at a place of the file; its position stays. */
bool io_write_at(int fd, struct str bytes, uint64_t at);

/* A new file in this directory that has no name, so that nothing of it is left
 * behind. -1 with errno. */
int io_open_unnamed(int dir_fd);

/* Close it; errno stays as it is. */
void io_close(int fd);

/* Append all that can be read, or all of a file. False with errno, which is
 * EFBIG past the cap of `out`. */
bool io_read_all(int fd, struct buf *out);
bool io_read_file(const char *path, struct buf *out);

#endif
