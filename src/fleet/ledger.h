/* The ledger of a fleet: every ended fetch as a row for people to read (table
 * `fetched`). The crawl itself never reads it. */
#ifndef FLEET_LEDGER_H
#define FLEET_LEDGER_H

#include "fleet/engine.h"
#include "store/batch.h"
#include "store/codes.h"

/* The rows of those fetches in the batches whose URL was kept
 * (store_add_fetched_url), in `arena`. Texts are borrowed from the batches. */
const struct fleet_fetched *ledger_rows(const struct store_batch *const *batch,
                                        size_t batches,
                                        const struct store_codes *codes,
                                        struct arena *arena, size_t *count);

#endif
