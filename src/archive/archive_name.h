/* The names of an archive's files.
 *
 *     pageDirectory/archive/NAME         a complete file
 *     pageDirectory/archive/NAME.open    a file that may get more records
 */
#ifndef ARCHIVE_ARCHIVE_NAME_H
#define ARCHIVE_ARCHIVE_NAME_H

#include "base/str.h"

#define ARCHIVE_DIR         "archive"
#define ARCHIVE_OPEN_SUFFIX ".open"

/* Of NAME, at most; with ".open" it is as long as file systems allow. */
enum { ARCHIVE_NAME_LEN = 250 };

/* May a file of this name be opened? A name can come from a record or an index
 * that somebody else has written. It must not lead out of the directory. */
bool archive_name_is_safe(struct str name);

/* Open NAME, or NAME.open, in the directory of the files. -1 with errno. */
int archive_open_named(int archive_fd, struct str name, int flags);

/* The same, in archive/ below a page directory. */
int archive_open_below(int dir_fd, struct str name, int flags);

#endif
