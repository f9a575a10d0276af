#include "crawler/payloads.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"

enum { FINGERPRINT_BITS = 36, CAPTURE_BITS = 28, AT_BITS = 44, FILE_BITS = 20 };

#define MASK(field) (((uint64_t)1 << field##_BITS) - 1)

struct payload_slot {
    uint64_t fingerprint : FINGERPRINT_BITS;
    uint64_t capture : CAPTURE_BITS; /* 0: the slot is free */
    uint64_t at : AT_BITS;
    uint64_t file : FILE_BITS;
};
static_assert(sizeof(struct payload_slot) == 16, "as the header says");

enum { ROOM_MIN = 64, CANDIDATES_MAX = 16 };

void payloads_init(struct payloads *payloads, uint64_t seed)
{
    *payloads = (struct payloads){.seed = seed};
}

void payloads_release(struct payloads *payloads)
{
    free(payloads->slot);
    *payloads = (struct payloads){0};
}

static uint64_t fingerprint_of(const struct payloads *payloads,
                               struct str digest)
{
    return hash64(digest, payloads->seed) >> (64 - FINGERPRINT_BITS);
}

/* How many slots have it? */
static size_t count_same(const struct payloads *payloads, uint64_t fingerprint)
{
    size_t count = 0, mask = payloads->room - 1;

    for (size_t i = (size_t)fingerprint & mask; payloads->slot[i].capture;
         i = (i + 1) & mask)
        count += payloads->slot[i].fingerprint == fingerprint;
    return count;
}

/* Slots are probed one after the other; there is always a free one. */
static void put(struct payloads *payloads, const struct payload_slot *slot)
{
    size_t mask = payloads->room - 1;
    size_t i = (size_t)slot->fingerprint & mask;

    while (payloads->slot[i].capture)
        i = (i + 1) & mask;
    payloads->slot[i] = *slot;
}

static void grow(struct payloads *payloads)
{
    struct payload_slot *old = payloads->slot;
    size_t room = payloads->room;

    payloads->room = room ? 2 * room : ROOM_MIN;
    payloads->slot = mem_array(payloads->room, sizeof(*payloads->slot));
    for (size_t i = 0; i < room; i++)
        if (old[i].capture)
            put(payloads, &old[i]);
    free(old);
}

void payloads_add(struct payloads *payloads, struct str digest,
                  const struct payload_place *place)
{
    if (!place->capture || place->capture >> CAPTURE_BITS ||
        place->at >> AT_BITS || place->file >> FILE_BITS)
        return;
    if (payloads->count >= payloads->room / 4 * 3)
        grow(payloads);
    const struct payload_slot slot = {
        .fingerprint = fingerprint_of(payloads, digest) & MASK(FINGERPRINT),
        .capture = place->capture & MASK(CAPTURE),
        .at = place->at & MASK(AT),
        .file = place->file & MASK(FILE),
    };
    if (count_same(payloads, slot.fingerprint) >= CANDIDATES_MAX)
        return;
    put(payloads, &slot);
    payloads->count++;
}

/* `*at` counts the slots that were looked at. */
bool payloads_find(const struct payloads *payloads, struct str digest,
                   size_t *at, struct payload_place *place)
{
    uint64_t fingerprint = fingerprint_of(payloads, digest);
    size_t mask = payloads->room - 1;

    while (payloads->room) {
        const struct payload_slot *slot =
            &payloads->slot[((size_t)fingerprint + (*at)++) & mask];
        if (!slot->capture)
            return false;
        if (slot->fingerprint != fingerprint)
            continue;
        *place = (struct payload_place){
            .at = slot->at,
            .file = (uint32_t)slot->file,
            .capture = (uint32_t)slot->capture,
        };
        return true;
    }
    return false;
}
