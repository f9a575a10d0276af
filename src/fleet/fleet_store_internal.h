/* The parts that the two files of fleet/fleet_store.h share. */
#ifndef FLEET_FLEET_STORE_INTERNAL_H
#define FLEET_FLEET_STORE_INTERNAL_H

#include <stdatomic.h>

#include "fleet/fleet_store.h"
#include "fleet/journal.h"
#include "store/store_type.h"

enum { TRY_AGAIN_MS = 500 }; /* an engine that is away */

struct fleet_store {
    struct store base;
    struct fleet_store_options options;
    struct journal *journal;
    uint32_t *epoch;       /* by partition; 0: it is not ours */
    uint64_t batch;        /* of the last commit */
    uint64_t pages;        /* saved in the directory */
    uint64_t sent, taken;  /* mails */
    atomic_bool is_fenced; /* this and the next: any thread may ask */
    _Atomic uint64_t renewed_ms;
    struct arena arena; /* of an answer */
    /* For reports: the moment they are of, and how many pages the machines
     * before each had then; behind the last the sum. */
    struct arena moment_arena;
    struct fleet_snapshot moment;
    uint32_t *offset;
    size_t machines;
    bool *lost; /* by machine: its pages are */
    size_t lost_room;
    struct found_part *found; /* by partition: those that were asked for */
    bool is_part_shown; /* the store has one slice, with this partition: */
    uint32_t shown;
};

static inline struct fleet_store *fleet_of(struct store *store)
{
    return (struct fleet_store *)store;
}

static inline const struct fleet_store *
fleet_of_const(const struct store *store)
{
    return (const struct fleet_store *)store;
}

/* --- fleet_store_read.c --------------------------------------------------- */

bool fleet_store_look(struct fleet_store *store,
                      struct fleet_snapshot *snapshot, struct arena *arena,
                      struct store_error *error);
unsigned fleet_store_slices(const struct store *base);
bool fleet_store_load(struct store *base, unsigned slice,
                      const struct store_reader *reader,
                      struct store_error *error);
bool fleet_store_find_url(struct store *base, uint64_t number,
                          struct store_url *url);
bool fleet_store_check(struct store *base,
                       void (*found)(void *user, const char *text), void *user,
                       struct store_error *error);
void fleet_store_forget_found(struct fleet_store *store);

#endif
