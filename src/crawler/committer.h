/* The committer: the side thread that makes batches durable.
 *
 * It gets closed batches in order. It writes the large records of the archive,
 * syncs the saved pages, commits all
 * waiting batches in one transaction, and reports back. The crawler thread
 * waits for it at the end, and before the first page is saved; in between it
 * only starts no fetches while too much is uncommitted (crawler/record.c).
 *
 * The two threads talk through mailboxes. Between committer_start and
 * committer_free nobody else uses the store.
 */
#ifndef CRAWLER_COMMITTER_H
#define CRAWLER_COMMITTER_H

#include "page/pagesaver.h"
#include "store/store.h"
#include "view/snapshot.h"

struct archive_copies;
struct committer;

/* NULL with `error` if the thread cannot be started. `copies` is NULL without
 * an archive. */
struct committer *committer_start(struct store *store, struct pagesaver *saver,
                                  struct archive_copies *copies,
                                  struct store_error *error);

/* Commits the batches that it has first. */
void committer_free(struct committer *committer);

/* Commit this batch, in which `fetches` ended; `batch` is empty after. It
 * is forgotten if a commit has failed before, or after committer_end. */
void committer_put(struct committer *committer, struct store_batch *batch,
                   size_t fetches);

/* Given to the committer and not yet reported. */
struct uncommitted {
    size_t batches, fetches, bytes;
};
struct uncommitted committer_uncommitted(const struct committer *committer);

/* How long commits took, of those that were reported. */
struct view_histogram committer_times(const struct committer *committer);

/* Readable when there is a report. */
int committer_fd(const struct committer *committer);

/* Read the reports. False with `error` if a commit failed; nothing is
 * committed after that. */
bool committer_listen(struct committer *committer, struct store_error *error);

/* The same, after all batches are committed: waits for the disk. */
bool committer_finish(struct committer *committer, struct store_error *error);

/* Commit the last batch too, and end the thread. Nothing can be put after that.
 * It takes no more syncs than one commit, also if another commit is under way.
 */
bool committer_end(struct committer *committer, struct store_batch *last,
                   struct store_error *error);

/* Wait for all batches. Then a record that was created aside replaces the old
 * one. */
bool committer_replace_old(struct committer *committer,
                           struct store_error *error);

#endif
