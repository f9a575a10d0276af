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

/* NULL with `problem` if it cannot be read, or if it is an index of files in
 * `replaced_fd` (-1: none): the archive of a crawl that this one replaces. */
struct dedup *dedup_open(const char *path, uint64_t hash_seed, int replaced_fd,
                         char problem[DEDUP_PROBLEM_MAX]);
void dedup_free(struct dedup *dedup);

/* Find the payload of the pair, with its status and Content-Type; an index has
 * only the MIME type of that. False, also without a `dedup`, if it is not
 * there. `original` is valid until the next call, or the next use of the
 * reader. */
bool dedup_find(struct dedup *dedup, struct original_reader *reader,
                const struct warc_pair *pair, struct warc_original *original);

#endif
