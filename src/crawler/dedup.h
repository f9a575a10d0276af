/* The payloads of other archives: a revisit can refer to them.
 *
 * They are those of the crawl in another page directory, or those that a CDXJ
 * index lists. Only places are in memory; a record's fields, or the line of the
 * index, are read again when they are needed. */
#ifndef CRAWLER_DEDUP_H
#define CRAWLER_DEDUP_H

#include "crawler/original.h"

struct dedup;

enum { DEDUP_PROBLEM_MAX = 300 };

/* NULL with `problem` if it cannot be read. */
struct dedup *dedup_open(const char *path, uint64_t hash_seed,
                         char problem[DEDUP_PROBLEM_MAX]);
void dedup_free(struct dedup *dedup);

/* Find the payload. False, also without a `dedup`, if it is not there.
 * `original` is valid until the next call, or the next use of the reader. */
bool dedup_find(struct dedup *dedup, struct original_reader *reader,
                struct str digest, struct warc_original *original);

#endif
