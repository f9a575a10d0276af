/* The record that a revisit refers to: read its fields again. */
#ifndef CRAWLER_ORIGINAL_H
#define CRAWLER_ORIGINAL_H

#include "archive/warc_write.h"

/* May an answer of this status be a revisit, or the original of one? A redirect
 * leads where its own head says, and there are readers that look at the head of
 * the original. */
static inline bool original_may_be(uint32_t status)
{
    return status / 100 != 3;
}

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
