/* The one reading of a record: what became of each URL.
 *
 * A record is a journal, so what is known of a URL stands in several rows:
 * its own, those of its fetches, of a refusal when its turn came, of pages
 * where it was found again. The rules by which they make one answer:
 *
 *   - of several changes of depth, referrer and count the last one counts;
 *   - a fetch with no time to try again, and a refusal, end a URL; a refusal
 *     with verdict 0 withdraws its row: a later number has the URL;
 *   - how it ended follows from the verdict and the outcome (store/codes.h);
 *     a refusal at its turn counts before the fetches that came before it.
 *
 * Memory: 8 bytes a URL, 16 more for one that was found again, 4 for pages.
 */
#ifndef STORE_FOLD_H
#define STORE_FOLD_H

#include "store/store.h"

/* What became of one URL. */
struct url_record {
    const struct store_url *row; /* as it was first seen */
    enum url_end end;
    uint32_t depth, referrer, found, referrer_machine; /* the latest */
    bool ended;        /* by a fetch or by a refusal at its turn */
    uint8_t ends;      /* how often it did; more than once is a contradiction */
    uint32_t page;     /* the number it was saved under, or 0; if asked for */
    uint8_t fetches;   /* 255: or more */
    uint8_t tries;     /* those of them that ended by themselves */
    uint8_t outcome;   /* of the last fetch; without one why its host was given
                          up, if that is why it was refused at its turn */
    uint8_t verdict;   /* the last: of its own row, or at its turn */
    bool refused_late; /* when its turn came, or withdrawn */
};

/* The functions of a load (store/store.h), but URLs come folded.
 * `fetch`, `change` and `refusal` also get each row. A row whose URL is
 * missing is given to these functions only. They may end the load. */
struct fold_reader {
    struct store_reader rows; /* `url` and `begin` are not used */
    bool pages;               /* url_record.page is asked for */
    bool (*begin)(void *user, uint64_t urls, uint64_t last_number);
    bool (*url)(void *user, const struct url_record *url);
};

/* False with `error`. */
bool store_fold(struct store *store, unsigned slice,
                const struct fold_reader *reader, struct store_error *error);

#endif
