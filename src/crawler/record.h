/* The record of the crawl, as the crawler thread writes it.
 *
 * The life of a batch: events add rows to the open batch. About once a second,
 * or after a few hundred fetches, record_tick closes it and puts it to the
 * committer (crawler/committer.h). The committer's thread makes the saved pages
 * durable, commits the batch to the store and reports back, while the next
 * batch fills. A page is done only then: its file, its outcome and its links
 * are all on the disk.
 *
 * Only the crawler thread uses it. A call with NULL does nothing.
 */
#ifndef CRAWLER_RECORD_H
#define CRAWLER_RECORD_H

#include "crawler/archivist.h"
#include "crawler/crawler.h"
#include "frontier/validator.h"
#include "store/facts.h"

struct record;

/* NULL with `error` if the committer's thread cannot start. The options have a
 * store, and the frontier was told to keep lists of its changes. The archivist
 * may be NULL. */
struct record *record_new(const struct crawl_options *options,
                          struct frontier *frontier,
                          struct archivist *archivist, uint64_t now_ms,
                          struct store_error *error);
void record_free(struct record *record);

/* --- events ------------------------------------------------------------- */

/* A URL was judged for the first time; the end of one was taken back. */
void record_judged(struct record *record, const struct judged *judged);
void record_withdrawal(struct record *record, uint64_t number, uint64_t now_ms);

/* The fetch of a page, a sitemap or a requisite has ended; call it before the
 * frontier is told. `page_id` is 0 if no page was saved, `wait_ms` the time to
 * the next try or 0, `pause_ms` the pause of the host. */
void record_fetch(struct record *record, const struct job *job,
                  uint32_t page_id, uint64_t wait_ms, uint64_t pause_ms);

/* A URL that is done has another depth now. */
void record_nearer(struct record *record, const struct store_change *row);

void record_refusal(struct record *record, const struct target *target,
                    uint64_t now_ms);

/* The fetch of a robots.txt has ended. Its answer is valid for `known_ms`; 0:
 * it was no answer. */
void record_robots(struct record *record, const struct job *job,
                   struct str host, uint64_t known_ms, uint64_t pause_ms);

/* An exchange was kept in the archive. */
void record_capture(struct record *record, const struct kept_rows *rows);

/* The user gave an order. */
void record_order(struct record *record, const struct store_hand_order *row);

/* A link of the page that was fetched; `page_id` is 0 where that was read and
 * not saved. */
void record_link(struct record *record, const struct job *job, uint32_t page_id,
                 const struct page_link *link, enum verdict verdict);

/* A seed redirected to this URL, and the scope grew with it. `number` counts
 * such URLs from 0.
 */
void record_moved(struct record *record, size_t number, struct str url);

/* The statements of a page about itself, if they are known. */
void record_content(struct record *record, uint32_t page_id,
                    const struct page_content *content);

/* Settings of the crawl, and new seeds. */
void record_facts(struct record *record, const struct store_batch *facts);

void record_fact(struct record *record, enum fact fact, uint64_t number);

/* Pages up to this one are old (page/pagesaver.h); 0: none. */
void record_old_pages(struct record *record, uint32_t last);

/* Close the batch at the next record_tick. */
void record_at_once(struct record *record);

/* Is everything so far on the disk? Then nobody uses the store, until the next
 * batch is closed. */
bool record_is_settled(const struct record *record);

/* --- commits ------------------------------------------------------------ */

/* When record_tick has something to do next; UINT64_MAX: never. The descriptor
 * is readable when the committer has reported; -1: there is none. */
uint64_t record_due_ms(const struct record *record);
int record_fd(const struct record *record);

/* How long commits took. */
struct view_histogram record_commit_times(const struct record *record);

/* Is the open batch full, so that record_tick must be called now? */
bool record_is_full(const struct record *record);

/* Is so much uncommitted that no fetch may start until a commit? */
bool record_holds(const struct record *record);

/* Read the committer's reports, and close the batch if it is due. False with
 * `error` if a commit failed: the store stays as it was after the last one. */
bool record_tick(struct record *record, const struct stats *stats,
                 uint64_t now_ms, struct store_error *error);

/* Give everything so far to the committer, without waiting for it. False with
 * `error`. */
bool record_begin_commit(struct record *record, const struct stats *stats,
                         uint64_t now_ms, struct store_error *error);

/* Wait until everything that the committer was given is on the disk. False with
 * `error`. */
bool record_wait(struct record *record, struct store_error *error);

/* Both: commit everything so far, and wait for the disk. */
bool record_commit(struct record *record, const struct stats *stats,
                   uint64_t now_ms, struct store_error *error);

/* A record that was created aside replaces the old one. It waits for the disk,
 * once in a crawl. False with `error`. */
bool record_replace_old(struct record *record, struct store_error *error);

/* Commit everything, with how the crawl ended, and wait for the disk. Later
 * events are not recorded. */
bool record_end(struct record *record, const struct stats *stats,
                enum crawl_state state, uint64_t now_ms,
                struct store_error *error);

#endif
