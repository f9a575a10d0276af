/* The record that a revisit refers to: read its fields again. */
#ifndef CRAWLER_ORIGINAL_H
#define CRAWLER_ORIGINAL_H

#include "archive/warc_write.h"

/* Reads the first fields of records. */
struct original_reader;

struct original_reader *original_reader_new(void);
void original_reader_free(struct original_reader *reader);

/* Read the fields of the gzip member that begins at `at`: in the file, and
 * behind its end in `tail`, which begins at `tail_at`. True if it is a response
 * with all of the pair's payload, its status and its Content-Type: there are
 * readers that show a revisit with those of the original. Then `original` is
 * valid until the next call. */
bool original_read(struct original_reader *reader, int fd, uint64_t at,
                   struct str tail, uint64_t tail_at,
                   const struct warc_pair *pair,
                   struct warc_original *original);

#endif
