/* The record: what the mind tells the store.
 *
 * Events gather in a batch. Every so often, or every thousand pages, the batch
 * is closed: the page files are made to last, and then the batch is committed,
 * so that a page is done only when its file, its outcome and its links are
 * all there to stay. Meanwhile the next batch fills.
 *
 * Only the mind's thread uses it. Without a store every call does nothing.
 */
#ifndef CRAWLER_RECORD_H
#define CRAWLER_RECORD_H

#include "crawler/hand.h"
#include "crawler/stats.h"
#include "frontier/validator.h"
#include "store/store.h"
#include "url/domain.h"

struct record;

struct record_options {
    struct store *store; /* or NULL */
    const struct domains *domains;
    struct pagesaver *saver; /* what is committed there is made to last */
    bool links;              /* remember every link of every page */
    uint64_t save_every_ms;
};

/* NULL where there is no store. The frontier must have been told to keep lists
 * of its changes. */
struct record *record_new(const struct record_options *options,
                          struct frontier *frontier, uint64_t now_ms);
void record_free(struct record *record);

/* --- events ------------------------------------------------------------- */

/* For a validator_listener. */
void record_judged(void *record, const struct offer *offer,
                   const struct queued *queued, enum verdict verdict,
                   unsigned line);

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

/* A server told when to come back: that must not be forgotten. */
void record_at_once(struct record *record);

/* --- commits ------------------------------------------------------------ */

/* When record_tick has something to do next, UINT64_MAX: nothing; and what
 * else to wait on, -1: nothing. */
uint64_t record_due_ms(const struct record *record);
int record_fd(const struct record *record);

/* It has so much that record_tick must not be put off. */
bool record_is_full(const struct record *record);

/* Close and commit batches as the time has come. False with `error` where that
 * failed: the store stays as it was at the last commit. */
bool record_tick(struct record *record, const struct stats *stats,
                 uint64_t now_ms, struct store_error *error);

/* Everything, now, with the crawl's state ("finished", ...). */
bool record_end(struct record *record, const struct stats *stats,
                const char *state, uint64_t now_ms, struct store_error *error);

#endif
