/* The delimiters of a page: every '<', '>', '"' and '\'' in it, in order.
 *
 * They are found ahead of the tokenizer, a chunk of the page at a time. A
 * search that starts where the last one ended has to wait for its result; to
 * look at a list does not, and that makes the tokenizer half as fast again.
 */
#ifndef WEB_DELIMITERS_H
#define WEB_DELIMITERS_H

#include "base/str.h"

enum { DELIMITERS_CHUNK = 4096, DELIMITERS_SPARE = 64 };

/* Put the offsets of the delimiters of a chunk, at most DELIMITERS_CHUNK bytes,
 * into `offset` and return how many there are. Up to DELIMITERS_SPARE offsets
 * after the last one may be written too. */
typedef unsigned delimiters_finder(uint16_t *offset, const char *chunk,
                                   unsigned len);

/* For every processor, and a faster one or NULL where this one lacks what that
 * needs. delimiters_init chooses; a test compares them. */
delimiters_finder delimiters_find;
delimiters_finder *delimiters_find_wide(void);

struct delimiters {
    delimiters_finder *find;
    const char *end; /* of the page */
    const char *chunk;
    const char *known; /* the delimiters of [chunk, known) are in `offset` */
    unsigned next, count;
    uint16_t offset[DELIMITERS_CHUNK + DELIMITERS_SPARE]; /* from `chunk` */
};

void delimiters_init(struct delimiters *delimiters, struct str page);

/* Find the delimiters of the next chunk that has any; false at the page's end.
 */
bool delimiters_refill(struct delimiters *delimiters);

/* Forget the delimiters before `at`, which is not before those taken already.
 */
void delimiters_seek(struct delimiters *delimiters, const char *at);

/* Take the next delimiter; at the page's end that is `end`. */
static inline const char *delimiters_take(struct delimiters *delimiters)
{
    if (delimiters->next == delimiters->count && !delimiters_refill(delimiters))
        return delimiters->end;
    return delimiters->chunk + delimiters->offset[delimiters->next++];
}

#endif
