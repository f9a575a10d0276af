/* The marks of a page: every '<', '>', '"' and '\'' in it, in order.
 *
 * They are found ahead of the tokenizer, a chunk of the page at a time. A
 * search that starts where the last one ended has to wait for its result; to
 * look at a list does not, and that makes the tokenizer half as fast again.
 */
#ifndef HTML_MARKS_H
#define HTML_MARKS_H

#include "base/str.h"

enum { MARKS_CHUNK = 4096, MARKS_SPARE = 64 };

/* Put the places of the marks of a chunk, at most MARKS_CHUNK bytes, into
 * `offset` and return how many there are. Up to MARKS_SPARE places after the
 * last one may be written too. */
typedef unsigned marks_finder(uint16_t *offset, const char *chunk,
                              unsigned len);

/* For every processor, and a faster one or NULL where this one lacks what that
 * needs. marks_init chooses; a test compares them. */
marks_finder marks_find;
marks_finder *marks_find_wide(void);

struct marks {
    marks_finder *find;
    const char *end; /* of the page */
    const char *chunk;
    const char *known; /* the marks of [chunk, known) are in `offset` */
    unsigned next, count;
    uint16_t offset[MARKS_CHUNK + MARKS_SPARE]; /* from `chunk` */
};

void marks_init(struct marks *marks, struct str page);

/* Find the marks of the next chunk that has any; false at the page's end. */
bool marks_refill(struct marks *marks);

/* Forget the marks before `at`, which is not before those taken already. */
void marks_seek(struct marks *marks, const char *at);

/* Take the next mark; at the page's end that is `end`. */
static inline const char *marks_take(struct marks *marks)
{
    if (marks->next == marks->count && !marks_refill(marks))
        return marks->end;
    return marks->chunk + marks->offset[marks->next++];
}

#endif
