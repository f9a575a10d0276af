/* Building the body of a site's entry, part by part.
 *
 * Texts are joined. A repeated text is kept as one copy and a number, so that
 * a body may be far larger than memory.
 */
#ifndef TESTSERVER_BODY_H
#define TESTSERVER_BODY_H

#include "base/mem.h"
#include "testserver/reply.h"

enum { BODY_MAX = 256 * 1024 * 1024 }; /* in memory */

struct body {
    struct arena *arena; /* finished parts live here */
    struct buf text;     /* the last part, still growing */
    struct buf parts;    /* struct body_part, the parts before it */
};

void body_init(struct body *body, struct arena *arena);
void body_release(struct body *body);
void body_clear(struct body *body);

/* These functions return false where the body would pass BODY_MAX. */

/* Add `text` (not empty) so many times, or for ever with BODY_ENDLESS. */
bool body_repeat(struct body *body, struct str text, uint64_t times);

/* Add lines with links; "%d" in the pattern becomes 1, 2, ... `count`. */
bool body_links(struct body *body, struct str pattern, uint64_t count);

/* Compress the whole body (encode.h). */
bool body_encode(struct body *body, struct str coding);

/* The parts that were built, in the arena; `body` is empty after. */
const struct body_part *body_finish(struct body *body, size_t *count);

/* Append `text` with its escapes \r \n \t \0 \\ \xHH decoded; false if it
 * has any other escape. */
bool body_unescape(struct str text, struct buf *out);

#endif
