/* The counters of a crawl as pairs of name and number, for the record and for
 * JSON. */
#ifndef CRAWLER_COUNTERS_H
#define CRAWLER_COUNTERS_H

#include "crawler/stats.h"

/* Every counter that is not 0, or may have gone back to 0. */
void stats_each(const struct stats *stats,
                void (*visit)(void *user, struct str name, uint64_t value),
                void *user);

/* The arrays among them, as JSON objects: "by_status", "by_outcome", ... */
void stats_put_tables(const struct stats *stats, struct buf *out);

/* Set the counter of that name; false where there is none. */
bool stats_set(struct stats *stats, struct str name, uint64_t value);

#endif
