/* The Range header of a request for a part of a file (RFC 9110, 14). */
#ifndef REPLAY_BYTE_RANGE_H
#define REPLAY_BYTE_RANGE_H

#include "base/str.h"

enum byte_range_kind {
    BYTE_RANGE_NONE, /* send the whole file */
    BYTE_RANGE_PART, /* `from` and `len`, which is not 0 */
    BYTE_RANGE_BAD,  /* nothing of the file is in it: 416 */
};

struct byte_range {
    uint64_t from, len;
};

/* A header that is missing (.ptr is NULL), wrong or names several ranges counts
 * as none, as the standard allows. */
enum byte_range_kind byte_range_parse(struct str value, uint64_t size,
                                      struct byte_range *range);

#endif
