/* The syncer: makes the pages that were saved last, while the mind goes on. One
 * thread that waits, one sync at a time. */
#ifndef CRAWLER_SYNCER_H
#define CRAWLER_SYNCER_H

#include "page/pagesaver.h"

struct syncer;

struct syncer *syncer_start(struct pagesaver *saver);
void syncer_free(struct syncer *syncer); /* waits for what is under way */

/* All that was committed before this call shall last; one at a time. */
void syncer_begin(struct syncer *syncer);

/* Readable when it has been done. */
int syncer_fd(const struct syncer *syncer);

/* True where it has ended; `*error` is 0 or an errno. With `wait` it waits for
 * that. Only between syncer_begin and the first true. */
bool syncer_is_done(struct syncer *syncer, bool wait, int *error);

#endif
