/* A store (store/store.h) over the engine of a fleet: the record of a machine's
 * crawl is in the engine, and nowhere else.
 *
 *     struct store *store = fleet_store_new(&options);
 *     store_load(store, slice, ...);       slice 0: settings, seeds, archives;
 *                                          slice 1 + p: partition p
 *     store_commit(store, ...);            one commit of the engine
 *     store_close(store);                  and the engine
 *
 * With its last commit the machine leaves, and gives up its partitions.
 * A commit waits for an engine that is away, for as long as `may_wait` allows,
 * and says so. It fails only then, if the machine is fenced, or if the engine
 * refuses for good.
 *
 * The store of a report is the same without a machine; it only reads.
 */
#ifndef FLEET_FLEET_STORE_H
#define FLEET_FLEET_STORE_H

#include "fleet/engine.h"
#include "store/store.h"

struct fleet_store_options {
    struct fleet_engine *engine; /* the store closes it */
    const char *label;           /* where it is, without a password */
    const struct domains *domains;
    const struct store_codes *codes;

    /* Of a machine that has joined; node 0: it only reads. */
    struct fleet_crawl crawl;
    uint32_t node, epoch;
    uint64_t incarnation;
    uint64_t pages;       /* saved in its directory so far */
    uint64_t sent, taken; /* mails, likewise */
    struct str figures;   /* as its last run left them, or empty */
    /* All machines when it joined: some may have lost their pages. */
    const struct fleet_snapshot *snapshot;
    uint64_t renew_every_ms; /* commit, if only to renew the lease */

    void *user; /* of these functions, each of which may be NULL */
    /* Once for each outage and minute, on the committer's thread; NULL: the
     * engine is back. */
    void (*away)(void *away_user, const char *why);
    void *away_user;
    /* May it still wait for an engine that is away? Asked twice a second. */
    bool (*may_wait)(void *user);
    /* Add to the commit: mail, claims, and so on. `batches` as record.c closed
     * them; 0: it only renews the lease. */
    void (*before_commit)(void *user, size_t batches,
                          struct fleet_commit *commit);
    /* It counted; the answer is valid during the call. */
    void (*after_commit)(void *user, const struct fleet_answer *answer);
};

struct store *fleet_store_new(const struct fleet_store_options *options);

/* The partition is ours from now on, under this epoch; 0: no longer. */
void fleet_store_own(struct store *store, uint32_t part, uint32_t epoch);

/* When the last commit that counted was sent, by clock_boot_ms. Any
 * thread may ask. */
uint64_t fleet_store_renewed_ms(const struct store *store);

/* Was the machine fenced? */
bool fleet_store_is_fenced(const struct store *store);

/* Read only, for reports: the crawl in the engine as it is now. It may be at
 * work: what is committed later is not read. The engine is closed also where it
 * is NULL, with `error`. */
struct store *fleet_store_open(struct fleet_engine *engine, const char *label,
                               const struct store_codes *codes,
                               struct store_error *error);

/* The moment that the store of a report is of. Pages of all machines are
 * numbered one after the other in it; so many come before those of `node`. */
const struct fleet_snapshot *fleet_store_moment(const struct store *store);
uint32_t fleet_store_pages_before(const struct store *store, uint32_t node);

/* From now on the store of a report has one slice: the crawl as a whole with
 * this partition alone. It is read from the engine once. Or all slices again.
 */
void fleet_store_show_part(struct store *store, uint32_t part);
void fleet_store_show_all(struct store *store);

/* The URL of a page, in `arena`, wherever its partition. False if nobody has
 * kept it (--ledger off), or the engine is away. */
bool fleet_store_find_page(struct store *store, uint32_t page, struct str *url,
                           struct arena *arena);

#endif
