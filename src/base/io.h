/* Writing to a descriptor until all is written. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <sys/uio.h>

/* Write all bytes of the `count` parts, however often the kernel takes only
 * some of them. `part` is changed on the way. False with errno. */
bool io_write_all(int fd, struct iovec part[], int count);

#endif
