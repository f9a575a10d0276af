/* The committer: the side thread that makes batches durable.
 *
 * Closed batches are handed to it in order. It makes the pages that were
 * saved last, commits all batches that wait in one transaction, and reports
 * back. The crawler thread never waits for the disk; it only stops handing out
 * fetches while too much is uncommitted (crawler/record.c).
 *
 * The two talk through mailboxes. Between committer_start and committer_free
 * the store is the committer's.
 */
#ifndef CRAWLER_COMMITTER_H
#define CRAWLER_COMMITTER_H

#include "page/pagesaver.h"
#include "store/store.h"

struct committer;

/* `saver` has the pages. NULL with `error` if there can be no thread. */
struct committer *committer_start(struct store *store, struct pagesaver *saver,
                                  struct store_error *error);

/* Waits for the batches that were handed over. */
void committer_free(struct committer *committer);

/* The batch, which is empty afterwards; `pages` were saved in it. */
void committer_put(struct committer *committer, struct store_batch *batch,
                   size_t pages);

/* Handed over and, as far as the crawler thread has heard, not committed. */
struct uncommitted {
    size_t batches, pages, bytes;
};
struct uncommitted committer_uncommitted(const struct committer *committer);

/* Readable when there is a report. */
int committer_fd(const struct committer *committer);

/* Take the reports. False with `error` if a commit has failed: nothing is
 * committed after it. */
bool committer_listen(struct committer *committer, struct store_error *error);

/* The same, after waiting for all batches that were handed over. */
bool committer_finish(struct committer *committer, struct store_error *error);

/* The same, and a record that was created aside takes its place. */
bool committer_take_place(struct committer *committer,
                          struct store_error *error);

#endif
