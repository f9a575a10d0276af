/* ZIP files: entries that are stored or deflated, Zip64 where it is needed.
 *
 * Extra fields are in both headers of an entry or in none: a reader that
 * computes an offset from the name's length finds the bytes. */
#ifndef ARCHIVE_ZIP_H
#define ARCHIVE_ZIP_H

#include "base/buf.h"

/* --- writing ------------------------------------------------------------ */

struct zip_writer;

/* Write to an open file, from where it stands. NULL with errno. */
struct zip_writer *zip_writer_new(int fd);
void zip_writer_free(struct zip_writer *zip);

/* A stored entry whose bytes come piece by piece. At most `length_max` may
 * come, which decides whether it needs Zip64. False with errno. */
bool zip_begin(struct zip_writer *zip, const char *name, uint64_t length_max,
               uint64_t date_ms);
bool zip_add(struct zip_writer *zip, struct str bytes);
bool zip_end(struct zip_writer *zip);

/* A whole entry, deflated if that makes it smaller. */
bool zip_put(struct zip_writer *zip, const char *name, struct str bytes,
             uint64_t date_ms);

/* The directory at the end. */
bool zip_finish(struct zip_writer *zip);

/* --- reading ------------------------------------------------------------ */

struct zip_entry {
    struct str name; /* checked: relative, no "..", no control characters */
    uint64_t at;     /* of its bytes in the file */
    uint64_t packed; /* its bytes in the file */
    uint64_t length; /* its bytes unpacked */
    bool is_stored;
};

struct zip_reader;

/* Read the directory. NULL with a sentence in `problem`. */
struct zip_reader *zip_reader_open(int fd, const char **problem);
void zip_reader_free(struct zip_reader *zip);
size_t zip_count(const struct zip_reader *zip);
const struct zip_entry *zip_entry(const struct zip_reader *zip, size_t index);

#endif
