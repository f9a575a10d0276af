/* A descriptor that is written without waiting for its reader. Text that cannot
 * go out yet is kept; when much is kept, no more should be made for a while.
 *
 * The descriptor is standard output, which others may share: so it is not made
 * non-blocking. It is written only where poll says so, and to what is no file
 * at most PIPE_BUF bytes at a time, for which there is room then. */
#ifndef CRAWLER_OUTLET_H
#define CRAWLER_OUTLET_H

#include "base/buf.h"

struct outlet {
    int fd;
    bool is_file; /* never waits for a reader */
    struct buf kept;
    size_t written;   /* of those */
    uint64_t dropped; /* bytes */
    int error;        /* errno of the first write that failed, or 0 */

    /* Too much is kept, in the middle of a piece of work. Wait for the reader;
     * false: drop the line. NULL: drop it. */
    bool (*wait)(void *user);
    void *user;
};

void outlet_init(struct outlet *outlet, int fd);
void outlet_release(struct outlet *outlet);

/* Add text, whole or not at all. */
void outlet_put(struct outlet *outlet, struct str text);

/* Write what can be written now. False, with errno, if a write failed, now or
 * before: nothing is kept any more then. */
bool outlet_flush(struct outlet *outlet);

/* Drop what is kept. */
void outlet_drop(struct outlet *outlet);

/* How many bytes are kept? */
size_t outlet_kept(const struct outlet *outlet);

/* Is so much kept that no more should be made? */
bool outlet_is_full(const struct outlet *outlet);

#endif
