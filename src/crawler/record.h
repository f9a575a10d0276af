/* The record: what the crawler thread tells the store.
 *
 * Events gather in a batch. Every so often, or every few hundred pages, the
 * batch is closed and handed to the committer (crawler/committer.h), which
 * makes the page files and the rows durable while the next batch fills: a page
 * is done only when its file, its outcome and its links are all there to stay.
 *
 * Only the crawler thread uses it. A call with NULL does nothing.
 */
#ifndef CRAWLER_RECORD_H
#define CRAWLER_RECORD_H

#include "crawler/stats.h"
#include "crawler/worker.h"
#include "frontier/validator.h"
#include "store/facts.h"
#include "url/domain.h"

struct record;

struct record_options {
    struct store *store;
    const struct domains *domains;
    struct pagesaver *saver; /* what is committed there is made to last */
    bool links;              /* remember every link of every page */
    uint64_t save_every_ms;
};

/* NULL with `error` if the side thread cannot start. The frontier must have
 * been told to keep lists of its changes. */
struct record *record_new(const struct record_options *options,
                          struct frontier *frontier, uint64_t now_ms,
                          struct store_error *error);
void record_free(struct record *record);

/* --- events ------------------------------------------------------------- */

/* A URL was judged for the first time; a refusal was taken back. */
void record_judged(struct record *record, const struct judged *judged);
void record_withdrawal(struct record *record, uint64_t number, uint64_t now_ms);

/* Before the frontier is told: the fetch of a page or a sitemap has ended.
 * `page_id` is 0 where none was saved; `wait_ms` the time to the next try, 0
 * for none; `pause_ms` what its host is given. */
void record_fetch(struct record *record, const struct job *job,
                  uint32_t page_id, uint64_t wait_ms, uint64_t pause_ms);

void record_refusal(struct record *record, const struct target *target,
                    uint64_t now_ms);

/* `known_ms`: how long the answer counts; 0: it was none. */
void record_robots(struct record *record, const struct job *job,
                   struct str host, uint64_t known_ms, uint64_t pause_ms);

void record_link(struct record *record, uint32_t page_id,
                 const struct page_link *link, enum verdict verdict);

/* Settings of the crawl. */
void record_facts(struct record *record, const struct store_batch *facts);

/* Pages up to this one are old (page/pagesaver.h); 0: none. */
void record_old_pages(struct record *record, uint32_t last);

/* A server told when to come back: that must not be forgotten. */
void record_at_once(struct record *record);

/* --- commits ------------------------------------------------------------ */

/* When record_tick has something to do next, UINT64_MAX: nothing; and what
 * else to wait on, -1: nothing. */
uint64_t record_due_ms(const struct record *record);
int record_fd(const struct record *record);

/* It has so much that record_tick must not be put off. */
bool record_is_full(const struct record *record);

/* So much is not committed that no more may be fetched for now. */
bool record_holds(const struct record *record);

/* Hear from the committer, and hand it the batch if it is time. False with
 * `error` if a commit failed: the store stays as it was at the last one. */
bool record_tick(struct record *record, const struct stats *stats,
                 uint64_t now_ms, struct store_error *error);

/* Commit everything so far, and wait for the disk. False with `error`. */
bool record_commit(struct record *record, const struct stats *stats,
                   uint64_t now_ms, struct store_error *error);

/* A record that was created aside takes the place of the one before: waits for
 * the disk, once in a crawl. False with `error`. */
bool record_replace_old(struct record *record, struct store_error *error);

/* Everything, now, with how the crawl ended; waits for the disk. */
bool record_end(struct record *record, const struct stats *stats,
                enum crawl_state state, uint64_t now_ms,
                struct store_error *error);

#endif
