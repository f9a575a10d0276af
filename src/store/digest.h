/* The digest of rows: a number that depends on every value of every row so
 * far, and on their order. A record holds it for each kind after each commit,
 * so that a reader finds out whether it reads what was written. It guards
 * against decay, not against people: anyone can compute it. */
#ifndef STORE_DIGEST_H
#define STORE_DIGEST_H

#include "base/buf.h"
#include "store/rows.h"

struct digest {
    struct buf row; /* the values of one row, one after the other */
};

void digest_init(struct digest *digest);
void digest_release(struct digest *digest);

/* The digest after this row, where it was `before`. */
uint64_t digest_row(struct digest *digest, uint64_t before, enum row_kind kind,
                    const void *row);

/* The same for a text that is no row. */
uint64_t digest_text(uint64_t before, struct str text);

#endif
