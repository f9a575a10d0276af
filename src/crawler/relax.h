/* A URL that is done and then found at a smaller depth: its depth is relaxed,
 * as it is called in searches of graphs. Its own links are offered once more,
 * one deeper than it is now; so the set of URLs within --max-depth, and the
 * depth of each, do not depend on the order in which they were fetched.
 *
 * The validator notices such a URL (validator_keep_depths) and has it recorded
 * as found again. When nothing else is queued or in flight, a round begins: the
 * record is read through once for what became of these URLs, and they are taken
 * by ascending depth. A worker scans a page that was saved from its file; the
 * place to which a URL redirected is offered again; what was read and not saved
 * is fetched once more, politely, under a new number; of what failed or was
 * refused only the depth changes. Links that are offered so may relax others,
 * and the next round takes those. The crawl ends when a round leaves nothing.
 *
 * A change of depth is recorded in the batch that has the links, so a kill
 * before it repeats the URL. Without a record nothing is relaxed: the course's
 * form has none, and needs none, because it goes level by level.
 *
 * Only the crawler thread uses it.
 */
#ifndef CRAWLER_RELAX_H
#define CRAWLER_RELAX_H

#include "crawler/crawler_thread.h"

void relax_init(struct crawler *crawler);
void relax_release(struct crawler *crawler);

/* The crawl goes on deeper: begin with the links at the old limit. `last` is
 * the greatest number that a URL of the record has. */
void relax_deepen(struct crawler *crawler, uint64_t last);

/* A seed is added to a crawl that went level by level so far: learn the depths
 * of its URLs from the record. It waits for the disk. Without a record nothing
 * happens. */
void relax_learn_depths(struct crawler *crawler);

/* Are there URLs left to relax, known or noticed? They count as open. */
bool relax_is_open(const struct crawler *crawler);

/* May a round begin, or go on, so that nobody need wait? */
bool relax_is_due(const struct crawler *crawler);

/* Is a page with a worker for this? */
bool relax_is_in_flight(const struct crawler *crawler);

/* Begin a round if it is due, and go on with it as far as there is room. */
void relax_go_on(struct crawler *crawler);

/* A page was scanned again. */
void relax_handle(struct crawler *crawler, struct job *job);

#endif
