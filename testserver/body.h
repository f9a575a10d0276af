/* Building the body of a site's entry, part by part.
 *
 * Texts are joined; what is repeated stays one copy and a number, so that a
 * body may be far larger than memory.
 */
#ifndef TESTSERVER_BODY_H
#define TESTSERVER_BODY_H

#include "base/arena.h"
#include "testserver/reply.h"

enum { BODY_MAX = 256 * 1024 * 1024 }; /* in memory */

struct body {
    struct arena *arena; /* what is finished lives here */
    struct buf text;     /* the last part, still growing */
    struct buf parts;    /* struct body_part, those before it */
};

void body_init(struct body *body, struct arena *arena);
void body_release(struct body *body);
void body_clear(struct body *body);

/* All of these return false where the body would pass BODY_MAX. */

/* `text` (not empty) so many times, or for ever with BODY_ENDLESS. */
bool body_repeat(struct body *body, struct str text, uint64_t times);

/* Lines with links; "%d" in the pattern becomes 1, 2, ... `count`. */
bool body_links(struct body *body, struct str pattern, uint64_t count);

/* Replace all of it with its coding (encode.h). */
bool body_encode(struct body *body, struct str coding);

/* What was built, in the arena; `body` is empty after. */
const struct body_part *body_finish(struct body *body, size_t *count);

/* Append `text` with its escapes \r \n \t \0 \\ \xHH decoded; false if there
 * is another one in it. */
bool body_unescape(struct str text, struct buf *out);

#endif
