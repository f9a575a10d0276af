/* A whole file into a buffer. */
#ifndef PLAYGROUND_READFILE_H
#define PLAYGROUND_READFILE_H

#include "base/buf.h"

/* Append the file; false and errno (EFBIG past the cap of `out`). */
bool readfile(const char *path, struct buf *out);

#endif
