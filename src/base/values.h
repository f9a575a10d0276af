/* Option values as people type them: whole strings, strictly read, and written
 * the same way where a message names one. */
#ifndef BASE_VALUES_H
#define BASE_VALUES_H

#include "base/buf.h"
#include "base/str.h"

/* "500ms", "10s", "1.5s", "2m", "2h", "7d", "0"; a bare number is seconds. */
bool value_duration_ms(struct str text, uint64_t *ms);

/* "1000", "64K", "16M", "2G", powers of 1024. */
bool value_size(struct str text, uint64_t *bytes);

/* In the largest unit that needs no fraction: "24h" and not "86400000ms", "2G"
 * and not "2147483648". The text is read back as the same value. */
void value_put_duration(struct buf *out, uint64_t ms);
void value_put_size(struct buf *out, uint64_t bytes);

#endif
