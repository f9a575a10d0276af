/* A batch: rows that become durable together, all or none. */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include "store/rows.h"

/* An array that grows, of the structs of one kind. */
struct store_rows {
    void *item;
    size_t count, room;
};

/* The URL of a row of fetch. It is not part of the record, which has it
 * under the URL's number; the ledger of a fleet shows it to people. */
struct store_fetched_url {
    size_t fetch; /* index of the row */
    struct str url;
    uint32_t depth;
};

struct store_batch {
    struct arena text; /* of all rows */
    struct store_rows rows[ROW_KINDS];
    struct store_rows fetched_url; /* in the order of their fetches */
};

void store_batch_init(struct store_batch *batch);
void store_batch_release(struct store_batch *batch);
void store_batch_clear(struct store_batch *batch);
size_t store_batch_count(const struct store_batch *batch); /* of rows */
size_t store_batch_bytes(const struct store_batch *batch); /* of memory */

/* `row` is a struct of that kind; its texts are copied. */
void store_add(struct store_batch *batch, enum row_kind kind, const void *row);

/* The fetch that was added last was of this URL. */
void store_add_fetched_url(struct store_batch *batch, struct str url,
                           uint32_t depth);

/* store_add_url(batch, &row), store_add_fetch(batch, &row), ... */
#define KIND(kind)                                                             \
    static inline void store_add_##kind(struct store_batch *batch,             \
                                        const struct store_##kind *row)        \
    {                                                                          \
        store_add(batch, ROW_##kind, row);                                     \
    }
#include "store/rows.def"

#endif
