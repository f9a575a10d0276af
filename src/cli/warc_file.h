/* WARC files that a command line names. */
#ifndef CLI_WARC_FILE_H
#define CLI_WARC_FILE_H

#include <stdbool.h>

/* Open it for reading. Returns 0, or the exit status after one line that says
 * what is wrong: it is no regular file, or a package. */
int warc_file_open(const char *path, int *fd);

bool warc_file_is_empty(int fd);

#endif
