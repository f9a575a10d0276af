/* The payloads that an archive has: where is the record with this digest?
 *
 * A table of 16 bytes a slot. It knows 36 bits of a fingerprint, so what it
 * finds is a candidate: the caller reads the record there, and asks for the
 * next candidate if it has another payload, or another status or type. A server
 * could send one payload under a new type each time, so there are few
 * candidates of a fingerprint: further ones are not added. */
#ifndef CRAWLER_PAYLOADS_H
#define CRAWLER_PAYLOADS_H

#include "base/str.h"

/* Where a record is. What does not fit is not added. */
struct payload_place {
    uint64_t at;      /* in its file; up to 2^44 */
    uint32_t file;    /* its number, or what the caller likes; up to 2^20 */
    uint32_t capture; /* the number of the capture, never 0; up to 2^28 */
};

struct payloads {
    struct payload_slot *slot;
    size_t count, room; /* room is 0 or a power of two */
    uint64_t seed;      /* of the fingerprints */
};

void payloads_init(struct payloads *payloads, uint64_t seed);
void payloads_release(struct payloads *payloads);

/* `digest` as archives write it: "sha1:..." */
void payloads_add(struct payloads *payloads, struct str digest,
                  const struct payload_place *place);

/* The next candidate for a digest; start with *at = 0. False: there is none. */
bool payloads_find(const struct payloads *payloads, struct str digest,
                   size_t *at, struct payload_place *place);

#endif
